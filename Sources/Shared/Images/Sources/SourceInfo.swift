package import TintypeCore

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

    package var json: JSON {
        var object: JSONObject = ["url": .string(url), "finalURL": .string(finalURL), "bytes": JSON(bytes)]
        object["status"] = status.map { JSON($0) }
        object["format"] = format.map { .string($0.rawValue) }
        object["width"] = width.map { JSON($0) }
        object["height"] = height.map { JSON($0) }
        object["frames"] = frames.map { JSON($0) }
        object["hasAlpha"] = hasAlpha.map { .bool($0) }
        object["orientation"] = orientation.map { JSON($0) }
        object["etag"] = etag.map { .string($0) }
        object["lastModified"] = lastModified.map { .string($0) }
        object["expiresAt"] = expiresAt.map { JSON(($0 * 1000).rounded() / 1000) }
        object["sha256"] = sha256.map { .string($0) }
        return .object(object)
    }
}
