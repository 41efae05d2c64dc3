import TintypeCore
package import TintypeTransport
package import TintypeImages
import TintypeQueue

/// A finished rendition in memory: its part of an answer as text, and its bytes once they have been read.
@Loop
package final class CachedRendition {
    package let key: String
    /// RenditionInfo with `url`, as JSON members without braces. `name` and `stored` are left out, because each request adds its own.
    package let members: [UInt8]
    /// The hash of its bytes, in hexadecimal.
    package let sha256: String?
    /// The whole SourceInfo.
    package let source: [UInt8]
    /// The URLs of its source, in the forms that purges are compared with.
    let forms: [String]
    /// The tags of the requests that it has answered here.
    package var tags: Set<String>
    /// The image; nil until it was read from the result store.
    package var image: StoredImage? { didSet { shown = nil } }
    private var shown: ServedImage?
    /// The monotonic time in seconds after which it no longer answers requests without `cache.ttl`.
    package let expiresAt: Double
    /// The monotonic time in seconds at which its source arrived. A `cache.ttl` counts from here.
    package let storedAt: Double
    /// The monotonic time in seconds after which it is removed.
    let keptUntil: Double
    /// The monotonic time in seconds at which its bytes were last known to be in the result store.
    var verifiedAt: Double

    /// The seconds for which a rendition without bytes answers before the result store is asked again.
    static let trust = 10.0

    /// - Parameters:
    ///   - info: RenditionInfo.
    ///   - fresh: The seconds from now for which it is fresh.
    ///   - kept: The least seconds from now for which it is kept.
    ///   - now: Monotonic seconds.
    init(key: String, info: ImageResult.Rendition, source: JSON, fresh: Double, kept: Double, tags: Set<String> = [], at now: Double) {
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
        forms = PurgeTarget.forms(of: PurgeTarget.urls(of: source))
        self.tags = tags
        verifiedAt = now
        (expiresAt, storedAt, keptUntil) = (verifiedAt + fresh, verifiedAt - age, verifiedAt + kept)
    }

    /// Returns whether its bytes are known to exist without a question to the store.
    /// - Parameter since: Checks of the result store before this time do not count.
    func isVerified(at now: Double, since: Double) -> Bool {
        now < keptUntil && (image != nil || (now - verifiedAt < Self.trust && verifiedAt >= since))
    }

    /// Returns whether it is new enough for a request.
    /// - Parameter ttl: The greatest age, in place of the freshness from its origin.
    func isCurrent(at now: Double, ttl: Double?) -> Bool { now < keptUntil && ttl.map { now < storedAt + $0 } ?? (now < expiresAt) }

    /// The image with its header lines, for answers over HTTP; nil if its bytes are not in memory.
    package var served: ServedImage? {
        if let shown { return shown }
        shown = image.map { ServedImage($0) }
        return shown
    }

    /// The RenditionInfo, read from `members`.
    package var rendition: ImageResult.Rendition {
        ImageResult.Rendition(json: (try? JSON(parsing: [UInt8(ascii: "{")] + members + [UInt8(ascii: "}")])) ?? .null)
    }

    /// The bytes that it takes in memory.
    var cost: Int { 400 + members.count + source.count + (image?.bytes.count ?? 0) }
}

/// The path under which an image is served.
enum ImagePath {
    static let prefix = "/images/"
    static func path(of key: String) -> String { prefix + key }
}
