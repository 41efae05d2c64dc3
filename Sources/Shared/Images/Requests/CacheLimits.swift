import TintypeCore

/// The words of origins that limit the caches between the service and its clients (RFC 9111 §5.2.2, RFC 5861). A pure value.
package struct CacheLimits: Sendable, Hashable {
    /// Whether only the client itself may keep the result.
    package var isPrivate = false
    /// Whether nobody may keep it.
    package var isUnkept = false
    /// The most seconds for which a stale result may be shown while a new one is asked for; nil: no origin names any.
    package var staleWhileRevalidate: Double?
    /// The most seconds for which a stale result may be shown while the service fails; nil: no origin names any.
    package var staleIfError: Double?

    package init(isPrivate: Bool = false, isUnkept: Bool = false, staleWhileRevalidate: Double? = nil, staleIfError: Double? = nil) {
        (self.isPrivate, self.isUnkept) = (isPrivate, isUnkept)
        (self.staleWhileRevalidate, self.staleIfError) = (staleWhileRevalidate, staleIfError)
    }

    /// Reads the members of a rendition's JSON.
    init(_ object: JSONObject) {
        self.init(
            isPrivate: object["private"]?.bool == true, isUnkept: object["noStore"]?.bool == true,
            staleWhileRevalidate: object["staleWhileRevalidate"]?.double, staleIfError: object["staleIfError"]?.double)
    }

    /// Writes the members that `init` reads.
    func add(to object: inout JSONObject) {
        if isPrivate { object["private"] = true }
        if isUnkept { object["noStore"] = true }
        object["staleWhileRevalidate"] = staleWhileRevalidate.map { JSON($0) }
        object["staleIfError"] = staleIfError.map { JSON($0) }
    }

    /// Returns the limits of a result that is made of two sources.
    package func joined(_ other: CacheLimits) -> CacheLimits {
        func least(_ one: Double?, _ two: Double?) -> Double? { [one, two].compactMap { $0 }.min() }
        return CacheLimits(
            isPrivate: isPrivate || other.isPrivate, isUnkept: isUnkept || other.isUnkept,
            staleWhileRevalidate: least(staleWhileRevalidate, other.staleWhileRevalidate), staleIfError: least(staleIfError, other.staleIfError))
    }
}
