import Coordinator
import TintypeCore
import TintypeQueue
import TintypeTransport

/// The latest pictures, and the latest failures by cause and host. A value.
struct RecentEnds: Sendable {
    static let mostPictures = 1000
    /// The most groups of failures. The one that has been silent for longest goes.
    static let mostGroups = 200
    /// Seconds after which a group that is silent is left out.
    static let longestSilence = 86_400.0
    /// The most pictures of a group that are kept because they have killed a pixel process.
    static let mostCrashes = 10

    /// The `tag` of the requests that the dashboard itself makes. No client asked for their pictures, and looking at a failure is none.
    static let ownTag: JSON = "dashboard"

    private struct Cause: Hashable {
        let error, host, queue: String
        /// The HTTP status; nil for an error without one.
        let status: Int?
    }
    private struct Group {
        var count = 0
        var lastAt = 0.0
        var sample = JSONObject()
        /// The pictures that killed pixel processes, each once, the latest first.
        var crashes: [JSON] = []
    }

    /// The newest last.
    private var pictures = FIFO<JSON>()
    private var groups: [Cause: Group] = [:]

    /// Notes a success, as an event on the public channel of its queue shows it.
    mutating func succeeded(_ event: JSON) {
        guard event["tag"] != Self.ownTag else { return }
        // Lists begin at the end, so the first rendition comes last.
        for picture in ShownPicture.all(of: event).reversed() {
            pictures.append(picture)
            if pictures.count > Self.mostPictures { _ = pictures.popFirst() }
        }
    }

    /// Returns the URL that an error is about, with its host; nil for an error without one, such as `storeFailed`.
    static func place(of error: JSON) -> (host: String, url: String?)? {
        guard let url = error["data"]?["url"]?.string, let host = (try? WebAddress(url))?.host, !host.isEmpty else { return nil }
        return (host, "\(RedactedURL(url))")
    }

    /// Returns the name of an error.
    static func cause(of error: JSON) -> String { error["data"]?["name"]?.string ?? ErrorName.internalError.rawValue }

    /// Returns the HTTP status of an error, if it has one.
    static func status(of error: JSON) -> Int? { error["data"]?["status"]?.int }

    /// Notes a failure.
    /// - Parameter source: The fetch of the receipt, if the error has no URL and Redis still knows the fetch.
    mutating func failed(_ event: JSON, _ source: (host: String, url: String?)? = nil) {
        guard event["tag"] != Self.ownTag, let error = event["error"] else { return }
        let queue = event["queue"]?.string ?? ""
        let source = Self.place(of: error) ?? source
        let cause = Cause(error: Self.cause(of: error), host: source?.host ?? "", queue: queue, status: Self.status(of: error))
        var group = groups[cause] ?? Group()
        group.count += 1
        group.lastAt = event["at"]?.double ?? 0
        group.sample = ["receipt": event["receipt"] ?? .null, "url": source?.url.map { .string($0) } ?? .null, "message": error["message"] ?? .null]
        for name in ["status", "received"] { if let value = error["data"]?[name] { group.sample[name] = value } }
        if let digest = error["data"]?["received"]?["sha256"], error["data"]?["crashed"]?.bool == true {
            group.crashes.removeAll { $0["sha256"] == digest }
            group.crashes.insert(["sha256": digest, "url": group.sample["url"] ?? .null, "at": JSON(group.lastAt)], at: 0)
            if group.crashes.count > Self.mostCrashes { group.crashes.removeLast() }
        }
        groups[cause] = group
        guard groups.count > Self.mostGroups, let oldest = groups.min(by: { $0.value.lastAt < $1.value.lastAt }) else { return }
        groups[oldest.key] = nil
    }

    /// The newest pictures first. All pictures of a receipt come together, so there may be some more than the limit.
    /// - Parameters:
    ///   - host: Only those of this host; nil: of all.
    ///   - after: Only those before the picture of this receipt, and none if it is gone; nil: from the newest on.
    func pictures(_ limit: Int, host: String? = nil, after: String? = nil) -> [JSON] {
        var newest = pictures.elements.reversed()[...]
        if let after {
            guard let place = newest.lastIndex(where: { $0["receipt"] == .string(after) }) else { return [] }
            newest = newest[(place + 1)...]
        }
        var found: [JSON] = []
        for picture in newest where host == nil || picture["host"] == host.map(JSON.string) {
            guard found.count < limit || picture["receipt"] == found.last?["receipt"] else { break }
            found.append(picture)
        }
        return found
    }

    /// The groups of failures, the latest first.
    /// - Parameter now: Seconds since 1970. Groups that have been silent for a day are left out.
    func failures(_ limit: Int, now: Double) -> [JSON] {
        recent(now).sorted { $0.value.lastAt > $1.value.lastAt }.prefix(limit).map { cause, group in
            var item: JSONObject = [
                "error": .string(cause.error), "host": .string(cause.host), "queue": .string(cause.queue), "count": JSON(group.count),
                "lastAt": JSON(group.lastAt), "sample": .object(group.sample),
            ]
            item["status"] = cause.status.map { JSON($0) }
            if !group.crashes.isEmpty { item["crashes"] = .array(group.crashes) }
            return .object(item)
        }
    }

    func failures(byHostOf queue: String, now: Double) -> [String: Int] {
        recent(now).filter { $0.key.queue == queue }.reduce(into: [:]) { $0[$1.key.host, default: 0] += $1.value.count }
    }

    private func recent(_ now: Double) -> [Cause: Group] { groups.filter { $0.value.lastAt > now - Self.longestSilence } }
}
