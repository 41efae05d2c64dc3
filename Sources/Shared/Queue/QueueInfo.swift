package import TintypeCore
import TintypeImages

/// One look at a queue: PROTOCOL.md §3.
package struct QueueInfo: Sendable, Hashable {
    package var name: String
    package var order: QueueOrder
    package var paused: Bool
    package var limits: QueueLimits
    package var queued: Int
    package var delayed: Int
    package var running: Int
    package var dead: Int
    /// How long the oldest waiting fetch has waited since it was made; nil if none waits.
    package var oldestQueuedSeconds: Double?
    /// Hosts that asked to be left alone by Retry-After, or are over the pace of rules, and until when, in epoch seconds; a hundred at the most.
    package var heldHosts: [String: Double]
    /// Workers that serve it and live.
    package var workers: Int

    /// As `queue.get` answers.
    package var json: JSON {
        let held = heldHosts.sorted { $0.key < $1.key }.map { ($0.key, JSON($0.value)) }
        return [
            "name": .string(name), "order": .string(order.rawValue), "paused": .bool(paused), "limits": limits.json,
            "queued": JSON(queued), "delayed": JSON(delayed), "running": JSON(running), "dead": JSON(dead),
            "oldestQueuedSeconds": oldestQueuedSeconds.map { JSON($0) } ?? .null, "heldHosts": .object(JSONObject(held)),
            "workers": JSON(workers),
        ]
    }
}

package struct QueueLimits: Sendable, Hashable {
    /// Fetches that run at once. Default 64.
    package var maxConcurrent: Int
    /// Fetches of one host that run at once. Default 6.
    package var maxConcurrentPerHost: Int
    /// Exceptions, by host without port.
    package var hostLimits: [String: Int]
    /// What coordinators' rules say of hosts that are no exceptions.
    package var ruleLimits: [String: Int]
    /// Milliseconds between two fetches of a host by coordinators' rules.
    package var rulePaces: [String: Int]
    /// Fetches that wait, delayed ones too; more are refused. Default 100,000.
    package var maxQueued: Int

    package var json: JSON {
        [
            "maxConcurrent": JSON(maxConcurrent), "maxConcurrentPerHost": JSON(maxConcurrentPerHost),
            "hostLimits": Self.json(hostLimits), "ruleLimits": Self.json(ruleLimits), "rulePaces": Self.json(rulePaces),
            "maxQueued": JSON(maxQueued),
        ]
    }

    private static func json(_ limits: [String: Int]) -> JSON {
        .object(JSONObject(limits.sorted { $0.key < $1.key }.map { ($0.key, JSON($0.value)) }))
    }
}

/// What `queue.configure` changes; nil leaves a setting as it is. In force at the next claim, everywhere.
package struct QueueChange: Sendable, Hashable {
    /// Holds for waiting fetches too, unless they were submitted with an order of their own.
    package var order: QueueOrder?
    package var maxConcurrent: Int?
    package var maxConcurrentPerHost: Int?
    /// Replaces all exceptions.
    package var hostLimits: [String: Int]?
    package var maxQueued: Int?
    package var paused: Bool?

    /// A host as fetches name theirs, however it is spelt; nil for what is none, or holds more than one.
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
