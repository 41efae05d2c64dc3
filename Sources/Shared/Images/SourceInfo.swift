/// What is known of a source once it was read: the member `source` of a result (PROTOCOL §6).
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
    /// Epoch seconds until which it may be used without asking its origin.
    package var expiresAt: Double?

    /// User and password never appear in results.
    package init(url: String, finalURL: String, status: Int?, bytes: Int) {
        self.url = url
        self.finalURL = finalURL
        self.status = status
        self.bytes = bytes
    }

    /// What its decoder has found out, of the same bytes, as `json` has it.
    package mutating func takePicture(from json: JSON) {
        format = json["format"]?.string.flatMap { ImageFormat(rawValue: $0) }
        (width, height, frames) = (json["width"]?.int, json["height"]?.int, json["frames"]?.int)
        (hasAlpha, orientation) = (json["hasAlpha"]?.bool, json["orientation"]?.int)
    }

    package var json: JSON {
        var members: [(String, JSON)] = []
        members.reserveCapacity(14)
        func add(_ name: String, _ value: JSON?) { if let value { members.append((name, value)) } }
        add("url", .string(url))
        add("finalURL", .string(finalURL))
        add("bytes", JSON(bytes))
        add("status", status.map { JSON($0) })
        add("format", format.map { .string($0.rawValue) })
        add("width", width.map { JSON($0) })
        add("height", height.map { JSON($0) })
        add("frames", frames.map { JSON($0) })
        add("hasAlpha", hasAlpha.map { .bool($0) })
        add("orientation", orientation.map { JSON($0) })
        add("etag", etag.map { .string($0) })
        add("lastModified", lastModified.map { .string($0) })
        add("expiresAt", expiresAt.map { JSON(($0 * 1000).rounded() / 1000) })
        add("sha256", sha256.map { .string($0) })
        return .object(JSONObject(members))
    }
}
