package import TintypeCore

/// One finished rendition with everything needed to answer for it again: a value, moved between threads freely.
package struct StoredImage: Sendable, Hashable {
    /// The digest of the rendition: what `/images/{key}` names.
    package var key: String
    /// The `Content-Type` the bytes are served with.
    package var contentType: String
    /// RenditionInfo as JSON (PROTOCOL section 6).
    package var info: JSON
    /// SourceInfo as JSON (PROTOCOL section 6).
    package var source: JSON
    package var bytes: [UInt8]
    /// The SHA-256 of the bytes in hexadecimal, where it is known already; nil: a store computes it when it writes.
    package var sha256: String?
    /// Seconds since 1970.
    package var storedAt: Double
    /// Seconds since 1970; nil lets the store decide. A store never returns an image after this moment.
    package var expiresAt: Double?

    package init(
        key: String, contentType: String, info: JSON, source: JSON, bytes: [UInt8], sha256: String? = nil, storedAt: Double, expiresAt: Double? = nil
    ) {
        (self.key, self.contentType, self.info, self.source) = (key, contentType, info, source)
        (self.bytes, self.sha256, self.storedAt, self.expiresAt) = (bytes, sha256, storedAt, expiresAt)
    }

    /// Whether nobody keeps it: it lies there for those who were told of its URL, for a minute. It is in no tier of the cache.
    package var isHeld: Bool { rendition.isHeld }

    /// Whether it may still be used at `moment` (seconds since 1970).
    package func isFresh(at moment: Double) -> Bool {
        expiresAt.map { moment < $0 } ?? true
    }
}
