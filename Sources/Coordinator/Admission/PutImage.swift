import ImageHeads
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeStores

/// An image that a client stores: its description, and the tiers that keep it. Pure.
struct PutImage: Sendable {
    let image: StoredImage
    let tiers: [CacheTier]
    let ttl: Double

    /// Describes bytes. A thread hashes many bytes and reads their header.
    /// - Parameters:
    ///   - contentType: The type that the client states. It counts only if the bytes do not show their type.
    ///   - ttl: Seconds; nil: as long as results without a lifetime of their own.
    /// - Throws: `invalidParams` for a request with several renditions, for the source of a request that decrypts, and for metadata of a source.
    @Loop
    static func of(_ target: CacheTarget, _ bytes: [UInt8], contentType: String?, ttl: Double?) async throws(TintypeError) -> PutImage {
        let key = try key(of: target)
        return await Loop.work(on: bytes.count) { PutImage(target, key, bytes, contentType: contentType, ttl: ttl) }
    }

    /// The key under which bytes are put.
    private static func key(of target: CacheTarget) throws(TintypeError) -> String {
        guard target.outputs.count == 1 || target.tier == .sources, let output = target.outputs.first else {
            throw .invalidParams(path: "renditions", value: JSON(target.outputs.count), expected: "one rendition, because the bytes are one picture")
        }
        // Only workers decrypt, and only what an origin sent. The origin of these bytes is unknown except for the URL that the client names.
        if target.tier == .sources, let name = target.decrypt {
            throw .invalidParams(
                path: "fetch.decrypt", value: .string(name),
                expected: "no decryption: only a worker decrypts a source; put the decrypted picture as a result, without `tier`")
        }
        if target.tier == .sources, let metadata = target.metadata {
            throw .invalidParams(path: "metadata", value: metadata.json, expected: "no metadata for a source: only results have metadata")
        }
        return target.tier == .sources ? target.source : output.digest
    }

    private init(_ target: CacheTarget, _ key: String, _ bytes: [UInt8], contentType: String?, ttl: Double?) {
        tiers = target.tier.map { [$0] } ?? CacheTier.ofRenditions
        self.ttl = ttl ?? MemoryTier.defaultLifetime
        let now = WallClock.now
        let sha256 = Digest.sha256Hex(bytes)
        var format: ImageFormat?
        if case .image(let found)? = ImageSniff.of(bytes) { format = found }
        let header = Self.header(of: bytes)
        var info = RenditionInfo(
            key: key, contentType: format?.contentType ?? contentType ?? "application/octet-stream", bytes: bytes.count, sha256: sha256,
            stored: tiers, isApplied: target.tier != .sources)
        (info.format, info.metadata) = (format, target.metadata)
        if let header {
            // The size as displayed: four of the eight EXIF orientations swap width and height.
            let isLying = header.orientation ?? 1 > 4
            (info.width, info.height) = isLying ? (header.height, header.width) : (header.width, header.height)
            info.frames = header.frames
        }
        (info.expiresAt, info.storedAt) = (now + self.ttl, now)
        (info.version, info.limits.isPrivate) = (target.words?.version ?? 0, target.isPersonal)
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

    /// Returns the header of the bytes if the header guard of workers accepts it. For bytes that are not a picture, which may be stored too, it returns nil.
    private static func header(of bytes: [UInt8]) -> ImageHeader? {
        guard let format = try? HeaderGuard().format(of: bytes) else { return nil }
        return bytes.withUnsafeBytes { ImageHeader.read($0, as: format) }
    }

    /// `{key, bytes}`
    var answer: JSON { ["key": .string(image.key), "bytes": JSON(image.bytes.count)] }
}
