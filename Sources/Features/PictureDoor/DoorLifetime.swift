import Coordinator
import TintypeImages

/// For how long caches may keep an answer of the picture door (RFC 9111, RFC 5861). Pure.
struct DoorLifetime: Sendable, Hashable {
    /// Seconds for which a picture is fresh if nothing limits its time.
    static let usual = 3600.0
    /// The most seconds for which a picture is fresh.
    static let most = 86_400.0
    /// The most seconds for which a cache may show a stale picture while it asks for a new one.
    static let whileRevalidating = 3600.0
    /// The most seconds for which a cache may show a stale picture while this service fails.
    static let ifError = 86_400.0
    /// Seconds for which a fallback is fresh: the picture that it stands for may be there soon.
    static let fallback = 60.0
    /// Seconds for which a quick picture is fresh: the better one may be there soon.
    static let quick = 10.0

    private let limits: CacheLimits
    /// Whole seconds.
    var fresh: Int
    var whileRevalidating = 0
    var ifError = 0

    /// The lifetime of a picture.
    /// - Parameters:
    ///   - limits: The limits of the picture's origins.
    ///   - end: The end of the fresh time in seconds since 1970; nil if nothing limits it.
    ///   - most: The most seconds for which it is fresh, if a better picture may follow; nil: none does.
    ///   - expires: The second since 1970 from which on the URL is refused; nil: never. No cache may show the picture after it.
    init(_ limits: CacheLimits, end: Double?, expires: Int?, isFallback: Bool = false, most: Double? = nil, now: Double) {
        let left = max(0, expires.map { Double($0) - now } ?? .infinity)
        let given = end.map { $0 - now } ?? Self.usual
        let fresh = max(0, min(given, Self.most, isFallback ? Self.fallback : .infinity, most ?? .infinity, left))
        self.limits = limits
        self.fresh = Int(fresh)
        // A picture that must be asked for each time is not to be shown stale, and a fallback is not the picture.
        guard self.fresh > 0, !isFallback else { return }
        // Revalidation is what brings the better picture, so no cache shows the quick one meanwhile.
        if most == nil { whileRevalidating = Int(min(Self.whileRevalidating, limits.staleWhileRevalidate ?? .infinity, left - fresh)) }
        ifError = Int(min(Self.ifError, limits.staleIfError ?? .infinity, left - fresh))
    }

    /// The value of `Cache-Control`.
    var control: String {
        if limits.isUnkept { return "no-store" }
        var words = [limits.isPrivate ? "private" : "public", fresh > 0 ? "max-age=\(fresh)" : "no-cache"]
        if whileRevalidating > 0 { words.append("stale-while-revalidate=\(whileRevalidating)") }
        if ifError > 0 { words.append("stale-if-error=\(ifError)") }
        return words.joined(separator: ", ")
    }
}
