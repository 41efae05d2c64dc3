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

    /// The `metrics` object of the protocol, with times rounded to microseconds.
    package var json: JSONObject {
        [
            "dns": Self.rounded(transfer.dns), "connect": Self.rounded(transfer.connect), "tls": Self.rounded(transfer.tls),
            "firstByte": Self.rounded(transfer.firstByte), "download": Self.rounded(transfer.total), "decode": Self.rounded(decode),
            "transform": Self.rounded(transform), "encode": Self.rounded(encode), "store": Self.rounded(store),
        ]
    }

    private static func rounded(_ seconds: Double) -> JSON { JSON((seconds * 1e6).rounded() / 1e6) }
}
