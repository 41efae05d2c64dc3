package import TintypeCore

/// The properties of a finished rendition: a member of `renditions` in a result, without its name.
package struct RenditionInfo: Sendable, Hashable {
    package var key: String
    /// nil for passed-through bytes that are no picture.
    package var format: ImageFormat?
    package var contentType: String
    package var bytes: Int
    package var width: Int?
    package var height: Int?
    package var frames: Int?
    /// The quality of the encoder; nil for lossless results.
    package var quality: Int?
    package var sha256: String
    /// The tiers in which the worker keeps the result. A coordinator tells its client the tiers that the client's own request named.
    package var stored: [CacheTier]
    /// The time until which requests without `cache.ttl` get the result, in epoch seconds: as long as all its sources are fresh.
    package var expiresAt: Double?
    /// The time at which the contents came from their origins or were last revalidated, in epoch seconds. A `cache.ttl` counts from here.
    package var storedAt: Double?
    /// The `cache.version` of the request.
    package var version = 0
    /// The limits for caches between the service and its clients.
    package var limits = CacheLimits()
    /// The kind of document that a worker has read the bytes as, which may stand in an answer (`JSONText`).
    package var document: DocumentKind?
    /// The file that the result was saved as.
    package var saved: SavedFile?
    /// The metadata from the request.
    package var metadata: ResultMetadata?
    /// Whether the operations were applied; false when the bytes were passed through.
    package var isApplied: Bool

    package init(key: String, contentType: String, bytes: Int, sha256: String, stored: [CacheTier], isApplied: Bool) {
        (self.key, self.contentType, self.bytes) = (key, contentType, bytes)
        (self.sha256, self.stored, self.isApplied) = (sha256, stored, isApplied)
    }

    /// Reads the info of a rendered picture from a store; nil for anything else. The caller sets where and how long the picture is kept.
    package init?(stored image: StoredImage) {
        let rendition = image.rendition
        guard rendition.isApplied, let sum = rendition.sha256, let format = rendition.format else { return nil }
        self.init(key: image.key, contentType: image.contentType, bytes: image.bytes.count, sha256: sum, stored: [], isApplied: true)
        self.format = ImageFormat(rawValue: format)
        (width, height, frames, quality) = (rendition.width, rendition.height, rendition.frames, rendition.quality)
        metadata = rendition.metadata
    }

    package var json: JSON {
        var object = JSONObject(present: [
            "key": .string(key), "format": format.map { .string($0.rawValue) }, "contentType": .string(contentType), "bytes": JSON(bytes),
            "width": width.map { JSON($0) }, "height": height.map { JSON($0) }, "frames": frames.map { JSON($0) }, "quality": quality.map { JSON($0) },
            "sha256": .string(sha256), "url": .string("/images/\(key)"), "stored": .array(stored.map { .string($0.rawValue) }),
            "expiresAt": expiresAt.map { JSON($0) }, "storedAt": storedAt.map { JSON($0) }, "version": .when(version != 0, JSON(version)),
        ])
        limits.add(to: &object)
        object["validated"] = document.map { $0 == .json ? true : .string($0.rawValue) }
        object["applied"] = .bool(isApplied)
        object["saved"] = saved?.json
        // Metadata comes last: scripts that search for a member find the real one first.
        object["metadata"] = metadata?.json
        return .object(object)
    }
}

extension CacheMiss {
    /// Returns the reason why an existing result does not fit a request; nil if it fits.
    /// - Parameter ttl: the `cache.ttl` of the request: the greatest age, in place of what the origin says.
    package init?(of result: ImageResult.Rendition, version: Int, ttl: Double?, at now: Double) {
        let isCurrent = ttl.map { (result.storedAt ?? now) + $0 > now } ?? result.expiresAt.map { $0 > now } ?? true
        if isCurrent, result.version ?? 0 == version { return nil }
        self = isCurrent ? .version : .expired
    }
}
