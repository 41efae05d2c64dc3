package import TintypeCore
import TintypeImages

/// The state of a queue, as `queue.get` answers it (docs/protocol.md).
package struct QueueInfo: Sendable, Hashable {
    package var name: String
    package var order: QueueOrder
    package var paused: Bool
    package var limits: QueueLimits
    package var queued: Int
    package var delayed: Int
    package var running: Int
    package var dead: Int
    /// The age of the oldest waiting fetch; nil if none waits.
    package var oldestQueuedSeconds: Double?
    /// The throttled hosts, and until when they are throttled, in epoch seconds: hosts that sent Retry-After, or that are over the pace of rules. At
    /// most 100.
    package var heldHosts: [String: Double]
    /// The number of live workers that serve the queue.
    package var workers: Int
    /// The number of sources on its blacklist. It is a metric and no member of the answer, for which `blacklist.list` has the entries.
    package var blacklisted = 0
    /// The hosts of `heldHosts` that sent Retry-After: their pause is longer than a pace of rules. A metric, and no member of the answer.
    package var askingHosts: Set<String> = []
    /// The number of dead letters so far, those included that are not kept any more. A metric, and no member of the answer.
    package var deadLetters = 0
    /// The number of queues that store it.
    package var shards = 1

    /// The answer of `queue.get`.
    package var json: JSON { json(limits.json) }

    /// The same without the limits of hosts, for those that ask every second.
    package var brief: JSON { json(limits.brief) }

    private func json(_ limits: JSON) -> JSON {
        let held = heldHosts.sorted { $0.key < $1.key }.map { ($0.key, JSON($0.value)) }
        var object: JSONObject = [
            "name": .string(name), "order": .string(order.rawValue), "paused": .bool(paused), "limits": limits,
            "queued": JSON(queued), "delayed": JSON(delayed), "running": JSON(running), "dead": JSON(dead),
            "oldestQueuedSeconds": oldestQueuedSeconds.map { JSON($0) } ?? .null, "heldHosts": .object(JSONObject(held)),
            "workers": JSON(workers),
        ]
        if shards > 1 { object["shards"] = JSON(shards) }
        return .object(object)
    }
}

package struct QueueLimits: Sendable, Hashable {
    /// The limits of a queue without limits of its own, as the scripts have them.
    package static let usualConcurrent = 64, usualConcurrentPerHost = 6

    /// The maximum number of fetches that run at once. Default 64.
    package var maxConcurrent: Int
    /// The maximum number of fetches of one host that run at once. Default 6.
    package var maxConcurrentPerHost: Int
    /// Limits of single hosts, by host without port.
    package var hostLimits: [String: Int]
    /// Limits from the coordinators' rules, for hosts that `hostLimits` does not name.
    package var ruleLimits: [String: Int]
    /// Milliseconds between two fetches of a host, from the coordinators' rules.
    package var rulePaces: [String: Int]
    /// The maximum number of waiting fetches, delayed ones included. More are refused. Default 100,000.
    package var maxQueued: Int

    package var json: JSON {
        [
            "maxConcurrent": JSON(maxConcurrent), "maxConcurrentPerHost": JSON(maxConcurrentPerHost),
            "hostLimits": Self.json(hostLimits), "ruleLimits": Self.json(ruleLimits), "rulePaces": Self.json(rulePaces),
            "maxQueued": JSON(maxQueued),
        ]
    }

    fileprivate var brief: JSON {
        ["maxConcurrent": JSON(maxConcurrent), "maxConcurrentPerHost": JSON(maxConcurrentPerHost), "maxQueued": JSON(maxQueued)]
    }

    private static func json(_ limits: [String: Int]) -> JSON {
        .object(JSONObject(limits.sorted { $0.key < $1.key }.map { ($0.key, JSON($0.value)) }))
    }
}

/// The settings that `queue.configure` changes; nil leaves a setting unchanged. A change takes effect at the next claim, everywhere.
package struct QueueChange: Sendable, Hashable {
    /// The order also applies to fetches that wait, unless they were submitted with an order of their own.
    package var order: QueueOrder?
    package var maxConcurrent: Int?
    package var maxConcurrentPerHost: Int?
    /// The value replaces all limits of single hosts.
    package var hostLimits: [String: Int]?
    package var maxQueued: Int?
    package var paused: Bool?
    /// A digest of all of these settings, which a shard keeps with them.
    package var mark: String?

    /// Returns a host in the form that fetches use; nil for text that is no host or stands for several.
    package static func host(_ text: String) -> String? {
        if ["data:", "file:"].contains(text) { return text }
        guard !text.contains("*") else { return nil }
        let isBare = text.contains(":") && IPAddress(text) != nil
        return HostPattern(isBare ? "[\(text)]" : text.lowercased())?.queued
    }

    package init(
        order: QueueOrder? = nil, maxConcurrent: Int? = nil, maxConcurrentPerHost: Int? = nil, hostLimits: [String: Int]? = nil,
        maxQueued: Int? = nil, paused: Bool? = nil
    ) {
        self.order = order
        self.maxConcurrent = maxConcurrent
        self.maxConcurrentPerHost = maxConcurrentPerHost
        self.hostLimits = hostLimits
        self.maxQueued = maxQueued
        self.paused = paused
    }
}
