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
        var object = JSONObject()
        if mode != .normal { object["mode"] = .string(mode.rawValue) }
        if !reads { object["read"] = false }
        if !writes { object["write"] = false }
        if let ttl { object["ttl"] = JSON(ttl) }
        if version != 0 { object["version"] = JSON(version) }
        if !awaits { object["await"] = false }
        object["staleIfError"] = staleIfError.map { JSON($0) }
        object["staleWhileRevalidate"] = staleWhileRevalidate.map { JSON($0) }
        object["require"] = requirement.map { .object($0.canonical) }
        object["refusal"] = refusal
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
