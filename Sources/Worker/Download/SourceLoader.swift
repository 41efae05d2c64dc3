package import Shared

/// Brings the bytes of a source into the worker: over HTTP, or out of a `data:` URL. Lives on the loop.
@Loop package final class SourceLoader {
    private let transfers: TransferPool
    private let metrics: Metrics

    package init(transfers: TransferPool, metrics: Metrics) {
        (self.transfers, self.metrics) = (transfers, metrics)
    }

    /// How many downloads are under way.
    package var inFlight: Int { transfers.count }

    /// Loads a source whole or, for a probe, as far as its header. Cancelling the task ends the download at once.
    /// - Parameters:
    ///   - share: where the bytes are counted; the download pauses when there is no room.
    ///   - reporter: hears of the response and of progress.
    /// - Throws: the errors of `TransferPool.run`, `invalidURL` and `limitExceeded`; all of phase download.
    package func load(
        _ source: Source, share: ByteBudget.Share, reporter: FetchReporter
    ) async throws(TintypeError) -> LoadedSource {
        defer { share.endDownload() }
        if source.isInline { return try decode(source, share, reporter) }
        do throws(TintypeError) {
            let loaded = try await download(source, share, reporter)
            metrics.add(.downloads, labels: "succeeded")
            metrics.observe(.downloadSeconds, loaded.timings.total)
            return loaded
        } catch {
            metrics.add(.downloads, labels: error.name == .cancelled ? "cancelled" : "failed")
            throw error
        }
    }

    private func decode(
        _ source: Source, _ share: ByteBudget.Share, _ reporter: FetchReporter
    ) throws(TintypeError) -> LoadedSource {
        let data = try DataURL(source.url)
        guard data.bytes.count <= source.fetch.maxBytes else {
            throw TintypeError(
                .limitExceeded, .download, "the data: URL holds \(data.bytes.count) bytes, \(source.fetch.maxBytes) are allowed",
                details: ["limit": "maxBytes", "value": JSON(data.bytes.count), "allowed": JSON(source.fetch.maxBytes)])
        }
        share.add(data.bytes.count)
        reporter.download(received: Int64(data.bytes.count), expected: Int64(data.bytes.count))
        let shown = RedactedURL(source.url).description
        var info = SourceInfo(url: shown, finalURL: shown, status: nil, bytes: data.bytes.count)
        info.sha256 = Digest.sha256Hex(data.bytes)
        return LoadedSource(info: info, bytes: data.bytes, contentType: data.mediaType, timings: TransferTimings(), header: nil)
    }

    private func download(
        _ source: Source, _ share: ByteBudget.Share, _ reporter: FetchReporter
    ) async throws(TintypeError) -> LoadedSource {
        let collector = SourceCollector(isProbe: source.isProbe)
        let summary = try await transfers.run(
            TransferRequest(source), gate: share.gate,
            onHead: { head in
                collector.expect(head.expectedBytes)
                reporter.response(head)
            },
            onBytes: { [metrics] part, received, expected in
                guard share.take(part.count) else { return .pause }
                metrics.add(.downloadBytes, Double(part.count))
                reporter.download(received: received, expected: expected)
                return collector.append(part) ? .proceed : .stop
            })
        var info = SourceInfo(
            url: TransferURL(source.url)?.text ?? RedactedURL(source.url).description, finalURL: summary.head.url,
            status: summary.head.status, bytes: Int(summary.head.expectedBytes ?? summary.receivedBytes))
        if summary.isWhole { info.bytes = Int(summary.receivedBytes) }
        info.etag = summary.head.header("etag").map { String($0.prefix(1024)) }
        info.lastModified = summary.head.header("last-modified").map { String($0.prefix(128)) }
        info.sha256 = collector.sha256()
        return LoadedSource(
            info: info, bytes: collector.bytes, contentType: summary.head.header("content-type"), timings: summary.timings,
            header: collector.header)
    }
}

extension TransferRequest {
    /// The request that fetches a source.
    init(_ source: Source) {
        self.init(url: source.url)
        let fetch = source.fetch
        headers = fetch.headers.map { ($0.name, $0.value) }
        switch fetch.credentials {
        case .basic(let user, let password): credentials = .basic(user: user, password: password)
        case .bearer(let token): credentials = .bearer(token)
        case nil: break
        }
        timeouts = TransferTimeouts(
            connect: .seconds(fetch.connectTimeout), idle: .seconds(fetch.idleTimeout), total: .seconds(fetch.totalTimeout))
        maxBytes = Int64(fetch.maxBytes)
        maxRedirects = fetch.maxRedirects
        acceptableStatus = fetch.acceptableStatus
    }
}
