import TintypeCore
package import TintypeTransport

/// Spans to the collector that the environment names. Without one there are none.
package let tracing: TracerMaker = { service, instance, metrics, logger in
    TraceSettings(ProcessEnvironment.all(), service: service, instance: instance) { logger.warning("a variable of OpenTelemetry was not followed: \($0)") }
        .map { SpanExporter($0, metrics: metrics, logger: logger) }
}

/// Sends the spans of this process to a collector, by OTLP over HTTP in JSON. Lives on the loop.
///
/// Spans go out in batches. The number of spans that wait is limited, and further ones are dropped and counted. So a collector that is away costs no
/// memory and no picture.
@Loop final class SpanExporter: Tracer {
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

    init(_ settings: TraceSettings, metrics: Metrics, logger: Logger) {
        self.settings = settings
        self.metrics = metrics
        self.logger = logger
        // The operator names the collector, so any address is right.
        transfers = TransferPool(policy: AddressPolicy(allowing: ["0.0.0.0/0", "::/0"].compactMap { AddressRange($0) }), keptConnections: 1)
    }

    func samples(_ trace: TraceID, parent: TraceContext?) -> Bool { settings.sampler.samples(trace, parent: parent) }

    func take(_ span: TraceSpan) {
        guard waiting.count < settings.most else { return metrics.add(.traceSpans, labels: "dropped") }
        waiting.append(span)
        if waiting.count >= settings.batch {
            send()
        } else if timer == nil, !isClosed {
            timer = LoopTimer(after: settings.delay) { [weak self] in self?.send() }
        }
    }

    func close(within limit: Duration) async {
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
                let rejected = RejectedSpans(answer, of: batch.count)
                // Their words may differ each time, so they do not count as news.
                if rejected.isNotable, rejections.shouldLog("") {
                    logger.warning(
                        "the collector has rejected spans of a batch; they are not sent again",
                        ["spans": batch.count, "rejected": rejected.count, "error": rejected.message ?? ""])
                }
                return rejected.count
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
}
