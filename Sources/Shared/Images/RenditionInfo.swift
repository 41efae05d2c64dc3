/// What is known of a finished rendition: a member of `renditions` in a result (PROTOCOL §6), without its name.
package struct RenditionInfo: Sendable, Hashable {
    package var key: String
    /// nil for bytes that were passed through and are no picture.
    package var format: ImageFormat?
    package var contentType: String
    package var bytes: Int
    package var width: Int?
    package var height: Int?
    package var frames: Int?
    /// What the encoder was given; nil where nothing is lost.
    package var quality: Int?
    package var sha256: String
    /// Where its worker keeps it. To a client its coordinator says where the client's own request asked it to be kept.
    package var stored: [CacheTier]
    /// Until when it is kept, in epoch seconds; nil if it is not.
    package var expiresAt: Double?
    /// `cache.version` of the request it was made for.
    package var version = 0
    /// Whether the operations were applied; false when the bytes were passed through.
    package var isApplied: Bool

    package init(key: String, contentType: String, bytes: Int, sha256: String, stored: [CacheTier], isApplied: Bool) {
        (self.key, self.contentType, self.bytes) = (key, contentType, bytes)
        (self.sha256, self.stored, self.isApplied) = (sha256, stored, isApplied)
    }

    /// Of a picture that was drawn, as `json` has it in a store; nil for anything else. Where it is kept, and how long, is to be said anew.
    package init?(stored image: StoredImage) {
        guard image.info["applied"]?.bool == true, let sum = image.info["sha256"]?.string, let format = image.info["format"]?.string else { return nil }
        self.init(key: image.key, contentType: image.contentType, bytes: image.bytes.count, sha256: sum, stored: [], isApplied: true)
        self.format = ImageFormat(rawValue: format)
        (width, height, frames) = (image.info["width"]?.int, image.info["height"]?.int, image.info["frames"]?.int)
        quality = image.info["quality"]?.int
    }

    package var json: JSON {
        var object: JSONObject = ["key": .string(key)]
        object["format"] = format.map { .string($0.rawValue) }
        object["contentType"] = .string(contentType)
        object["bytes"] = JSON(bytes)
        object["width"] = width.map { JSON($0) }
        object["height"] = height.map { JSON($0) }
        object["frames"] = frames.map { JSON($0) }
        object["quality"] = quality.map { JSON($0) }
        object["sha256"] = .string(sha256)
        object["url"] = .string("/images/\(key)")
        object["stored"] = .array(stored.map { .string($0.rawValue) })
        object["expiresAt"] = expiresAt.map { JSON($0) }
        if version != 0 { object["version"] = JSON(version) }
        object["applied"] = .bool(isApplied)
        return .object(object)
    }
}
