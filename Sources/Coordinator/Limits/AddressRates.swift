import TintypeSettings

/// The requests and new pictures that each address has asked for lately. A value.
///
/// The number of remembered addresses is limited. An address that has used nothing up is forgotten first, then the one that will be so soonest. So nobody
/// who comes with many addresses makes the service forget the one that asks for most, and no address is refused because of others.
struct AddressRates: Sendable {
    /// The most addresses that are remembered.
    static let mostAddresses = 16_384

    private struct Entry: Sendable {
        var requests: GCRA
        var pictures: GCRA

        init(_ rate: PictureRate) {
            func limit(_ perSecond: Int) -> GCRA { GCRA(perSecond: Double(max(1, perSecond)), burst: PictureRate.burst * max(1, perSecond)) }
            (requests, pictures) = (limit(rate.requests), limit(rate.pictures))
        }

        /// The time at which nothing is used up any more.
        var freeAt: Double { max(requests.freeAt, pictures.freeAt) }

        subscript(kind: PictureRate.Kind) -> GCRA {
            get { kind == .requests ? requests : pictures }
            set { if kind == .requests { requests = newValue } else { pictures = newValue } }
        }
    }

    let rate: PictureRate
    private let mostAddresses: Int
    private let fresh: Entry
    private var entries: [String: Entry] = [:]

    init(_ rate: PictureRate, mostAddresses: Int = Self.mostAddresses) { (self.rate, self.mostAddresses, fresh) = (rate, mostAddresses, Entry(rate)) }

    /// The number of remembered addresses.
    var count: Int { entries.count }

    /// Counts a request or a picture, if there is room for it.
    /// - Parameters:
    ///   - address: The address (`ConnectionPeer.network`).
    ///   - now: Seconds of a clock that never goes back.
    /// - Returns: nil if it is counted; else the seconds after which there is room.
    mutating func take(_ kind: PictureRate.Kind, by address: String, at now: Double) -> Double? {
        guard rate[kind] > 0 else { return nil }
        let wait = entries[address, default: fresh][kind].take(at: now)
        if entries.count > mostAddresses { forget(at: now) }
        return wait
    }

    /// Takes back what was counted last.
    mutating func giveBack(_ kind: PictureRate.Kind, to address: String) { entries[address]?[kind].giveBack() }

    /// Forgets a quarter of the addresses at least, so that not every new one looks at all.
    private mutating func forget(at now: Double) {
        entries = entries.filter { $0.value.freeAt > now }
        let kept = mostAddresses / 4 * 3
        guard entries.count > kept else { return }
        entries = Dictionary(uniqueKeysWithValues: entries.sorted { $0.value.freeAt > $1.value.freeAt }.prefix(kept).map { ($0.key, $0.value) })
    }
}
