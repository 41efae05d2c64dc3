package import TintypeCore
import TintypeTransport

/// The time of each phase of a fetch, in seconds: the `metrics` of a result. The queue adds `queued` and `total` for each receipt. A pure value.
package struct PhaseTimes: Sendable, Hashable {
    private var transfer = TransferTimings()
    package var decode = 0.0
    package var transform = 0.0
    package var encode = 0.0
    package var store = 0.0

    package init() {}

    mutating func take(_ timings: TransferTimings) { transfer = timings }

    /// Adds the times of a rendition.
    mutating func take(_ other: PhaseTimes) {
        decode += other.decode
        transform += other.transform
        encode += other.encode
        store += other.store
    }

    /// The phases by name, in their order.
    private var all: [(name: String, seconds: Double)] {
        [
            ("dns", transfer.dns), ("connect", transfer.connect), ("tls", transfer.tls), ("firstByte", transfer.firstByte), ("download", transfer.total),
            ("decode", decode), ("transform", transform), ("encode", encode), ("store", store),
        ]
    }

    /// The `metrics` object of the protocol, with times rounded to microseconds.
    package var json: JSONObject { JSONObject(all.map { ($0.name, Self.rounded($0.seconds)) }) }

    /// Counts the phases that the fetch had.
    func count(in metrics: Metrics) {
        for phase in all where phase.seconds > 0 { metrics.observe(.fetchPhaseSeconds, phase.seconds, labels: phase.name) }
    }

    private static func rounded(_ seconds: Double) -> JSON { JSON((seconds * 1e6).rounded() / 1e6) }
}
