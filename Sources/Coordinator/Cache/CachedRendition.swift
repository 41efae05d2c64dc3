import TintypeCore
import TintypeTransport
import TintypeImages

/// A finished rendition in memory: what an answer says of it, as text ready to be pasted in, and its bytes once somebody has read them.
@Loop
final class CachedRendition {
    let key: String
    /// RenditionInfo with `url`, as JSON members without braces; without a name and `stored`, which each request says for itself.
    let members: [UInt8]
    /// Of its bytes, in hexadecimal.
    let sha256: String?
    /// SourceInfo, whole.
    let source: [UInt8]
    /// The image; nil until it was read from the result store.
    var image: StoredImage?
    /// Monotonic seconds after which it is not answered any more to those who name no `cache.ttl`.
    let expiresAt: Double
    /// Monotonic seconds when its source came: what a `cache.ttl` is counted from.
    let storedAt: Double
    /// Monotonic seconds after which it is forgotten.
    let keptUntil: Double
    /// Monotonic seconds when its bytes were last known to be in the result store.
    var verifiedAt: Double

    /// How long a rendition without bytes is answered before the result store is asked again whether it has them.
    static let trust = 10.0

    /// - Parameters:
    ///   - info: RenditionInfo.
    ///   - fresh: seconds from now that it is fresh.
    ///   - kept: seconds from now that it is kept at least.
    ///   - now: monotonic seconds.
    init(key: String, info: ImageResult.Rendition, source: JSON, fresh: Double, kept: Double, at now: Double) {
        let age = info.storedAt.map { max(0, WallClock.now - $0) } ?? 0
        var members = info.object
        members["name"] = nil
        members["stored"] = nil
        var writer = JSONWriter(capacity: 384)
        writer.members(members)
        if members["url"] == nil {
            writer.raw(members.isEmpty ? "\"url\":" : ",\"url\":")
            writer.string(ImagePath.path(of: key))
        }
        self.key = key
        sha256 = info.sha256
        self.members = writer.bytes
        self.source = source.bytes()
        verifiedAt = now
        (expiresAt, storedAt, keptUntil) = (verifiedAt + fresh, verifiedAt - age, verifiedAt + kept)
    }

    /// Whether its bytes are known to be there without asking anybody.
    /// - Parameter since: what was seen in the result store before this moment does not count.
    func isCertain(at now: Double, since: Double) -> Bool {
        now < keptUntil && (image != nil || (now - verifiedAt < Self.trust && verifiedAt >= since))
    }

    /// Whether it is new enough for a request.
    /// - Parameter ttl: how old it may be, in place of what its origin says.
    func isCurrent(at now: Double, ttl: Double?) -> Bool { now < keptUntil && ttl.map { now < storedAt + $0 } ?? (now < expiresAt) }

    /// What it costs in memory, in bytes.
    var cost: Int { 400 + members.count + source.count + (image?.bytes.count ?? 0) }
}

/// The path an image is served at.
enum ImagePath {
    static let prefix = "/images/"
    static func path(of key: String) -> String { prefix + key }
}
