package import TintypeCore

/// What a request allows a worker to do with the caches. Travels with the fetch; no part of the source's key. A pure value.
package struct CacheUse: Sendable, Hashable {
    package enum Mode: String, Sendable, CaseIterable {
        /// What is fresh is served, what is stale asked for.
        case normal
        /// Nothing is read.
        case reload
        /// The origin is asked, whatever is there.
        case revalidate
        /// The origin is not asked, whatever is missing.
        case only
    }

    package var mode = Mode.normal
    package var reads = true
    /// What the first who asked said; others who joined may have wished for it (`ClaimedFetch.keepsSource`).
    package var writes = true
    /// Seconds from storing during which it is fresh, in place of what the origin says; negative: not kept.
    package var ttl: Double?
    /// What was kept under another version is not used.
    package var version = 0
    /// Seconds beyond its time during which what is kept is served when the origin fails, in place of what that says; nil: as it says.
    package var staleIfError: Double?
    /// The same while the origin is asked anew.
    package var staleWhileRevalidate: Double?
    /// Whether the result is told only once the store has it.
    package var awaits = true
    /// What is kept and is not so counts as not kept.
    package var requirement: Requirement?
    /// What it ends with where the network would be asked: its source is on the blacklist.
    package var refusal: JSON?

    package init() {}

    /// As it travels; nil when everything is as usual.
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

    /// The longest that what is kept for it may be served beyond its time by the request's own word.
    package var longestStale: Double { max(staleIfError ?? 0, staleWhileRevalidate ?? 0) }

    /// What keeps fetches apart that are of one source: who joined another's would be given what it does not take, or before it may.
    /// nil when all is as usual. What is written is added up, and what is to be asked anew joins nothing that has begun (`submit.lua`).
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
