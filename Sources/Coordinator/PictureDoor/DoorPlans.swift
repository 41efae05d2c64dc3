import TintypeCore
import TintypeDoor
import TintypeTransport

/// The plans of earlier requests at the picture door, by their URLs. A repeated URL is not verified, parsed and hashed again.
///
/// Only URLs that were planned are known here. A change of keys, presets or policy drops all plans. Their number and their bytes are limited.
@Loop
final class DoorPlans {
    /// The part of a request that decides its plan.
    struct Key: Hashable {
        let target: ArraySlice<UInt8>
        let accept: AcceptClass
        let hints: ClientHints

        static func == (one: Key, other: Key) -> Bool {
            one.accept == other.accept && one.hints == other.hints && one.target.count == other.target.count
                && one.target.withUnsafeBytes { bytes in other.target.withUnsafeBytes { bytes.elementsEqual($0) } }
        }

        /// In one step for each target. Client hints make many plans of a target, and an Accept header makes few.
        func hash(into hasher: inout Hasher) {
            target.withUnsafeBytes { hasher.combine(bytes: $0) }
            if hints != .none { hasher.combine(hints) }
        }
    }

    /// The number of plans. Besides its URL, a plan takes some kilobytes.
    static let most = 4096
    /// A longer target is planned each time. In bytes.
    static let longest = 4 << 10

    private var known: [Key: PlannedPicture] = [:]

    /// Returns the plan of a request, unless it has none yet, or its URL has expired since.
    /// - Parameter now: Seconds since 1970.
    func plan(_ key: Key, now: Double) -> PlannedPicture? {
        guard let found = known[key] else { return nil }
        // The planner names the refusal.
        if let expires = found.plan.expires, now >= Double(expires) { return nil }
        return found
    }

    func keep(_ picture: PlannedPicture, for key: Key) {
        guard key.target.count <= Self.longest else { return }
        if known.count >= Self.most { forget() }
        // The slice of a request would keep its whole head.
        known[Key(target: Array(key.target)[...], accept: key.accept, hints: key.hints)] = picture
    }

    /// Drops all plans.
    func forget() { known.removeAll(keepingCapacity: true) }
}
