package import TintypeCore
package import TintypeTransport
package import TintypeImages
package import TintypeQueue

/// Tells the receipts of one fetch how it goes: `response` and `progress` events, as often as the most curious of them asks.
///
/// Nothing is sent while nobody asked for it. Reports are a courtesy: when Redis does not take one it is dropped. Lives on
/// the loop; one message is under way at a time.
@Loop package final class FetchReporter {
    /// The least time between two messages, the finest that anybody asked for; nil: nobody wants to know. Who begins to is told at once what
    /// would have been told last.
    package var interval: Duration? {
        didSet {
            guard let interval, interval != oldValue else { return }
            reports.interval = max(interval, Self.finest)
            // A message that waits is due sooner now.
            timer = nil
            if oldValue == nil, let last { add(last) } else { schedule() }
        }
    }
    private static let finest = Duration.seconds(ImageRequest.Progress.finest)
    private var isWatched: Bool { interval != nil }
    /// Where the fetch is, told or not: each beat carries it to Redis.
    package private(set) var current = Phase.download
    /// What of the source nobody is told, whatever the server repeats.
    package var secrets = SecretWords()
    /// Shows what arrives, if anybody wants to see it.
    var previewer: Previewer?
    private let queue: Queue
    private let held: Held
    private let scope: TaskScope
    private let onAnswer: @Loop (ProgressAnswer) -> Void
    /// The most that was told of the work on pictures: one that is made again takes nothing back.
    private var reached = 0.0
    private var reports: ReportPace<FetchEvent>
    /// Where the fetch was when something was last to be told.
    private var last: Progress?
    private var timer: LoopTimer?
    private var sending: Task<Void, Never>?

    /// What a `progress` event says. It is made into one when somebody wants to know.
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
    ///   - interval: as the property says.
    ///   - onAnswer: hears what Redis says of the run each time: still ours, cancelled, or another's.
    package init(
        queue: Queue, held: Held, interval: Duration?, scope: TaskScope, onAnswer: @escaping @Loop (ProgressAnswer) -> Void
    ) {
        (self.queue, self.held, self.interval, self.scope, self.onAnswer) = (queue, held, interval, scope, onAnswer)
        reports = ReportPace(interval: max(interval ?? .zero, Self.finest))
    }

    /// Which fetch it tells of.
    var fetch: String { held.fetch }

    /// The Redis key of its record.
    var record: String { queue.keys.fetch(held.fetch) }

    /// One that tells nobody of anything, for what is loaded beside the source.
    func silent() -> FetchReporter { FetchReporter(queue: queue, held: held, interval: nil, scope: scope, onAnswer: { _ in }) }

    /// The head of the response that is being downloaded.
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

    /// How much of the request's body has gone out. Small ones go at once, and nothing is told of them.
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
    /// Bytes that a socket takes at once, about.
    private static let shortUpload = 64 << 10

    /// How far the download is.
    /// - Parameter resumedFrom: where an earlier download had broken off, if this one goes on with it.
    package func download(received: Int64, expected: Int64?, resumedFrom: Int64? = nil) {
        let fraction = expected.map { $0 > 0 ? min(1, Double(received) / Double($0)) : 1 }
        add(Progress(phase: .download, received: received, expected: expected, fraction: fraction, resumedFrom: resumedFrom))
    }

    /// How far a later phase is, and of all that is made of the source how much is done; `source` is the whole of what was downloaded.
    package func phase(_ phase: Phase, fraction: Double?, source: Int) {
        current = phase
        if let fraction { reached = max(reached, fraction) }
        add(Progress(phase: phase, received: Int64(source), expected: Int64(source), fraction: fraction.map { _ in reached }))
    }

    /// Sends what is left, so that nothing comes behind the end of the fetch.
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
            sending = scope.run("progress \(held.fetch)") { [self] in
                await send(reports.take(at: .now))
                sending = nil
                schedule()
            }
        }
    }

    private func send(_ events: [FetchEvent]) async {
        guard !events.isEmpty else { return }
        do throws(RedisError) {
            onAnswer(try await queue.progress(held, events))
        } catch {
            // The next report says more than this one did.
        }
    }
}
