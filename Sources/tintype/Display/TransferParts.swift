/// The parts of a transfer that follow each other. The service counts the first byte and the download from the beginning of the transfer. Pure.
struct TransferParts: Sendable, Hashable {
    /// Seconds from the end of the handshakes to the first byte.
    let firstByte: Double
    /// Seconds from the first byte to the end.
    let download: Double

    /// - Parameter metric: Returns the seconds of a phase, by its name in `metrics` of a result.
    init(_ metric: (String) -> Double) {
        let before = metric("dns") + metric("connect") + metric("tls")
        firstByte = max(0, metric("firstByte") - before)
        download = max(0, metric("download") - max(before, metric("firstByte")))
    }
}
