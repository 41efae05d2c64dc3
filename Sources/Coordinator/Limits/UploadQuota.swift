import TintypeTransport

/// The uploads of one name that this coordinator has stored, the oldest first. A value.
struct UploadQuota: Sendable {
    /// The most uploads that are remembered; the oldest one goes first.
    static let mostCount = 65_536

    private struct Kept: Sendable {
        let key: String
        let bytes: Int
        /// Seconds since 1970.
        let until: Double
    }

    private var kept = FIFO<Kept>()
    /// The bytes of all of them.
    private(set) var bytes = 0

    /// Returns the key of the oldest upload, if the uploads are more than the share. Stops counting expired ones.
    /// - Parameters:
    ///   - quota: The most bytes.
    ///   - now: Seconds since 1970.
    mutating func excess(over quota: Int, at now: Double) -> String? {
        while let oldest = kept.first, oldest.until <= now {
            _ = kept.popFirst()
            bytes -= oldest.bytes
        }
        return bytes > quota || kept.count > Self.mostCount ? kept.first?.key : nil
    }

    /// Counts an upload that is stored.
    /// - Parameter until: Seconds since 1970.
    mutating func add(_ key: String, _ count: Int, until: Double) {
        kept.append(Kept(key: key, bytes: count, until: until))
        bytes += count
    }

    /// Stops counting an upload that was removed. One that is not counted changes nothing.
    mutating func remove(_ key: String) {
        guard let place = kept.elements.enumerated().first(where: { $0.element.key == key })?.offset, let left = kept.remove(at: place) else { return }
        bytes -= left.bytes
    }
}
