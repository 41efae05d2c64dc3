package import TintypeCore

/// Accepted work whose answer waits for replicas, without a request having to say so.
package enum DurableWork: String, Sendable, CaseIterable {
    /// Requests that go on without their client.
    case detached
    /// Requests with a callback.
    case callbacks
    /// Prefetches, batches and chains.
    case groups

    package static let names = allCases.map(\.rawValue)
}

/// How accepted work waits for replicas.
package struct DurableSettings: Sendable, Hashable {
    /// The names of `DurableWork` that wait where the request does not say.
    package var work: [String] = []
    /// The longest wait.
    package var timeout = Duration.seconds(1)
    /// How many replicas have to have the work.
    package var replicas = 1

    package init() {}

    package static var settings: [Setting<DurableSettings>] {
        [
            Setting(
                "durable", \.work,
                .list(of: "words of \(DurableWork.names.joined(separator: ", "))", placeholder: "WORK,…", isSet: true) { DurableWork(rawValue: $0) != nil },
                defaultNote: "none",
                help: "The requests whose answers wait until replicas of Redis have them, unless they say otherwise (durable). Names: detached (those that "
                    + "go on without their client), callbacks (those with a callback) and groups (prefetches, batches and chains)."
            ),
            Setting(
                "durable-timeout", \.timeout, .duration(.milliseconds(1) ... .seconds(60)),
                help: "The longest wait for replicas, and the usual one without a replica. After that the request is accepted all the same, and its answer has "
                    + "durable false."),
            Setting(
                "durable-replicas", \.replicas, .count(1...100),
                help: "How many replicas must have a durable request. With sentinels use the number of all replicas: else a planned switch may lose "
                    + "durable requests."),
        ]
    }
}
