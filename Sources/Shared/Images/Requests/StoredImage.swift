package import TintypeCore

/// One finished rendition, with everything needed to serve it again. A value that may move between threads.
package struct StoredImage: Sendable, Hashable {
    /// The digest of the rendition: the key in `/images/{key}`.
    package var key: String
    /// The `Content-Type` of the bytes.
    package var contentType: String
    /// The RenditionInfo as JSON.
    package var info: JSON
    /// The SourceInfo as JSON.
    package var source: JSON
    /// The operations that made it, for operators (`Rendition.shownOperations`); nil: nobody knows.
    package var operations: JSON?
    package var bytes: [UInt8]
    /// The SHA-256 of the bytes in hexadecimal, if known; nil: the store computes the hash when it writes.
    package var sha256: String?
    /// Seconds since 1970.
    package var storedAt: Double
    /// Seconds since 1970; nil lets the store decide. A store never returns an image after this moment.
    package var expiresAt: Double?

    package init(
        key: String, contentType: String, info: JSON, source: JSON, operations: JSON? = nil, bytes: [UInt8], sha256: String? = nil, storedAt: Double,
        expiresAt: Double? = nil
    ) {
        (self.key, self.contentType, self.info, self.source, self.operations) = (key, contentType, info, source, operations)
        (self.bytes, self.sha256, self.storedAt, self.expiresAt) = (bytes, sha256, storedAt, expiresAt)
    }

    /// Whether the image is a spill: no tier of the cache has it, and its URL works for a minute.
    package var isHeld: Bool { rendition.isHeld }

    /// Whether it may still be used at `moment` (seconds since 1970).
    package func isFresh(at moment: Double) -> Bool {
        expiresAt.map { moment < $0 } ?? true
    }
}
