import TintypeCore
package import TintypeTransport
package import TintypeImages

/// A source in the cache: its bytes as downloaded, and the permissions of its response. A pure value.
package struct CachedSource: Sendable {
    package var info: SourceInfo
    package var contentType: String?
    package var bytes: [UInt8]
    package var freshness: Freshness
    /// Epoch seconds of its arrival, or of the last check that found it unchanged.
    package var storedAt: Double
    /// `cache.version` of the request that kept it.
    package var version: Int
    /// The headers of its response about caching. A 304 need not repeat them.
    package var fields: [(name: String, value: String)]
    /// Whether a redirect that led to it marks it as private.
    package var isBehindPrivate = false
    /// Whether no decoder accepted the bytes. No picture is made of them again.
    package var isSpoiled = false
    /// The Redis key of the fetch that brought the bytes; nil if they belong to no fetch. The source of a withdrawn fetch is never read.
    package var fetch: String?
    /// When the run began that brought or checked the bytes, in epoch ms of Redis; 0 if unknown. A later purge of the URL ends the entry.
    package var since: Int64 = 0

    package init(
        info: SourceInfo, contentType: String?, bytes: [UInt8], freshness: Freshness, storedAt: Double, version: Int,
        fields: [(name: String, value: String)] = []
    ) {
        self.fields = fields
        (self.info, self.contentType, self.bytes) = (info, contentType, bytes)
        (self.freshness, self.storedAt, self.version) = (freshness, storedAt, version)
    }

    /// Whether it is private, by its origin or a redirect that led to it.
    package var isPrivate: Bool { isBehindPrivate || !Freshness.allowsSharing(fields, isOnes: false) }

    /// The limits for caches in front of this service.
    package var limits: CacheLimits { freshness.limits(isPrivate: isPrivate, isUnkept: !Freshness.allowsSharing(fields, isOnes: true)) }

    /// Returns the seconds for which it may still be used without asking. `ttl` of a request replaces the origin's lifetime.
    package func left(at now: Double, ttl: Double?) -> Double {
        isOfTheFuture(at: now) ? -1 : ttl.map { storedAt + $0 - now } ?? freshness.left(at: now)
    }

    /// Returns whether it may be served at a time although it is stale (RFC 5861).
    /// - Parameters:
    ///   - ttl: the lifetime of a request, if it sets one. The origin's seconds do not count then, but the request's may.
    ///   - said: seconds that the origin allows; nil: none.
    ///   - wished: seconds that the request names in place of them.
    package func allowsStale(at now: Double, ttl: Double?, said: Double?, wished: Double?) -> Bool {
        guard freshness.mayBeStale, let seconds = wished ?? (ttl == nil ? said : nil) else { return false }
        return left(at: now, ttl: ttl) > -seconds
    }

    /// Returns the epoch seconds until which it may be used without asking, by the origin's headers.
    package func freshUntil(at now: Double) -> Double { isOfTheFuture(at: now) ? -.infinity : freshness.until }

    /// Returns whether the clock was set back since, so that its age is unknown. It counts as old then.
    package func isOfTheFuture(at now: Double) -> Bool { storedAt > now + 60 }

    /// Headers by which the origin can tell whether it has changed; empty if it gave none.
    package var validators: [(name: String, value: String)] {
        [("If-None-Match", info.etag), ("If-Modified-Since", info.lastModified)].compactMap { name, value in
            value.flatMap { $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f } ? (name, $0) : nil }
        }
    }

    /// Returns the source after a 304. The bytes stay, the new headers count, and old headers that the new ones do not replace are kept (RFC 9111 §3.2,
    /// §4.3.4).
    /// - Parameters:
    ///   - hops: the redirects that led to the 304. They replace the earlier ones.
    ///   - unkeyed: as in `Freshness`.
    package func freshened(
        _ headers: [(name: String, value: String)], behind hops: [TransferHop] = [], requestedAt: Double, receivedAt: Double, unkeyed: Set<String> = []
    ) -> CachedSource {
        var renewed = self
        let said = Freshness.fields(of: headers)
        renewed.fields = fields.filter { old in !said.contains { $0.name == old.name } } + said
        // Only this answer contains the time at which it was sent.
        let moment = headers.filter { ["date", "age"].contains($0.name) }
        renewed.freshness = Freshness(renewed.fields + moment, behind: hops, requestedAt: requestedAt, receivedAt: receivedAt, unkeyed: unkeyed)
        renewed.isBehindPrivate = !Freshness.allowSharing(hops, isOnes: false)
        renewed.storedAt = receivedAt
        if let etag = headers.first(where: { $0.name == "etag" })?.value { renewed.info.etag = String(etag.prefix(1024)) }
        if let date = headers.first(where: { $0.name == "last-modified" })?.value { renewed.info.lastModified = String(date.prefix(128)) }
        return renewed
    }
}

extension CachedSource {
    /// Seconds for which a source without validators is kept after it is stale, as results are kept longer than their index.
    private static let afterwards = 30.0

    /// Returns the key for the beginning of a source whose download was interrupted, beside the source itself.
    package static func beginning(of key: String) -> String { key + "-part" }
    /// Returns the key for the number of workers that have resumed that beginning and have not come back.
    package static func takers(of key: String) -> String { key + "-taken" }

    /// Returns the image to store.
    /// - Parameters:
    ///   - ttl: of the request that keeps the source.
    ///   - longest: seconds for which a stale source is kept for the next 304.
    ///   - stale: seconds for which that request may get the stale source.
    package func stored(as key: String, ttl: Double?, longest: Double, stale: Double = 0) -> StoredImage {
        let beyond = max(freshness.staleIfError ?? 0, freshness.staleWhileRevalidate ?? 0, freshness.mayBeStale ? stale : 0)
        let fresh = max(0, ttl ?? freshness.left(at: storedAt)) + beyond
        // Without validators a source that may not be served is useless, except to show that it is too old.
        let lifetime = !validators.isEmpty ? max(fresh, longest) : fresh > 0 ? fresh + Self.afterwards : 0
        var facts: JSONObject = [
            "freshness": freshness.json, "version": JSON(version), "contentType": contentType.map { .string($0) } ?? .null,
            "fields": .array(fields.map { [.string($0.name), .string($0.value)] }), "behindPrivate": .bool(isBehindPrivate),
        ]
        if isSpoiled { facts["spoiled"] = true }
        facts["fetch"] = fetch.map { .string($0) }
        facts["since"] = since > 0 ? .int(since) : nil
        return StoredImage(
            key: key, contentType: contentType ?? "application/octet-stream", info: .object(facts), source: info.json, bytes: bytes, sha256: info.sha256,
            storedAt: storedAt,
            expiresAt: storedAt + lifetime)
    }

    /// nil for an image that `stored` has not written.
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
        since = stored.info["since"]?.int.flatMap { Int64(exactly: $0) } ?? 0
    }
}
