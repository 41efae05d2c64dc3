import Coordinator
import TintypeCore
import ImgproxyURLs
import TintypeTransport

/// The plans of earlier requests at the picture door, by their URLs. A repeated URL is not verified, parsed and hashed again.
///
/// Only URLs that were planned are known here. A change of keys, presets or policy drops all plans. Their number and their bytes are limited.
@Loop
final class DoorPlans {
    /// The part of a request that decides its plan.
    struct Key: Hashable {
        /// The path, as it was sent. No query is part of it: nothing reads one, and no signature covers one, so anybody may add any.
        let target: ArraySlice<UInt8>
        let accept: AcceptClass
        let hints: ClientHints

        /// - Parameter target: The path with all that follows.
        init(target: ArraySlice<UInt8>, accept: AcceptClass, hints: ClientHints) {
            (self.target, self.accept, self.hints) = (target.prefix { $0 != UInt8(ascii: "?") }, accept, hints)
        }

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

    /// The plans in two generations: a full `recent` becomes `earlier`, whose plans are dropped then. A plan that is used comes back. So URLs that are asked
    /// for once push out no plan that is in use.
    private var recent: [Key: PlannedPicture] = [:]
    private var earlier: [Key: PlannedPicture] = [:]

    /// Returns the plan of a request, unless it has none yet, or its URL has expired since.
    /// - Parameter now: Seconds since 1970.
    func plan(_ key: Key, now: Double) -> PlannedPicture? {
        let used = recent[key]
        guard let found = used ?? earlier[key] else { return nil }
        if used == nil { add(found, for: key) }
        // The planner names the refusal.
        if let expires = found.plan.expires, now >= Double(expires) { return nil }
        return found
    }

    func keep(_ picture: PlannedPicture, for key: Key) {
        guard key.target.count <= Self.longest else { return }
        add(picture, for: key)
    }

    private func add(_ picture: PlannedPicture, for key: Key) {
        if recent.count >= Self.most / 2 { (earlier, recent) = (recent, [:]) }
        // The slice of a request would keep its whole head.
        recent[Key(target: Array(key.target)[...], accept: key.accept, hints: key.hints)] = picture
    }

    /// Drops all plans.
    func forget() { (recent, earlier) = ([:], [:]) }
}
