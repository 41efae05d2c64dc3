import TintypeCore
package import TintypeTransport
package import TintypeImages

/// A source as it was kept: the bytes as they came, and what their response allows. A pure value.
package struct CachedSource: Sendable {
    package var info: SourceInfo
    package var contentType: String?
    package var bytes: [UInt8]
    package var freshness: Freshness
    /// Epoch seconds when it came, or was last found unchanged.
    package var storedAt: Double
    /// `cache.version` of the request that kept it.
    package var version: Int
    /// What its response said of keeping it: a 304 need not repeat it.
    package var fields: [(name: String, value: String)]
    /// Whether a redirect that led to it says that it is not for everybody.
    package var isBehindPrivate = false
    /// Whether no decoder took the bytes: no picture is made of them again.
    package var isSpoiled = false
    /// The Redis key of the fetch that brought the bytes; nil for what belongs to no fetch. Nothing is read of a fetch that was withdrawn.
    package var fetch: String?

    package init(
        info: SourceInfo, contentType: String?, bytes: [UInt8], freshness: Freshness, storedAt: Double, version: Int,
        fields: [(name: String, value: String)] = []
    ) {
        self.fields = fields
        (self.info, self.contentType, self.bytes) = (info, contentType, bytes)
        (self.freshness, self.storedAt, self.version) = (freshness, storedAt, version)
    }

    /// Whether it is not for everybody, as its origin says or whoever sent us there.
    package var isPrivate: Bool { isBehindPrivate || !Freshness.allowsSharing(fields, isOnes: false) }

    /// Seconds it may still be used without asking; `ttl` of a request counts in place of what the origin says.
    package func left(at now: Double, ttl: Double?) -> Double {
        isOfTheFuture(at: now) ? -1 : ttl.map { storedAt + $0 - now } ?? freshness.left(at: now)
    }

    /// Whether it may be served at a moment though its time is over (RFC 5861).
    /// - Parameters:
    ///   - ttl: of a request; beyond a time of its own the origin's word does not count, and its own may.
    ///   - said: seconds that the origin allows.
    ///   - wished: seconds that the request names in place of them.
    package func allowsStale(at now: Double, ttl: Double?, said: Double, wished: Double?) -> Bool {
        guard freshness.mayBeStale, let seconds = wished ?? (ttl == nil ? said : nil) else { return false }
        return left(at: now, ttl: ttl) > -seconds
    }

    /// Epoch seconds until which it may be used without asking, by what the origin says.
    package func freshUntil(at now: Double) -> Double { isOfTheFuture(at: now) ? -.infinity : freshness.until }

    /// Whether the clock was set back since, so that its age cannot be told: it counts as old.
    package func isOfTheFuture(at now: Double) -> Bool { storedAt > now + 60 }

    /// Headers by which the origin can tell whether it has changed; empty if it gave none.
    package var validators: [(name: String, value: String)] {
        [("If-None-Match", info.etag), ("If-Modified-Since", info.lastModified)].compactMap { name, value in
            value.flatMap { $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f } ? (name, $0) : nil }
        }
    }

    /// What it is after a 304: the bytes are the old ones, what the new head says counts, and of the old one what the new one leaves out
    /// (RFC 9111 §3.2, §4.3.4).
    /// - Parameters:
    ///   - hops: the redirects that led to the 304: of those before, nothing counts any more.
    ///   - unkeyed: as of `Freshness`.
    package func freshened(
        _ headers: [(name: String, value: String)], behind hops: [TransferHop] = [], requestedAt: Double, receivedAt: Double, unkeyed: Set<String> = []
    ) -> CachedSource {
        var renewed = self
        let said = Freshness.fields(of: headers)
        renewed.fields = fields.filter { old in !said.contains { $0.name == old.name } } + said
        // When it was sent is told by this answer alone.
        let moment = headers.filter { ["date", "age"].contains($0.name) }
        renewed.freshness = Freshness(
            renewed.fields + moment, behind: hops, requestedAt: requestedAt, receivedAt: receivedAt, unkeyed: unkeyed)
        renewed.isBehindPrivate = !Freshness.allowSharing(hops, isOnes: false)
        renewed.storedAt = receivedAt
        if let etag = headers.first(where: { $0.name == "etag" })?.value { renewed.info.etag = String(etag.prefix(1024)) }
        if let date = headers.first(where: { $0.name == "last-modified" })?.value { renewed.info.lastModified = String(date.prefix(128)) }
        return renewed
    }
}

extension CachedSource {
    /// Seconds that a source without validators is kept beyond its time, as results are beyond their index.
    private static let afterwards = 30.0

    /// Where the beginning of a source lies whose download broke off, beside the source itself.
    package static func beginning(of key: String) -> String { key + "-part" }
    /// Where it is counted how many workers have gone on with that beginning and not come back.
    package static func takers(of key: String) -> String { key + "-taken" }

    /// - Parameters:
    ///   - ttl: of the request that keeps it.
    ///   - longest: seconds it is kept for the next 304 when it is stale.
    ///   - stale: seconds beyond its time for which that request may be given it.
    package func stored(as key: String, ttl: Double?, longest: Double, stale: Double = 0) -> StoredImage {
        let beyond = max(freshness.staleIfError, freshness.staleWhileRevalidate, freshness.mayBeStale ? stale : 0)
        let fresh = max(0, ttl ?? freshness.left(at: storedAt)) + beyond
        // Without validators it is worth nothing once it may not be served, but to say that it is too old.
        let lifetime = !validators.isEmpty ? max(fresh, longest) : fresh > 0 ? fresh + Self.afterwards : 0
        var facts: JSONObject = [
            "freshness": freshness.json, "version": JSON(version), "contentType": contentType.map { .string($0) } ?? .null,
            "fields": .array(fields.map { [.string($0.name), .string($0.value)] }), "behindPrivate": .bool(isBehindPrivate),
        ]
        if isSpoiled { facts["spoiled"] = true }
        facts["fetch"] = fetch.map { .string($0) }
        return StoredImage(
            key: key, contentType: contentType ?? "application/octet-stream", info: .object(facts), source: info.json, bytes: bytes, sha256: info.sha256,
            storedAt: storedAt,
            expiresAt: storedAt + lifetime)
    }

    /// nil when it was not written by `stored`.
    package init?(_ stored: StoredImage) {
        guard let freshness = Freshness(stored.info["freshness"]), let version = stored.info["version"]?.int, let url = stored.source["url"]?.string,
            let finalURL = stored.source["finalURL"]?.string
        else { return nil }
        var info = SourceInfo(url: url, finalURL: finalURL, status: stored.source["status"]?.int, bytes: stored.bytes.count)
        info.etag = stored.source["etag"]?.string
        info.lastModified = stored.source["lastModified"]?.string
        info.sha256 = stored.source["sha256"]?.string
        self.init(
            info: info, contentType: stored.info["contentType"]?.string, bytes: stored.bytes, freshness: freshness, storedAt: stored.storedAt,
            version: version,
            fields: (stored.info["fields"]?.array ?? []).map { (name: $0[0]?.string ?? "", value: $0[1]?.string ?? "") })
        isBehindPrivate = stored.info["behindPrivate"]?.bool ?? false
        (isSpoiled, fetch) = (stored.info["spoiled"]?.bool ?? false, stored.info["fetch"]?.string)
    }
}
