package import TintypeCore

/// Sends the spans of this process to a collector, by OTLP over HTTP in JSON. Lives on the loop.
///
/// Spans go out in batches. The number of spans that wait is limited, and further ones are dropped and counted. So a collector that is away costs no
/// memory and no picture. A process without a collector has no tracer.
@Loop package final class Tracer {
    private let settings: TraceSettings
    private let transfers: TransferPool
    private let scope = TaskScope()
    private let metrics: Metrics
    private let logger: Logger
    private var throttle = LogThrottle()
    private var rejections = LogThrottle()
    private var waiting = FIFO<TraceSpan>()
    private var timer: LoopTimer?
    private var isSending = false
    private var isClosed = false

    package init(_ settings: TraceSettings, metrics: Metrics, logger: Logger) {
        self.settings = settings
        self.metrics = metrics
        self.logger = logger
        // The operator names the collector, so any address is right.
        transfers = TransferPool(policy: AddressPolicy(allowing: ["0.0.0.0/0", "::/0"].compactMap { AddressRange($0) }), keptConnections: 1)
    }

    /// Makes the tracer of a process, if its environment names a collector.
    /// - Parameters:
    ///   - service: The default of `service.name`.
    ///   - instance: The name of this process.
    package static func make(
        service: String, instance: String, environment: [String: String] = ProcessEnvironment.all(), metrics: Metrics, logger: Logger
    ) -> Tracer? {
        TraceSettings(environment, service: service, instance: instance, complaint: { logger.warning("a variable of OpenTelemetry was not followed: \($0)") })
            .map { Tracer($0, metrics: metrics, logger: logger) }
    }

    /// Begins a span, if its trace is sent.
    /// - Parameter parent: The context of the caller; nil: a new trace begins.
    package func begin(_ name: String, _ kind: TraceSpan.Kind, below parent: TraceContext?) -> TraceSpan? {
        let trace = parent?.trace ?? .random()
        guard settings.sampler.samples(trace, parent: parent) else { return nil }
        let context = TraceContext(trace: trace, span: .random(), isSampled: true, state: parent?.state)
        return TraceSpan(name, kind, context, parent: parent?.span, start: WallClock.now)
    }

    /// Begins a span of work for a request. The beginning of the request has decided whether its trace is sent.
    /// - Parameter request: The place of the request in its trace; nil: it has none.
    package func begin(_ name: String, _ kind: TraceSpan.Kind, for request: TraceContext?) -> TraceSpan? {
        guard let request, request.isSampled else { return nil }
        return TraceSpan(name, kind, below: request, start: WallClock.now)
    }

    /// Takes a span that ends now.
    /// - Parameter failure: The reason for which the operation failed; nil: it has not.
    package func end(_ span: TraceSpan, failure: String? = nil) {
        var span = span
        span.end = WallClock.now
        if let failure { span.failure = failure }
        take(span)
    }

    /// Takes a span that has ended.
    package func take(_ span: TraceSpan) {
        guard waiting.count < settings.most else { return metrics.add(.traceSpans, labels: "dropped") }
        waiting.append(span)
        if waiting.count >= settings.batch {
            send()
        } else if timer == nil, !isClosed {
            timer = LoopTimer(after: settings.delay) { [weak self] in self?.send() }
        }
    }

    /// Sends the waiting spans, but for at most `limit`. Spans that are left are dropped.
    package func close(within limit: Duration) async {
        isClosed = true
        send()
        let end = LoopTimer(after: limit) { [scope] in scope.cancelAll() }
        await scope.drain()
        end.cancel()
    }

    private func send() {
        timer = nil
        guard !isSending, !waiting.isEmpty else { return }
        isSending = true
        scope.runApart("send spans") { [self] in
            while !waiting.isEmpty, !Task.isCancelled {
                var batch: [TraceSpan] = []
                while batch.count < settings.batch, let span = waiting.popFirst() { batch.append(span) }
                let failed = await post(batch)
                if failed < batch.count { metrics.add(.traceSpans, Double(batch.count - failed), labels: "sent") }
                if failed > 0 { metrics.add(.traceSpans, Double(failed), labels: "failed") }
                // A batch that is not full may wait for others.
                if !isClosed, waiting.count < settings.batch { break }
            }
            isSending = false
            if !waiting.isEmpty, !Task.isCancelled, timer == nil { timer = LoopTimer(after: settings.delay) { [weak self] in self?.send() } }
        }
    }

    /// - Returns: The number of spans that the collector has not taken.
    private func post(_ batch: [TraceSpan]) async -> Int {
        var request = TransferRequest(url: settings.endpoint)
        request.method = "POST"
        request.body = Array(SpanDocument.text(batch, resource: settings.resource).utf8)
        request.headers = [("Content-Type", "application/json")] + settings.headers
        request.timeouts = TransferTimeouts(connect: settings.timeout, idle: settings.timeout, total: settings.timeout)
        request.maxRedirects = 0
        request.tls.authorities = settings.authorities
        var failures = 0
        while true {
            var (isTaken, answer) = (false, [UInt8]())
            do throws(TintypeError) {
                _ = try await transfers.run(
                    request, onHead: { _ in isTaken = true },
                    onBytes: { bytes, received, _ in
                        guard received <= RejectedSpans.longestAnswer else { return .stop }
                        answer += bytes
                        return .proceed
                    })
                throttle.end()
                return rejected(RejectedSpans(answer, of: batch.count), of: batch.count)
            } catch {
                // The collector has the batch, and its words about it have not all arrived.
                if isTaken { return 0 }
                failures += 1
                guard !Task.isCancelled, let pause = SpanRetry.pause(after: error, failures: failures) else {
                    let cause = error.name.rawValue + ": " + error.message
                    if throttle.shouldLog(cause) {
                        logger.warning("the collector has not taken spans; they are dropped", ["spans": batch.count, "error": cause])
                    }
                    return batch.count
                }
                try? await Loop.sleep(.seconds(pause))
            }
        }
    }

    private func rejected(_ rejected: RejectedSpans, of sent: Int) -> Int {
        // Their words may differ each time, so they do not count as news.
        if rejected.isNotable, rejections.shouldLog("") {
            logger.warning(
                "the collector has rejected spans of a batch; they are not sent again",
                ["spans": sent, "rejected": rejected.count, "error": rejected.message ?? ""])
        }
        return rejected.count
    }
}
