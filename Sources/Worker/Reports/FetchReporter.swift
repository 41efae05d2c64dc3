package import TintypeCore
package import TintypeTransport
package import TintypeImages
package import TintypeQueue

/// Reports on one fetch to its receipts: `response` and `progress` events, at the highest rate that any receipt asks for.
///
/// Nothing is sent while no receipt asks for it. A report that Redis does not take is dropped, because reports are only a courtesy. Lives on
/// the loop; one message is under way at a time.
@Loop package final class FetchReporter {
    /// The shortest time between two messages: the shortest that any receipt asks for. nil: no receipt wants reports. The first receipt that wants them gets
    /// the last report at once.
    package var interval: Duration? {
        didSet {
            guard let interval, interval != oldValue else { return }
            reports.interval = max(interval, Self.finest)
            // A waiting message is due earlier now.
            timer = nil
            if oldValue == nil, let last { add(last) } else { schedule() }
        }
    }
    private static let finest = Duration.seconds(ImageRequest.Progress.finest)
    private var isWatched: Bool { interval != nil }
    /// The phase of the fetch, reported or not. Each heartbeat carries it to Redis.
    package private(set) var current = Phase.download
    /// The secrets of the source, which are hidden even if the server repeats them.
    package var secrets = SecretScrubber()
    /// Sees the download, if a receipt wants previews.
    var observer: (any DownloadObserver)?
    /// Shows what has arrived of the source to an observer, while the download is under way.
    var arrived: (@Loop (any DownloadObserver) -> Void)?
    private let queue: Queue
    private let lease: RunLease
    private let scope: TaskScope
    private let onAnswer: @Loop (ProgressAnswer) -> Void
    /// The highest reported fraction of the work on pictures. A picture that is made again does not lower the fraction.
    private var reached = 0.0
    private var reports: ReportPace<FetchEvent>
    private var last: Progress?
    private var timer: LoopTimer?
    private var sending: Task<Void, Never>?

    /// The content of a `progress` event. It becomes an event only if a receipt wants progress.
    private struct Progress {
        let phase: Phase
        let received: Int64
        let expected: Int64?
        let fraction: Double?
        var resumedFrom: Int64?

        var event: FetchEvent {
            var body: JSONObject = [
                "receivedBytes": .int(received), "expectedBytes": expected.map { .int($0) } ?? .null, "phase": .string(phase.rawValue),
                "fraction": fraction.map { JSON(($0 * 1000).rounded() / 1000) } ?? .null,
            ]
            body["resumedFrom"] = resumedFrom.map { .int($0) }
            return FetchEvent(type: .progress, body: body)
        }
    }

    /// - Parameters:
    ///   - interval: see the property.
    ///   - onAnswer: called with each answer of Redis about the run: still ours, canceled, or lost.
    package init(
        queue: Queue, lease: RunLease, interval: Duration?, scope: TaskScope, onAnswer: @escaping @Loop (ProgressAnswer) -> Void
    ) {
        (self.queue, self.lease, self.interval, self.scope, self.onAnswer) = (queue, lease, interval, scope, onAnswer)
        reports = ReportPace(interval: max(interval ?? .zero, Self.finest))
    }

    /// The id of the fetch.
    var fetch: String { lease.fetch }

    /// The Redis key of the fetch's record.
    var record: String { queue.keys.fetch(lease.fetch) }

    /// When the run began, in epoch ms of Redis.
    var since: Int64 { lease.since }

    /// Returns a reporter that sends nothing, for downloads other than the source.
    func silent() -> FetchReporter { FetchReporter(queue: queue, lease: lease, interval: nil, scope: scope, onAnswer: { _ in }) }

    /// Reports the head of the response.
    package func response(_ head: TransferHead) {
        guard isWatched else { return }
        let headers = head.shownHeaders.map { ($0.name, JSON.string(secrets.hide(in: $0.value))) }
        add(
            EventType.response.text,
            FetchEvent(
                type: .response,
                body: [
                    "status": JSON(head.status), "headers": .object(JSONObject(headers)),
                    "expectedBytes": head.expectedBytes.map { .int($0) } ?? .null,
                ]))
    }

    /// Reports the sent part of the request's body. Small bodies go out at once and are not reported.
    package func upload(sent: Int64, of total: Int) {
        guard isWatched, total > Self.shortUpload else { return }
        let fraction = min(1, Double(sent) / Double(total))
        add(
            Self.upload,
            FetchEvent(
                type: .progress,
                body: [
                    "phase": .string(Self.upload), "sentBytes": .int(sent), "totalBytes": JSON(total), "fraction": JSON((fraction * 1000).rounded() / 1000),
                ]))
    }
    private static let upload = "upload"
    /// The approximate number of bytes that a socket takes at once.
    private static let shortUpload = 64 << 10

    /// Reports the progress of the download.
    /// - Parameter resumedFrom: the offset from which the download resumed.
    package func download(received: Int64, expected: Int64?, resumedFrom: Int64? = nil) {
        let fraction = expected.map { $0 > 0 ? min(1, Double(received) / Double($0)) : 1 }
        add(Progress(phase: .download, received: received, expected: expected, fraction: fraction, resumedFrom: resumedFrom))
    }

    /// Reports the progress of a later phase. `fraction` is the done part of all renditions, `source` the length of the download.
    package func phase(_ phase: Phase, fraction: Double?, source: Int) {
        current = phase
        if let fraction { reached = max(reached, fraction) }
        add(Progress(phase: phase, received: Int64(source), expected: Int64(source), fraction: fraction.map { _ in reached }))
    }

    /// Sends the remaining reports, so that none follows the end of the fetch.
    package func flush() async {
        timer = nil
        last = nil
        await sending?.value
        let left = reports.take(at: .now)
        if !left.isEmpty { await send(left) }
    }

    private func add(_ progress: Progress) {
        last = progress
        if isWatched { add(progress.phase.rawValue, progress.event) }
    }

    private func add(_ phase: String, _ event: FetchEvent) {
        reports.add(event, phase: phase)
        schedule()
    }

    private func schedule() {
        let now = ContinuousClock.now
        guard sending == nil, timer == nil, let due = reports.due(at: now) else { return }
        timer = LoopTimer(after: due - now) { [weak self] in
            guard let self else { return }
            timer = nil
            sending = scope.run("progress \(lease.fetch)") { [self] in
                await send(reports.take(at: .now))
                sending = nil
                schedule()
            }
        }
    }

    private func send(_ events: [FetchEvent]) async {
        guard !events.isEmpty else { return }
        do throws(RedisError) {
            onAnswer(try await queue.progress(lease, events))
        } catch {
            // The next report says more than this one.
        }
    }
}
