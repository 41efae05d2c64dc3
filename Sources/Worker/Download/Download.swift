import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeStores

/// One exchange with the origin of a source. It brings the whole body, the part after a kept beginning, or nothing because the source is unchanged.
/// Lives on the loop.
@Loop final class Download {
    struct Outcome {
        let head: TransferHead
        let loaded: LoadedSource
        /// Whether the origin confirmed that the kept source is current.
        var isUnchanged: Bool { head.status == 304 }
        /// Epoch seconds, as the next one.
        let requestedAt: Double
        let receivedAt: Double
    }

    let request: TransferRequest
    let source: Source
    private let address: SourceAddress
    private let partial: PartialSource?
    private let collector: SourceCollector
    private let requestedAt = WallClock.now
    private var receivedAt: Double?
    private var head: TransferHead?
    /// The offset of a resumed download, once the origin has agreed to continue from there.
    private(set) var resumedFrom: Int64?
    /// The bytes that have to be there for the next checkpoint, in case this worker dies. The number doubles each time, so that all writes
    /// together are shorter than twice the body.
    private var nextCheckpoint = 1 << 20
    /// The earliest time of the next checkpoint. Bytes that come within a second are not worth a write.
    private var nextCheckpointAt = ContinuousClock.now + checkpointInterval
    private static let checkpointInterval = Duration.seconds(1)
    private(set) var hasCheckpoint = false

    /// - Parameters:
    ///   - entry: the cached source to revalidate; nil to ask for the whole source.
    ///   - partial: the kept beginning to resume from.
    ///   - asPicture: whether a picture is made from the source.
    /// - Throws: `tls` for an unknown TLS profile; `forbidden` for a profile that is not for this host.
    init(
        _ source: Source, at address: SourceAddress, accepting acceptance: Acceptance, _ policy: DownloadPolicy, entry: CachedSource?,
        partial: PartialSource?, asPicture: Bool
    ) throws(TintypeError) {
        (self.source, self.address, self.partial) = (source, address, partial)
        var request = TransferRequest(address, source.fetch, accepting: acceptance, asPicture: asPicture)
        request.tls.authorities = policy.authorities
        if address.isTLS, let name = source.fetch.tlsProfile { request.tlsOfHost = try policy.profiles.choice(name, for: address.url) }
        request.lowestRate = policy.lowestRate
        request.conditions = entry?.validators ?? []
        request.subject = partial?.finalURL ?? entry?.info.finalURL
        if let partial {
            request.resume = TransferRequest.Resume(
                offset: Int64(partial.bytes.count), validator: partial.validator, total: partial.total, headers: partial.headers)
        }
        policy.buckets.direct(&request, to: address)
        self.request = request
        collector = SourceCollector(source.fetch.decrypt == nil ? source.extent : .whole, start: partial?.bytes ?? [])
    }

    func begin(_ answer: TransferHead) {
        let head = answer.seen(at: address)
        (self.head, receivedAt) = (head, WallClock.now)
        if let offset = head.resumedFrom {
            resumedFrom = offset
        } else {
            collector.startOver()
        }
        collector.expect(head.expectedBytes)
    }

    /// - Returns: false once enough is known.
    func append(_ part: UnsafeRawBufferPointer) -> Bool { collector.append(part) }

    /// Shows the received bytes to an observer. Before the head nobody knows whether a kept beginning still counts.
    func show(to observer: any DownloadObserver) {
        if let head { observer.grew(collector.bytes, expected: head.expectedBytes) }
    }

    /// Returns the received beginning, if it is worth keeping and may be kept. The rules for keeping the whole hold for the beginning too.
    func partialSource() -> PartialSource? {
        guard let head else { return partial }
        // A rule may have refused the response for its length.
        guard source.fetch.revision?.length == nil else { return nil }
        guard head.allowsSharing(isOnes: source.scope != nil) else { return nil }
        return PartialSource(head, of: address, bytes: collector.bytes)
    }

    /// The same for a checkpoint; nil if none is due.
    func checkpoint() -> PartialSource? {
        guard collector.bytes.count >= nextCheckpoint, case let now = ContinuousClock.now, now >= nextCheckpointAt else { return nil }
        nextCheckpointAt = now + Self.checkpointInterval
        nextCheckpoint = collector.bytes.count * 2
        guard let partial = partialSource() else { return nil }
        hasCheckpoint = true
        return partial
    }

    func end(_ summary: TransferSummary) -> Outcome {
        let head = summary.head.seen(at: address)
        var info = SourceInfo(
            url: address.shown, finalURL: UnsignedURL(head.url).description, status: head.status,
            bytes: Int(head.expectedBytes ?? summary.receivedBytes))
        if summary.isWhole { info.bytes = Int(summary.receivedBytes) }
        info.etag = head.header("etag").map { String($0.prefix(1024)) }
        info.lastModified = head.header("last-modified").map { String($0.prefix(128)) }
        info.sha256 = collector.sha256()
        let loaded = LoadedSource(
            info: info, bytes: collector.bytes, contentType: head.header("content-type"), timings: summary.timings, head: head,
            hadCredentials: source.fetch.credentials != nil || TransferURL(address.url)?.user != nil, header: collector.header)
        return Outcome(head: head, loaded: loaded, requestedAt: requestedAt, receivedAt: receivedAt ?? requestedAt)
    }
}

extension SourceAddress {
    /// The URL as results name it: without user, password and signature.
    var shown: String { UnsignedURL(TransferURL(url)?.text ?? url).description }
}

extension CachedSource {
    /// Whether the entry came from this address. Validators of one mirror mean nothing to another.
    func isFrom(_ address: SourceAddress) -> Bool { info.url == address.shown }
}

extension TransferRequest {
    /// The `Accept` header if a picture is made and the request names no header. Without it curl sends `*/*`.
    private static let pictures = "image/*,*/*;q=0.8"

    /// Makes the request that fetches a source from one of its addresses.
    init(_ address: SourceAddress, _ fetch: FetchOptions, accepting acceptance: Acceptance, asPicture: Bool) {
        self.init(url: address.url)
        method = fetch.method
        headers = fetch.headers.map { ($0.name, $0.value) }
        (omittedHeaders, revision) = (fetch.omittedHeaders, fetch.revision)
        let named = Set(headers.map { $0.name.lowercased() }).union(omittedHeaders)
        if asPicture, !named.contains("accept") { headers.append(("Accept", Self.pictures)) }
        if let content = fetch.content {
            body = content.bytes
            if !named.contains("content-type") { headers.append(("Content-Type", content.contentType)) }
        }
        switch fetch.credentials {
        case .basic(let user, let password): credentials = .basic(user: user, password: password)
        case .digest(let user, let password): credentials = .digest(user: user, password: password)
        case .bearer(let token): credentials = .bearer(token)
        case nil: break
        }
        timeouts = TransferTimeouts(
            connect: .seconds(bounded: fetch.timeouts.connect), idle: .seconds(bounded: fetch.timeouts.idle), total: .seconds(bounded: fetch.timeouts.total))
        maxRedirects = fetch.maxRedirects
        sameHostRedirects = fetch.sameHostRedirects
        tls.pinnedPublicKeys = fetch.pinnedPublicKeys
        tls.allowInvalid = fetch.allowsInvalidTLS
        maxBytes = Int64(acceptance.maxBytes)
        acceptableStatus = acceptance.status
        acceptableTypes = acceptance.types
    }
}
