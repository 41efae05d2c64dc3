package import TintypeCore
import TintypeTransport
package import TintypeImages
import TintypeQueue

/// The time until which a response may be used without asking its origin, and its permitted use after that (RFC 9111 §4.2, RFC 5861). A pure value.
///
/// All clients of the service share this cache. The values that they send to the origin (headers, credentials, cookies) are part of a source's key, so
/// one client never gets another's answer.
package struct Freshness: Sendable, Hashable {
    /// Epoch seconds at which the origin made it, estimated from Date, Age and the transfer time.
    package var bornAt: Double
    /// Seconds from then.
    package var lifetime: Double
    /// Whether to ask each time: `no-cache`, or an answer that varies by a header that cannot be repeated.
    package var isAlwaysAsked = false
    /// Whether it must never be served stale.
    package var mustRevalidate = false
    /// Seconds after its lifetime during which it is served while the origin is asked; nil: the origin does not say.
    package var staleWhileRevalidate: Double?
    /// Seconds after its lifetime during which it is served when the origin fails; nil: the origin does not say.
    package var staleIfError: Double?

    /// The lifetime of a response without caching headers: an hour.
    package static let usual = Submission.usualTTL

    /// - Parameters:
    ///   - headers: with names in lower case.
    ///   - requestedAt: epoch seconds of the request; `receivedAt` of the arrival of its head.
    ///   - unkeyed: request headers, in lower case, that are not part of the key and may have other values the next time.
    package init(_ headers: [(name: String, value: String)], requestedAt: Double, receivedAt: Double, unkeyed: Set<String> = []) {
        func first(_ name: String) -> String? { headers.first { $0.name == name }?.value }
        let control = CacheControl(headers.filter { $0.name == "cache-control" }.map(\.value))
        let date = first("date").flatMap { HTTPDate.seconds($0) }.map { Double($0) } ?? receivedAt
        let age = CacheControl.seconds(inAge: first("age") ?? "")
        let initialAge = max(receivedAt - date, age + receivedAt - requestedAt, 0)
        bornAt = receivedAt - initialAge
        if let seconds = control.seconds("s-maxage") ?? control.seconds("max-age") {
            lifetime = seconds
        } else if let expires = first("expires") {
            // An invalid date, such as 0, is in the past.
            lifetime = max(0, (HTTPDate.seconds(expires).map { Double($0) } ?? date) - date)
        } else {
            // Counted from its arrival: the time that it spent in other caches is unknown.
            lifetime = Self.usual + initialAge
        }
        let isOldNoCache = !headers.contains { $0.name == "cache-control" } && first("pragma")?.lowercased().contains("no-cache") == true
        let varies = headers.filter { $0.name == "vary" }.flatMap { $0.value.split(separator: ",") }.map { $0.filter { !$0.isWhitespace }.lowercased() }
        isAlwaysAsked = control.has("no-cache") || isOldNoCache || varies.contains { $0 == "*" || unkeyed.contains($0) }
        mustRevalidate = control.has("must-revalidate") || control.has("proxy-revalidate") || control.has("s-maxage")
        staleWhileRevalidate = control.seconds("stale-while-revalidate")
        staleIfError = control.seconds("stale-if-error")
    }

    /// The freshness of content without an origin: fresh for `seconds`.
    package init(seconds: Double, from moment: Double) { (bornAt, lifetime) = (moment, seconds) }

    /// Limits the lifetime to the bounds of a rule, counted from a time (epoch seconds).
    package mutating func bound(by bounds: LifetimeBounds?, from moment: Double) {
        guard let bounds else { return }
        lifetime = bounds.nearest(to: bornAt + lifetime - moment) + moment - bornAt
    }

    /// The statuses of sources that are kept: complete ones.
    package static let keptStatus: Set<Int> = [200, 203]

    /// Returns whether results of a response, with any status, may be given to the next client.
    /// - Parameter isOnes: whether only the owner of the entry gets it: a request with `cache.scope`.
    package static func allowsSharing(_ headers: [(name: String, value: String)], isOnes: Bool) -> Bool {
        let control = CacheControl(headers.filter { $0.name == "cache-control" }.map(\.value))
        return !control.has("no-store") && (isOnes || !control.has("private"))
    }

    /// Returns whether the origin itself sets the lifetime.
    package static func isExplicit(_ headers: [(name: String, value: String)]) -> Bool {
        let control = CacheControl(headers.filter { $0.name == "cache-control" }.map(\.value))
        return control.has("s-maxage") || control.has("max-age") || headers.contains { $0.name == "expires" }
    }

    /// Returns the headers about caching, without those about the time of sending.
    package static func fields(of headers: [(name: String, value: String)]) -> [(name: String, value: String)] {
        headers.filter { ["cache-control", "expires", "pragma", "vary"].contains($0.name) }
    }

    /// Epoch seconds until which it is fresh; negative infinity if it never is.
    package var until: Double { isAlwaysAsked ? -.infinity : bornAt + lifetime }

    /// Returns the seconds for which it is still fresh at a time (epoch seconds); negative once it is stale.
    package func left(at now: Double) -> Double { until - now }

    /// Whether its origin allows serving it stale (RFC 9111 §4.2.4).
    var mayBeStale: Bool { !mustRevalidate && !isAlwaysAsked }

    /// Returns the limits for caches in front of this service.
    /// - Parameters:
    ///   - isPrivate: Whether an origin or a redirect forbids to share it.
    ///   - isUnkept: Whether one forbids to keep it.
    package func limits(isPrivate: Bool, isUnkept: Bool) -> CacheLimits {
        CacheLimits(
            isPrivate: isPrivate, isUnkept: isUnkept, staleWhileRevalidate: mustRevalidate ? 0 : staleWhileRevalidate,
            staleIfError: mustRevalidate ? 0 : staleIfError)
    }
}

extension Freshness {
    /// Stands for seconds that the origin does not name. Earlier versions allow nothing by it.
    private static let unsaid = -1.0

    package var json: JSON {
        [
            "bornAt": JSON(bornAt), "lifetime": JSON(lifetime), "alwaysAsked": .bool(isAlwaysAsked), "mustRevalidate": .bool(mustRevalidate),
            "staleWhileRevalidate": JSON(staleWhileRevalidate ?? Self.unsaid), "staleIfError": JSON(staleIfError ?? Self.unsaid),
        ]
    }

    /// Reads the value of `json`; nil for anything else.
    package init?(_ json: JSON?) {
        guard let bornAt = json?["bornAt"]?.double, let lifetime = json?["lifetime"]?.double, let isAlwaysAsked = json?["alwaysAsked"]?.bool,
            let mustRevalidate = json?["mustRevalidate"]?.bool, let whileAsked = json?["staleWhileRevalidate"]?.double,
            let onError = json?["staleIfError"]?.double
        else { return nil }
        (self.bornAt, self.lifetime, self.isAlwaysAsked, self.mustRevalidate) = (bornAt, lifetime, isAlwaysAsked, mustRevalidate)
        (staleWhileRevalidate, staleIfError) = (whileAsked >= 0 ? whileAsked : nil, onError >= 0 ? onError : nil)
    }
}
