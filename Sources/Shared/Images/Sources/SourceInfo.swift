package import TintypeCore

/// The properties of a source after its download: the member `source` of a result.
package struct SourceInfo: Sendable, Hashable {
    package var url: String
    package var finalURL: String
    package var status: Int?
    package var bytes: Int
    package var format: ImageFormat?
    package var width: Int?
    package var height: Int?
    package var frames: Int?
    package var hasAlpha: Bool?
    package var orientation: Int?
    package var etag: String?
    package var lastModified: String?
    package var sha256: String?
    /// The end of the time in which the source may be used without asking its origin, in epoch seconds.
    package var expiresAt: Double?

    /// User and password never appear in results.
    package init(url: String, finalURL: String, status: Int?, bytes: Int) {
        self.url = url
        self.finalURL = finalURL
        self.status = status
        self.bytes = bytes
    }

    /// Pixels of the source for one point of a screen, in each direction. It is 2 or 3 if the file's name ends in `@2x` or `@3x`, as in apps; otherwise 1.
    package var scale: Int {
        let path = url.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        let name = path[(path.lastIndex(of: UInt8(ascii: "/")).map { path.index(after: $0) } ?? path.startIndex)...]
        let stem = name.lastIndex(of: UInt8(ascii: ".")).map { name[..<$0] } ?? name
        for (scale, marks) in [(2, ["@2x", "%402x"]), (3, ["@3x", "%403x"])] where marks.contains(where: { stem.reversed().starts(with: $0.utf8.reversed()) }) {
            return scale
        }
        return 1
    }

    package var json: JSON {
        .object(
            JSONObject(present: [
                "url": .string(url), "finalURL": .string(finalURL), "bytes": JSON(bytes), "status": status.map { JSON($0) },
                "format": format.map { .string($0.rawValue) }, "width": width.map { JSON($0) }, "height": height.map { JSON($0) },
                "frames": frames.map { JSON($0) }, "hasAlpha": hasAlpha.map { .bool($0) }, "scale": .when(scale != 1, JSON(scale)),
                "orientation": orientation.map { JSON($0) }, "etag": etag.map { .string($0) }, "lastModified": lastModified.map { .string($0) },
                "expiresAt": expiresAt.map { JSON(($0 * 1000).rounded() / 1000) }, "sha256": sha256.map { .string($0) },
            ]))
    }
}
