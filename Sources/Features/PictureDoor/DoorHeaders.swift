import Coordinator
import TintypeCore
import ImgproxyURLs
import TintypeImages
import TintypeQueue
import TintypeTransport

/// The header fields of the answers of the picture door. Pure.
struct DoorHeaders: Sendable {
    /// The value of `Access-Control-Allow-Origin`; nil: it is not sent.
    let cors: String?
    /// Whether `Link` names the source, so that search engines know the picture by it.
    var namesSource = false

    /// The longest source that `Link` names, in bytes: proxies in front have buffers of 4 KiB for all fields of an answer.
    private static let longestLink = 2048

    /// A picture, as far as headers tell of it.
    struct Picture: Sendable, Hashable {
        var tag: String
        var contentType: String
        var limits = CacheLimits()
        /// The end of its fresh time in seconds since 1970; nil if nothing limits it.
        var end: Double?
        /// `Last-Modified` of the source.
        var lastModified: String?
        /// More than 1 for an animation.
        var frames: Int?
    }

    /// The work behind an answer.
    struct Work: Sendable, Hashable {
        /// The place of origin, as in a result: `memory`, `results`, `sources`, `remote` or `fallback`.
        var from: String
        /// Seconds by phase, as in the `metrics` of a result; empty for a kept picture.
        var times = JSONObject()

        static let memory = Work(from: "memory")

        var isFallback: Bool { from == ResultOrigin.Place.fallback.rawValue }

        /// The value of `Server-Timing` (W3C): milliseconds, or the tier that had the picture.
        var timing: String {
            let phases = ["queued", "download", "decode", "transform", "encode", "store", "total"].compactMap { name -> String? in
                guard let seconds = times[name]?.double, seconds > 0 else { return nil }
                return "\(name == "queued" ? "queue" : name);dur=\(JSON((seconds * 10_000).rounded() / 10).text)"
            }
            return (["from;desc=\"\(from)\""] + phases).joined(separator: ", ")
        }
    }

    /// Returns the lines of an answer with a picture, or with a part of one, or with the news that the client has it already.
    /// - Parameters:
    ///   - next: The better picture that may follow; nil for the best one.
    ///   - hasBody: Whether the answer has bytes of the picture.
    ///   - mayBeKept: Whether caches may keep the answer.
    ///   - now: Seconds since 1970.
    func lines(
        _ picture: Picture, _ plan: DoorPlan, _ work: Work, next: FollowUp? = nil, hasBody: Bool, mayBeKept: Bool = true, now: Double
    ) -> HeaderLines {
        let lifetime = DoorLifetime(picture.limits, end: picture.end, expires: plan.expires, isFallback: work.isFallback, most: next?.seconds, now: now)
        var lines = HeaderLines([("ETag", picture.tag), ("Cache-Control", mayBeKept ? lifetime.control : "no-store")])
        if !plan.varies.isEmpty { lines.add("Vary", plan.varies.joined(separator: ", ")) }
        if !plan.tags.isEmpty { lines.add("Cache-Tag", plan.tags.joined(separator: ",")) }
        if let date = picture.lastModified, HTTPDate.seconds(date) != nil, !work.isFallback { lines.add("Last-Modified", date) }
        if work.isFallback { lines.add("Tintype-From", work.from) }
        if case .comes(let format) = next { lines.add("Tintype-Next", format.rawValue) }
        if namesSource, !work.isFallback, let source = Self.link(plan) { lines.add("Link", "<\(source)>; rel=\"canonical\"") }
        lines.add("Server-Timing", work.timing)
        lines.add("Accept-Ranges", "bytes")
        add(to: &lines)
        guard hasBody else { return lines }
        lines.add("Content-Type", picture.contentType)
        let name = DoorFileName(asked: plan.filename, source: plan.request["url"]?.string ?? "", contentType: picture.contentType)
        lines.add("Content-Disposition", name.disposition(isAttachment: plan.isAttachment))
        return lines
    }

    /// Returns the source for `Link` (RFC 8288); nil for one that is not on the web, that is too long, or that names a user.
    private static func link(_ plan: DoorPlan) -> String? {
        guard let source = plan.request["url"]?.string, let scheme = ["http://", "https://"].first(where: { source.hasPrefix($0) }) else { return nil }
        // Everybody who has the URL has the source, but no search engine is to keep a password.
        let authority = source.utf8.dropFirst(scheme.utf8.count).prefix { !"/?#\\".utf8.contains($0) }
        guard !authority.contains(UInt8(ascii: "@")) else { return nil }
        // These end the reference, and stand in no URL.
        let escaped = PercentText.escaping(Array(source.utf8)) { $0 <= 0x20 || $0 >= 0x7f || "<>\"".utf8.contains($0) }
        return escaped.utf8.count <= longestLink ? escaped : nil
    }

    /// Adds the lines that every answer has.
    func add(to lines: inout HeaderLines) {
        for (name, value) in ServedImage.safety { lines.add(name, value) }
        lines.add("Cross-Origin-Resource-Policy", "cross-origin")
        guard let cors else { return }
        lines.add("Access-Control-Allow-Origin", cors)
        lines.add("Timing-Allow-Origin", cors)
    }
}

extension DoorHeaders.Picture {
    /// A picture that will be served.
    init(_ served: ServedImage) {
        self.init(
            tag: served.tag, contentType: served.image.contentType, limits: served.limits, end: served.end,
            lastModified: served.image.source["lastModified"]?.string, frames: served.image.rendition.frames)
    }

    /// A picture of which only the index tells; nil if it does not tell enough.
    init?(_ rendition: ImageResult.Rendition, source: JSON?) {
        guard let sha256 = rendition.sha256, let contentType = rendition.contentType else { return nil }
        self.init(
            tag: EntityTag.text(sha256: sha256), contentType: contentType, limits: rendition.limits,
            end: [rendition.expiresAt, source.flatMap { ImageResult.Source(json: $0).expiresAt }].compactMap { $0 }.min(),
            lastModified: source?["lastModified"]?.string, frames: rendition.frames)
    }
}
