package import TintypeCore

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
    /// Until when it is given to those who name no `cache.ttl`, in epoch seconds: as long as all that is in it is fresh.
    package var expiresAt: Double?
    /// When what is in it came from its origins, or was last found unchanged, in epoch seconds: what a `cache.ttl` is counted from.
    package var storedAt: Double?
    /// `cache.version` of the request it was made for.
    package var version = 0
    /// Whether no cache between us and its clients may keep it for others.
    package var isPrivate = false
    /// Whether a worker has read the bytes and found that they are JSON which may stand in an answer (`JSONText`).
    package var isJSON = false
    /// Words of the client that it was made for.
    package var metadata: ResultMetadata?
    /// Whether the operations were applied; false when the bytes were passed through.
    package var isApplied: Bool

    package init(key: String, contentType: String, bytes: Int, sha256: String, stored: [CacheTier], isApplied: Bool) {
        (self.key, self.contentType, self.bytes) = (key, contentType, bytes)
        (self.sha256, self.stored, self.isApplied) = (sha256, stored, isApplied)
    }

    /// Of a picture that was drawn, as `json` has it in a store; nil for anything else. Where it is kept, and how long, is to be said anew.
    package init?(stored image: StoredImage) {
        let told = image.rendition
        guard told.isApplied, let sum = told.sha256, let format = told.format else { return nil }
        self.init(key: image.key, contentType: image.contentType, bytes: image.bytes.count, sha256: sum, stored: [], isApplied: true)
        self.format = ImageFormat(rawValue: format)
        (width, height, frames, quality) = (told.width, told.height, told.frames, told.quality)
        metadata = told.metadata
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
        object["storedAt"] = storedAt.map { JSON($0) }
        if version != 0 { object["version"] = JSON(version) }
        if isPrivate { object["private"] = true }
        if isJSON { object["validated"] = true }
        object["applied"] = .bool(isApplied)
        // The last: scripts that look for a member find the true one first.
        object["metadata"] = metadata?.json
        return .object(object)
    }
}

extension CacheMiss {
    /// Why a result that is there does not answer a request; nil if it does.
    /// - Parameter ttl: of the request: how old it may be, in place of what its origin says.
    package init?(of result: ImageResult.Rendition, version: Int, ttl: Double?, at now: Double) {
        let isCurrent = ttl.map { (result.storedAt ?? now) + $0 > now } ?? result.expiresAt.map { $0 > now } ?? true
        if isCurrent, result.version ?? 0 == version { return nil }
        self = isCurrent ? .version : .expired
    }
}
