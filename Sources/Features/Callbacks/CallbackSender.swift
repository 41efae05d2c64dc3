import Coordinator
import TintypeContracts
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue

/// Posts the terminal events of receipts that requested a callback.
///
/// The scripts that end receipts store callbacks in Redis. Any coordinator leases the due ones, sends them and records the outcome. It looks for
/// them every second, after each end, and after each sent callback. When a coordinator dies meanwhile, another one sends its callbacks after the
/// lease. So a receiver may get an event twice, but never misses one. A host that does not answer delays only its own callbacks.
@Loop
final class CallbackSender {
    /// The number of callbacks sent at once.
    private static let most = 32
    /// The number of callbacks sent at once to one host.
    private static let maxPerHost = 8

    private let registry: QueueRegistry
    private let transfers: TransferPool
    private let policy: CallbackPolicy
    private let timeout: Duration
    private let scope: TaskScope
    private let tracer: (any Tracer)?
    private let metrics: Metrics
    private let logger: Logger
    private var timer: LoopTimer?
    private var inFlight = 0
    private var inFlightByHost: [String: Int] = [:]
    /// The queue to ask first; another one each time.
    private var turn = 0
    /// Whether Redis must be asked again after the current look; nil when no look is in progress.
    private var looking: Bool?
    /// The rules by which targets are checked when they are sent to: rules may have changed since the request.
    private let access: @Loop () -> AccessList

    init(
        registry: QueueRegistry, settings: CallbackSettings, addresses: AddressPolicy, access: @escaping @Loop () -> AccessList, scope: TaskScope,
        tracer: (any Tracer)?,
        metrics: Metrics,
        logger: Logger
    ) {
        self.registry = registry
        self.access = access
        transfers = TransferPool(policy: addresses, keptConnections: 16)
        policy = CallbackPolicy(firstPause: settings.retry)
        timeout = settings.timeout
        (self.scope, self.tracer) = (scope, tracer)
        self.metrics = metrics
        self.logger = logger
    }

    /// The lease is longer than a try, so that no two coordinators send the same callback at the same time.
    private var lease: Duration { timeout + .seconds(2) }

    func start() {
        timer = LoopTimer(after: .seconds(1), repeating: true) { [weak self] in self?.look() }
    }

    func stop() { timer = nil }

    /// Asks Redis for due callbacks now.
    func look() {
        guard timer != nil else { return }
        guard looking == nil else {
            looking = true
            return
        }
        looking = false
        scope.runApart("look for callbacks") { [weak self] in
            guard let self else { return }
            await self.begin()
            let again = self.looking == true
            self.looking = nil
            if again { self.look() }
        }
    }

    private func begin() async {
        let names = await registry.upkept()
        turn += 1
        for place in names.indices where inFlight < Self.most {
            let name = names[(place + turn) % names.count]
            let queue = registry.queue(name)
            guard queue.node.isConnected else { continue }
            await logger.attempt("looking for callbacks") { () async throws(RedisError) in
                for callback in try await queue.dueCallbacks(count: Self.most - inFlight, lease: lease, perHost: Self.maxPerHost, underWay: inFlightByHost) {
                    inFlight += 1
                    inFlightByHost[callback.host, default: 0] += 1
                    scope.runApart("callback of \(callback.receipt)") { [self] in
                        await send(callback, queue)
                        ended(callback)
                    }
                }
            }
        }
    }

    /// Frees the place of a callback and looks for the next one at once.
    private func ended(_ callback: DueCallback) {
        inFlight -= 1
        let left = (inFlightByHost[callback.host] ?? 1) - 1
        inFlightByHost[callback.host] = left > 0 ? left : nil
        look()
    }

    private func send(_ callback: DueCallback, _ queue: Queue) async {
        let began = ContinuousClock.now
        let parent = callback.trace
        let span = tracer?.begin("callback", .client, for: parent)
        let context = span?.context ?? parent
        let (verdict, cause) = await TraceContext.$current.withValue(context) { await post(callback, context) }
        if var span {
            span["http.request.method"] = "POST"
            span["server.address"] = .string(callback.target.host)
            span["tintype.receipt"] = .string(callback.receipt)
            // The name alone: the rest may hold addresses that only logs show.
            tracer?.end(span, failure: cause.map { String($0.prefix { $0 != ":" }) })
        }
        // The coordinator is stopping. The receiver may or may not have the event, so another coordinator sends it again after the lease.
        if verdict == .tryAgain, Task.isCancelled { return }
        var pause: Duration?
        switch verdict {
        case .sent: metrics.add(.callbacks, labels: "sent")
        case .tryAgain: pause = policy.pause(after: callback.failures + 1, jitter: Double.random(in: 0...1))
        case .giveUp: break
        }
        if verdict != .sent {
            metrics.add(.callbacks, labels: pause == nil ? "givenUp" : "failed")
            if pause == nil {
                TraceContext.within(context) {
                    logger.warning(
                        "gave up a callback",
                        [
                            "receipt": callback.receipt, "queue": queue.name, "host": callback.target.host, "tries": callback.failures + 1,
                            "error": cause ?? "",
                        ])
                }
            }
        }
        await settle(callback, pause, queue, until: began + lease)
    }

    /// - Returns: The meaning of the answer, and the reason if it is not a success.
    private func post(_ callback: DueCallback, _ trace: TraceContext?) async -> (CallbackPolicy.Verdict, cause: String?) {
        let body = Array(callback.event.utf8)
        var request = TransferRequest(url: callback.target.url)
        request.method = "POST"
        request.body = body
        request.headers = CallbackPolicy.headers(body, secret: callback.target.secret?.text, at: Int(WallClock.now)) + (trace?.headers ?? [])
        request.timeouts = TransferTimeouts(connect: timeout, idle: timeout, total: timeout)
        request.maxBytes = .max
        request.maxRedirects = 0
        var isTaken = false
        do throws(TintypeError) {
            try access().check(callback.target)
            // Only the status of the receiver counts, so its body is not read.
            _ = try await transfers.run(request, onHead: { _ in isTaken = true }, onBytes: { _, _, _ in .stop })
            return (.sent, nil)
        } catch {
            return isTaken
                ? (.sent, nil) : (CallbackPolicy.verdict(error), error.name.rawValue + ": " + error.message + (error.logged.map { " (\($0))" } ?? ""))
        }
    }

    private func settle(_ callback: DueCallback, _ pause: Duration?, _ queue: Queue, until limit: ContinuousClock.Instant) async {
        _ = try? await queue.node.retrying("settling a callback", until: limit, logger) { () async throws(RedisError) in
            try await queue.settle(callback, retryAfter: pause)
        }
    }
}
