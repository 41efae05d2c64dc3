package import Shared

/// Brings the bytes of a source into the worker: over HTTP, out of a `data:` URL or a file, decrypted. Lives on the loop.
@Loop package final class SourceLoader {
    private let transfers: TransferPool
    private let metrics: Metrics
    private let policy: DownloadPolicy
    private let jars: CookieJars
    private let files: BlockingPool

    /// - Parameter files: where files are read.
    package init(transfers: TransferPool, metrics: Metrics, policy: DownloadPolicy = DownloadPolicy(), jars: CookieJars, files: BlockingPool) {
        (self.transfers, self.metrics, self.policy, self.jars, self.files) = (transfers, metrics, policy, jars, files)
    }

    /// How many downloads are under way.
    package var inFlight: Int { transfers.count }

    /// Loads a source whole or, for a probe, as far as its header. Cancelling the task ends the download at once.
    /// - Parameters:
    ///   - acceptance: what the most generous of those who want it takes.
    ///   - share: where the bytes are counted; the download pauses when there is no room.
    ///   - reporter: hears of the response and of progress.
    /// - Throws: the errors of `TransferPool.run`, `invalidURL` and `limitExceeded`; all of phase download.
    package func load(
        _ source: Source, accepting acceptance: Acceptance, share: ByteBudget.Share, reporter: FetchReporter
    ) async throws(TintypeError) -> LoadedSource {
        share.beginDownload()
        defer { share.endDownload() }
        var failures = MirrorFailures()
        for address in source.addresses {
            do throws(TintypeError) {
                return try await load(address, source, acceptance, share, reporter)
            } catch {
                guard error.name != .cancelled else { throw error }
                failures.add(error, of: address)
                share.giveBack()
            }
        }
        throw failures.error
    }

    private func load(
        _ address: SourceAddress, _ source: Source, _ acceptance: Acceptance, _ share: ByteBudget.Share, _ reporter: FetchReporter
    ) async throws(TintypeError) -> LoadedSource {
        switch address.kind {
        case .data:
            let data = try DataURL(address.url)
            return try hold(data.bytes, type: data.mediaType, address, source.fetch, acceptance, share, reporter)
        case .file(let path):
            return try hold(try await read(path, acceptance), type: nil, address, source.fetch, acceptance, share, reporter)
        case .http: break
        }
        do throws(TintypeError) {
            let loaded = try await download(address, source, acceptance, share, reporter)
            metrics.add(.downloads, labels: "succeeded")
            metrics.observe(.downloadSeconds, loaded.timings.total)
            return loaded
        } catch {
            metrics.add(.downloads, labels: error.name == .cancelled ? "cancelled" : "failed")
            throw error
        }
    }

    private func read(_ path: String, _ acceptance: Acceptance) async throws(TintypeError) -> [UInt8] {
        guard let root = policy.fileRoot else { throw RootedFile.refusal("this worker has no --file-root") }
        do {
            return try await files.run { try RootedFile.read(path, below: root, atMost: acceptance.maxBytes) }
        } catch {
            throw error as? TintypeError ?? TintypeError(.cancelled, .download, "the worker stops")
        }
    }

    /// Takes bytes that came without a server.
    private func hold(
        _ bytes: [UInt8], type: String?, _ address: SourceAddress, _ fetch: FetchOptions, _ acceptance: Acceptance, _ share: ByteBudget.Share,
        _ reporter: FetchReporter
    ) throws(TintypeError) -> LoadedSource {
        let shown = RedactedURL(address.url).description
        if let refusal = acceptance.refusal(of: bytes, head: nil, type: type, url: shown, hadCredentials: false) { throw refusal }
        let bytes = try fetch.decrypt.map { name throws(TintypeError) in try policy.keys.decrypt(bytes, name) } ?? bytes
        share.add(bytes.count)
        reporter.download(received: Int64(bytes.count), expected: Int64(bytes.count))
        var info = SourceInfo(url: shown, finalURL: shown, status: nil, bytes: bytes.count)
        info.sha256 = Digest.sha256Hex(bytes)
        return LoadedSource(info: info, bytes: bytes, contentType: type, timings: TransferTimings())
    }

    private func download(
        _ address: SourceAddress, _ source: Source, _ acceptance: Acceptance, _ share: ByteBudget.Share, _ reporter: FetchReporter
    ) async throws(TintypeError) -> LoadedSource {
        try policy.check(source.fetch)
        var request = TransferRequest(address, source.fetch, accepting: acceptance)
        request.tls.authorities = policy.authorities
        let collector = SourceCollector(isProbe: source.isProbe && source.fetch.decrypt == nil)
        let summary = try await withCookies(of: source.fetch.cookies) { [transfers, metrics] cookies async throws(TintypeError) in
            try await transfers.run(
                request, gate: share.gate, cookies: cookies,
                onHead: { head in
                    collector.expect(head.expectedBytes)
                    reporter.response(head)
                },
                onBytes: { part, received, expected in
                    guard share.take(part.count) else { return .pause }
                    metrics.add(.downloadBytes, Double(part.count))
                    reporter.download(received: received, expected: expected)
                    return collector.append(part) ? .proceed : .stop
                })
        }
        var info = SourceInfo(
            url: TransferURL(address.url)?.text ?? RedactedURL(address.url).description, finalURL: summary.head.url,
            status: summary.head.status, bytes: Int(summary.head.expectedBytes ?? summary.receivedBytes))
        if summary.isWhole { info.bytes = Int(summary.receivedBytes) }
        info.etag = summary.head.header("etag").map { String($0.prefix(1024)) }
        info.lastModified = summary.head.header("last-modified").map { String($0.prefix(128)) }
        info.sha256 = collector.sha256()
        var bytes = collector.bytes
        if let name = source.fetch.decrypt {
            bytes = try policy.keys.decrypt(bytes, name)
            (info.bytes, info.sha256) = (bytes.count, Digest.sha256Hex(bytes))
        }
        return LoadedSource(
            info: info, bytes: bytes, contentType: summary.head.header("content-type"), timings: summary.timings,
            head: summary.head, hadCredentials: source.fetch.credentials != nil || TransferURL(address.url)?.user != nil, header: collector.header)
    }
}

