package import TintypeCore

/// How a worker may use the caches for a request. Travels with the fetch; no part of the source's key. A pure value.
package struct CacheUse: Sendable, Hashable {
    package enum Mode: String, Sendable, CaseIterable {
        /// Serves a fresh entry and revalidates a stale one.
        case normal
        /// Reads nothing.
        case reload
        /// Always asks the origin.
        case revalidate
        /// Never asks the origin.
        case only
    }

    package var mode = Mode.normal
    package var reads = true
    /// The value of the first request. Requests that joined may want the source kept (`ClaimedFetch.keepsSource`).
    package var writes = true
    /// Seconds from storing for which the source is fresh, in place of what the origin says. Negative: not kept.
    package var ttl: Double?
    /// Entries of another version are not used.
    package var version = 0
    /// Seconds for which a stale entry may be served if the origin fails, in place of what the origin says. nil: as the origin says.
    package var staleIfError: Double?
    /// Seconds for which a stale entry may be served while the origin is asked. nil: as the origin says.
    package var staleWhileRevalidate: Double?
    /// Whether the request ends only after the result is stored.
    package var awaits = true
    /// An entry that does not meet the requirement counts as missing.
    package var requirement: Requirement?
    /// The error in place of a request to the origin: the source is blacklisted.
    package var refusal: JSON?

    package init() {}

    /// The JSON that travels with the fetch; nil when everything has its default.
    package var canonical: JSON? {
        let object = JSONObject(present: [
            "mode": .when(mode != .normal, .string(mode.rawValue)), "read": .when(!reads, false), "write": .when(!writes, false),
            "ttl": ttl.map { JSON($0) }, "version": .when(version != 0, JSON(version)), "await": .when(!awaits, false),
            "staleIfError": staleIfError.map { JSON($0) }, "staleWhileRevalidate": staleWhileRevalidate.map { JSON($0) },
            "require": requirement.map { .object($0.canonical) }, "refusal": refusal,
        ])
        return object.isEmpty ? nil : .object(object)
    }

    /// Reads what `canonical` wrote.
    package init(canonical json: JSON?) {
        mode = json?["mode"]?.string.flatMap { Mode(rawValue: $0) } ?? .normal
        reads = json?["read"]?.bool ?? true
        writes = json?["write"]?.bool ?? true
        ttl = json?["ttl"]?.double
        version = json?["version"]?.int ?? 0
        awaits = json?["await"]?.bool ?? true
        (staleIfError, staleWhileRevalidate) = (json?["staleIfError"]?.double, json?["staleWhileRevalidate"]?.double)
        requirement = Requirement(json?["require"])
        refusal = json?["refusal"]
    }

    /// The longest time for which the request lets stale entries be served, in seconds.
    package var maxStale: Double { max(staleIfError ?? 0, staleWhileRevalidate ?? 0) }

    /// The difference that keeps fetches of one source apart. If they were joined, a request could get a result that it does not accept, or get it too early.
    /// It is nil with defaults. Tiers to write are merged, and a reload or revalidation never joins a started fetch (`submit.lua`).
    package var distinction: String? {
        var words: [String] = []
        if mode == .only { words.append("only") }
        if !reads, mode != .reload { words.append("unread") }
        if let ttl { words.append("ttl\(JSON(ttl).text)") }
        if version != 0 { words.append("v\(version)") }
        if !awaits { words.append("early") }
        if let staleIfError { words.append("sie\(JSON(staleIfError).text)") }
        if let staleWhileRevalidate { words.append("swr\(JSON(staleWhileRevalidate).text)") }
        if let requirement { words.append("req" + Digest.sha256Hex(JSON.object(requirement.canonical).canonicalBytes(), digits: 16)) }
        return words.isEmpty ? nil : words.joined(separator: "-")
    }
}

/// Tags of results (`cache.tags`): names by which a client purges what belongs together, such as all pictures of one product.
package enum CacheTag {
    /// The most tags of one request.
    package static let most = 8
    /// The longest tag in bytes.
    package static let longest = 128

    /// Whether a text may be a tag: letters that a header field, a key in Redis and a command line take as they are.
    package static func isTag(_ text: String) -> Bool {
        (1...longest).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x2d...0x3a).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte) || byte == 0x5f || byte == 0x7e
            }
    }

    package static let type = ParameterType.pattern(expectation: "a tag: 1 to \(longest) of [A-Za-z0-9._~:/-]") { isTag($0) }

    /// Returns the word for a tag of one scope, as scripts get it. Tags of different scopes have nothing in common.
    /// - Parameter scope: the hash of the scope (`Source.scope`).
    package static func word(_ tag: String, scope: String?) -> String { scope.map { "\(tag)@\($0)" } ?? tag }
}

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
