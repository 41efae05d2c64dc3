import ImageHeads
import TintypeCore
import TintypeImages
import TintypeStores

/// An image that a client brings: what is said of it, and where it is kept. Pure.
struct PutImage: Sendable {
    let image: StoredImage
    let tiers: [CacheTier]
    let ttl: Double

    /// - Parameters:
    ///   - contentType: what the client says it is; believed only where the bytes say nothing.
    ///   - ttl: seconds; nil: as long as results without a time of their own.
    /// - Throws: `invalidParams` for a request with several renditions, for the source of one that decrypts, and for words that are no source's.
    init(_ target: CacheTarget, _ bytes: [UInt8], contentType: String?, ttl: Double?) throws(TintypeError) {
        guard target.outputs.count == 1 || target.tier == .sources, let output = target.outputs.first else {
            throw .invalidParams(path: "renditions", value: JSON(target.outputs.count), expected: "one rendition: it is one picture that is put")
        }
        // Workers decrypt what their origins have sent. Nothing is known of these bytes but the URL that the client names.
        if target.tier == .sources, let name = target.decrypt {
            throw .invalidParams(
                path: "fetch.decrypt", value: .string(name),
                expected: "nothing here: no key reads bytes that a client brings; put the decrypted picture as a result, without `tier`")
        }
        if target.tier == .sources, let metadata = target.metadata {
            throw .invalidParams(path: "metadata", value: metadata.json, expected: "nothing here: it is kept with results")
        }
        tiers = target.tier.map { [$0] } ?? CacheTier.ofRenditions
        self.ttl = ttl ?? MemoryTier.defaultLifetime
        let now = WallClock.now
        let sha256 = Digest.sha256Hex(bytes)
        var format: ImageFormat?
        if case .image(let found)? = ImageSniff.of(bytes) { format = found }
        let header = Self.header(of: bytes)
        let key = target.tier == .sources ? target.source : output.digest
        var info = RenditionInfo(
            key: key, contentType: format?.contentType ?? contentType ?? "application/octet-stream", bytes: bytes.count, sha256: sha256,
            stored: tiers, isApplied: target.tier != .sources)
        (info.format, info.metadata) = (format, target.metadata)
        if let header {
            // As it is shown: of four ways of eight that it may lie, the sides change places.
            let isLying = header.orientation ?? 1 > 4
            (info.width, info.height) = isLying ? (header.height, header.width) : (header.width, header.height)
            info.frames = header.frames
        }
        (info.expiresAt, info.storedAt) = (now + self.ttl, now)
        (info.version, info.isPrivate) = (target.words?.version ?? 0, target.isPersonal)
        var source = SourceInfo(url: target.url ?? "", finalURL: target.url ?? "", status: nil, bytes: bytes.count)
        if target.tier == .sources {
            (source.format, source.sha256) = (format, sha256)
            if let header {
                (source.width, source.height, source.frames) = (header.width, header.height, header.frames)
                (source.hasAlpha, source.orientation) = (header.hasAlpha, header.orientation)
            }
        }
        if target.tier == .sources {
            let kept = CachedSource(
                info: source, contentType: info.contentType, bytes: bytes, freshness: Freshness(seconds: self.ttl, from: now), storedAt: now,
                version: target.words?.version ?? 0)
            image = kept.stored(as: key, ttl: self.ttl, longest: 0)
        } else {
            image = StoredImage(
                key: key, contentType: info.contentType, info: info.json, source: source.json, bytes: bytes, sha256: sha256, storedAt: now,
                expiresAt: info.expiresAt)
        }
    }

    /// What the bytes claim of themselves, where the guard of workers lets them pass; nil for what is no picture: that may be put, too.
    private static func header(of bytes: [UInt8]) -> ImageHeader? {
        guard let format = try? ImageGuard().format(of: bytes) else { return nil }
        return bytes.withUnsafeBytes { ImageHeader.read($0, as: format) }
    }

    /// `{key, bytes}`
    var answer: JSON { ["key": .string(image.key), "bytes": JSON(image.bytes.count)] }
}