extension SourceLoader {
    /// Makes a transfer with the cookies of a jar, and keeps what it has changed.
    private func withCookies<T>(
        of jar: String?, _ transfer: @Loop (TransferCookies?) async throws(TintypeError) -> T
    ) async throws(TintypeError) -> T {
        guard let jar else { return try await transfer(nil) }
        let before = try await jars.read(jar)
        let cookies = TransferCookies(lines: Array(before.values))
        do throws(TintypeError) {
            let result = try await transfer(cookies)
            await jars.write(jar, from: before, to: cookies.lines)
            return result
        } catch {
            await jars.write(jar, from: before, to: cookies.lines)
            throw error
        }
    }
}

extension TransferRequest {
    /// The request that fetches a source from one of its addresses.
    init(_ address: SourceAddress, _ fetch: FetchOptions, accepting acceptance: Acceptance) {
        self.init(url: address.url)
        method = fetch.method
        headers = fetch.headers.map { ($0.name, $0.value) }
        if let content = fetch.body {
            body = content.bytes
            if !headers.contains(where: { $0.name.lowercased() == "content-type" }) { headers.append(("Content-Type", content.contentType)) }
        }
        switch fetch.credentials {
        case .basic(let user, let password): credentials = .basic(user: user, password: password)
        case .digest(let user, let password): credentials = .digest(user: user, password: password)
        case .bearer(let token): credentials = .bearer(token)
        case nil: break
        }
        timeouts = TransferTimeouts(
            connect: .seconds(fetch.timeouts.connect), idle: .seconds(fetch.timeouts.idle), total: .seconds(fetch.timeouts.total))
        maxRedirects = fetch.maxRedirects
        sameHostRedirects = fetch.sameHostRedirects
        tls.pinnedPublicKeys = fetch.pinnedPublicKeys
        tls.allowInvalid = fetch.allowsInvalidTLS
        maxBytes = Int64(acceptance.maxBytes)
        acceptableStatus = acceptance.status
        acceptableTypes = acceptance.types
    }
}
