package import TintypeTransport

/// The effect of redirects on the response that they lead to (RFC 9111 §3, §4.2). The response is kept under the first URL, so it stands for all
/// answers on the way. The last response may be fresh for a year, while the redirect may lead elsewhere tomorrow.
extension Freshness {
    /// The freshness of a response after redirects. It is fresh as long as each of them is, and served stale as long as each of them allows it.
    package init(
        _ headers: [(name: String, value: String)], behind hops: [TransferHop], requestedAt: Double, receivedAt: Double, unkeyed: Set<String> = []
    ) {
        self.init(headers, requestedAt: requestedAt, receivedAt: receivedAt, unkeyed: unkeyed)
        for hop in hops {
            // The arrival time of each redirect is unknown. The time of the last response makes them older than they are, never younger.
            let own = Freshness(hop.headers, requestedAt: requestedAt, receivedAt: receivedAt, unkeyed: unkeyed)
            let isExplicit = Self.isExplicit(hop.headers)
            // A permanent redirect may be cached without explicit freshness, a temporary one may not (RFC 9110 §15.1).
            isAlwaysAsked = isAlwaysAsked || own.isAlwaysAsked || !isExplicit && ![301, 308].contains(hop.status)
            mustRevalidate = mustRevalidate || own.mustRevalidate
            if isExplicit { bound(by: own) }
        }
    }

    private mutating func bound(by other: Freshness) {
        let (own, others) = (bornAt + lifetime, other.bornAt + other.lifetime)
        let end = min(own, others)
        func bound(_ seconds: Double?, _ other: Double?) -> Double? {
            seconds == nil && other == nil ? nil : min(own + (seconds ?? 0), others + (other ?? 0)) - end
        }
        staleWhileRevalidate = bound(staleWhileRevalidate, other.staleWhileRevalidate)
        staleIfError = bound(staleIfError, other.staleIfError)
        lifetime = end - bornAt
    }

    /// Returns whether every redirect allows the result to be given to the next client.
    static func allowSharing(_ hops: [TransferHop], isOnes: Bool) -> Bool { hops.allSatisfy { allowsSharing($0.headers, isOnes: isOnes) } }
}

extension TransferHead {
    /// Whether the response may be kept at all.
    package func allowsKeeping(isOnes: Bool) -> Bool { Freshness.keptStatus.contains(status) && allowsSharing(isOnes: isOnes) }

    /// Returns whether results of the response may be given to the next client, by its own headers and those of each redirect to it.
    package func allowsSharing(isOnes: Bool) -> Bool {
        Freshness.allowsSharing(headers, isOnes: isOnes) && Freshness.allowSharing(hops, isOnes: isOnes)
    }
}
