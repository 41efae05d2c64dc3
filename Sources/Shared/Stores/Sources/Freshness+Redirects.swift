package import TintypeTransport

/// What redirects say of the response they lead to (RFC 9111 §3, §4.2). It is kept under the first URL and so stands for all answers on the way: what
/// a redirect leads to may be good for a year, while the redirect leads elsewhere tomorrow.
extension Freshness {
    /// Of a response behind redirects: fresh as long as each of them is, and served stale as long as each allows it.
    package init(
        _ headers: [(name: String, value: String)], behind hops: [TransferHop], requestedAt: Double, receivedAt: Double, unkeyed: Set<String> = []
    ) {
        self.init(headers, requestedAt: requestedAt, receivedAt: receivedAt, unkeyed: unkeyed)
        for hop in hops {
            // When each came is not known; that all came with the last makes them older than they are, not younger.
            let own = Freshness(hop.headers, requestedAt: requestedAt, receivedAt: receivedAt, unkeyed: unkeyed)
            let isExplicit = Self.isExplicit(hop.headers)
            // What moved for good may be remembered without a word of it, what moved for now may not (RFC 9110 §15.1).
            isAlwaysAsked = isAlwaysAsked || own.isAlwaysAsked || !isExplicit && ![301, 308].contains(hop.status)
            mustRevalidate = mustRevalidate || own.mustRevalidate
            if isExplicit { bound(by: own) }
        }
    }

    private mutating func bound(by other: Freshness) {
        let (own, others) = (bornAt + lifetime, other.bornAt + other.lifetime)
        let end = min(own, others)
        staleWhileRevalidate = min(own + staleWhileRevalidate, others + other.staleWhileRevalidate) - end
        staleIfError = min(own + staleIfError, others + other.staleIfError) - end
        lifetime = end - bornAt
    }

    /// Whether none of the redirects forbids that what they lead to is given to whoever asks next.
    static func allowSharing(_ hops: [TransferHop], isOnes: Bool) -> Bool { hops.allSatisfy { allowsSharing($0.headers, isOnes: isOnes) } }
}

extension TransferHead {
    /// Whether it may be kept at all.
    package func allowsKeeping(isOnes: Bool) -> Bool { Freshness.keptStatus.contains(status) && allowsSharing(isOnes: isOnes) }

    /// Whether what is made of the response may be given to whoever asks next, by its own word and by that of each redirect to it.
    package func allowsSharing(isOnes: Bool) -> Bool {
        Freshness.allowsSharing(headers, isOnes: isOnes) && Freshness.allowSharing(hops, isOnes: isOnes)
    }
}
