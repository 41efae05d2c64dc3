package import TintypeCore
import TintypeTransport
package import TintypeImages
import TintypeQueue

/// Until when a response may be used without asking its origin, and what may be done with it then (RFC 9111 §4.2, RFC 5861). A pure value.
///
/// This cache is shared by all clients of the service; what they send along (headers, credentials, cookies) is part of a source's key, so
/// that an answer to one of them is never another's.
package struct Freshness: Sendable, Hashable {
    /// Epoch seconds when the origin made it, as far as can be told from Date, Age and the time it took to come.
    package var bornAt: Double
    /// Seconds from then.
    package var lifetime: Double
    /// It is asked for each time: `no-cache`, or an answer that varies by what nobody can repeat.
    package var isAlwaysAsked = false
    /// It is not served a moment too late, whatever happens.
    package var mustRevalidate = false
    /// Seconds beyond its lifetime during which it is served while it is being asked for.
    package var staleWhileRevalidate = 0.0
    /// Seconds beyond its lifetime during which it is served when the origin fails.
    package var staleIfError = 0.0

    /// How long what says nothing about itself is fresh: an hour.
    package static let usual = Submission.usualTTL

    /// - Parameters:
    ///   - headers: names in lower case.
    ///   - requestedAt: epoch seconds when it was asked for, `receivedAt` when its head came.
    ///   - unkeyed: request headers, in lower case, that are no part of the key and may have other values the next time.
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
            // What is no date, such as 0, is over.
            lifetime = max(0, (HTTPDate.seconds(expires).map { Double($0) } ?? date) - date)
        } else {
            // Counted from when it came: nobody knows how long it had lain about.
            lifetime = Self.usual + initialAge
        }
        let isOldNoCache = !headers.contains { $0.name == "cache-control" } && first("pragma")?.lowercased().contains("no-cache") == true
        let varies = headers.filter { $0.name == "vary" }.flatMap { $0.value.split(separator: ",") }.map { $0.filter { !$0.isWhitespace }.lowercased() }
        isAlwaysAsked = control.has("no-cache") || isOldNoCache || varies.contains { $0 == "*" || unkeyed.contains($0) }
        mustRevalidate = control.has("must-revalidate") || control.has("proxy-revalidate") || control.has("s-maxage")
        staleWhileRevalidate = control.seconds("stale-while-revalidate") ?? 0
        staleIfError = control.seconds("stale-if-error") ?? 0
    }

    /// Of what no origin has said anything about: fresh for so many seconds.
    package init(seconds: Double, from moment: Double) { (bornAt, lifetime) = (moment, seconds) }

    /// Within the bounds that a rule sets, counted from a moment (epoch seconds).
    package mutating func bound(by bounds: LifetimeBounds?, from moment: Double) {
        guard let bounds else { return }
        lifetime = bounds.nearest(to: bornAt + lifetime - moment) + moment - bornAt
    }

    /// What a source is kept with: the whole.
    package static let keptStatus: Set<Int> = [200, 203]

    /// Whether what is made of a response may be given to whoever asks next, whatever its status.
    /// - Parameter isOnes: whether only whoever owns the entry is given it: a request with `cache.scope`.
    package static func allowsSharing(_ headers: [(name: String, value: String)], isOnes: Bool) -> Bool {
        let control = CacheControl(headers.filter { $0.name == "cache-control" }.map(\.value))
        return !control.has("no-store") && (isOnes || !control.has("private"))
    }

    /// Whether the origin itself says how long it is fresh.
    package static func isExplicit(_ headers: [(name: String, value: String)]) -> Bool {
        let control = CacheControl(headers.filter { $0.name == "cache-control" }.map(\.value))
        return control.has("s-maxage") || control.has("max-age") || headers.contains { $0.name == "expires" }
    }

    /// The header fields that say how it may be kept, but for those that speak of the moment it was sent.
    package static func fields(of headers: [(name: String, value: String)]) -> [(name: String, value: String)] {
        headers.filter { ["cache-control", "expires", "pragma", "vary"].contains($0.name) }
    }

    /// Epoch seconds until which it is fresh; before all times if it never is.
    package var until: Double { isAlwaysAsked ? -.infinity : bornAt + lifetime }

    /// Seconds it is still fresh at a moment (epoch seconds); negative once it is not.
    package func left(at now: Double) -> Double { until - now }

    /// Whether its origin leaves room for serving it beyond its time (RFC 9111 §4.2.4).
    var mayBeStale: Bool { !mustRevalidate && !isAlwaysAsked }
}

extension Freshness {
    package var json: JSON {
        [
            "bornAt": JSON(bornAt), "lifetime": JSON(lifetime), "alwaysAsked": .bool(isAlwaysAsked), "mustRevalidate": .bool(mustRevalidate),
            "staleWhileRevalidate": JSON(staleWhileRevalidate), "staleIfError": JSON(staleIfError),
        ]
    }

    /// Reads what `json` wrote; nil if it is not that.
    package init?(_ json: JSON?) {
        guard let bornAt = json?["bornAt"]?.double, let lifetime = json?["lifetime"]?.double, let isAlwaysAsked = json?["alwaysAsked"]?.bool,
            let mustRevalidate = json?["mustRevalidate"]?.bool, let whileAsked = json?["staleWhileRevalidate"]?.double,
            let onError = json?["staleIfError"]?.double
        else { return nil }
        (self.bornAt, self.lifetime, self.isAlwaysAsked, self.mustRevalidate) = (bornAt, lifetime, isAlwaysAsked, mustRevalidate)
        (staleWhileRevalidate, staleIfError) = (whileAsked, onError)
    }
}
