package import Shared

/// Where the time of a fetch went, in seconds: the `metrics` of a result, but for `queued` and `total`, which the queue adds for
/// each receipt. A pure value.
package struct PhaseTimes: Sendable, Hashable {
    private var transfer = TransferTimings()
    package var decode = 0.0
    package var transform = 0.0
    package var encode = 0.0
    package var store = 0.0

    package init() {}

    mutating func take(_ timings: TransferTimings) { transfer = timings }

    /// Adds what making renditions took.
    mutating func take(_ other: PhaseTimes) {
        decode += other.decode
        transform += other.transform
        encode += other.encode
        store += other.store
    }

    /// As in PROTOCOL.md §6, rounded to microseconds.
    package var json: JSONObject {
        let pairs: [(String, Double)] = [
            ("dns", transfer.dns), ("connect", transfer.connect), ("tls", transfer.tls), ("firstByte", transfer.firstByte),
            ("download", transfer.total), ("decode", decode), ("transform", transform), ("encode", encode), ("store", store),
        ]
        return JSONObject(pairs.map { ($0, JSON(($1 * 1e6).rounded() / 1e6)) })
    }
}
