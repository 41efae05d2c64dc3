import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TintypeSettings

/// Posts the terminal events of receipts that asked for it. The scripts that end receipts leave callbacks in Redis; each second, when an end
/// comes by, and when one has been sent, any coordinator leases those that are due, sends them and says what became of them. One that dies
/// meanwhile is made up for by the others when its lease has ended: a receiver may get the same event twice, never none. A host that
/// does not answer holds up only its own.
@Loop
final class CallbackSender {
    /// How many are sent at once.
    private static let most = 32
    /// How many of those to one host.
    private static let mostPerHost = 8

    private let lanes: Lanes
    private let transfers: TransferPool
    private let policy: CallbackPolicy
    private let timeout: Duration
    private let scope: TaskScope
    private let metrics: Metrics
    private let logger: Logger
    private var timer: LoopTimer?
    private var inFlight = 0
    private var inFlightByHost: [String: Int] = [:]
    /// Which queue is asked first; another one each time.
    private var turn = 0
    /// Whether Redis is being asked, and has to be asked once more after that.
    private var looking: Bool?
    /// By which it is judged where callbacks go, now: rules may have changed since they were asked for.
    private let access: @Loop () -> AccessList

    init(lanes: Lanes, settings: CoordinatorSettings, access: @escaping @Loop () -> AccessList, scope: TaskScope, metrics: Metrics, logger: Logger) {
        self.lanes = lanes
        self.access = access
        transfers = TransferPool(policy: AddressPolicy(allowing: settings.common.allowAddresses.compactMap { AddressRange($0) }), keptConnections: 16)
        policy = CallbackPolicy(firstPause: settings.callbackRetry)
        timeout = settings.callbackTimeout
        self.scope = scope
        self.metrics = metrics
        self.logger = logger
    }

    /// Longer than a try takes, so that no two coordinators send the same one at the same time.
    private var lease: Duration { timeout + .seconds(2) }

    func start() {
        timer = LoopTimer(after: .seconds(1), repeating: true) { [weak self] in self?.look() }
    }

    func stop() { timer = nil }

    /// Asks Redis what is due, now.
    func look() {
        guard timer != nil, lanes.redis.isConnected else { return }
        guard looking == nil else {
            looking = true
            return
        }
        looking = false
        scope.run("look for callbacks") { [weak self] in
            guard let self else { return }
            await self.begin()
            let again = self.looking == true
            self.looking = nil
            if again { self.look() }
        }
    }

    private func begin() async {
        guard let names = try? await lanes.names() else { return }
        turn += 1
        for place in names.indices where inFlight < Self.most {
            let name = names[(place + turn) % names.count]
            let queue = lanes.queue(name)
            do throws(RedisError) {
                for callback in try await queue.dueCallbacks(
                    count: Self.most - inFlight, lease: lease, perHost: Self.mostPerHost, underWay: inFlightByHost)
                {
                    inFlight += 1
                    inFlightByHost[callback.host, default: 0] += 1
                    scope.run("callback of \(callback.receipt)") { [self] in
                        await send(callback, queue)
                        ended(callback)
                    }
                }
            } catch {
                logger.refused("looking for callbacks", error)
            }
        }
    }

    /// A slot is free: for the next one at once.
    private func ended(_ callback: DueCallback) {
        inFlight -= 1
        let left = (inFlightByHost[callback.host] ?? 1) - 1
        inFlightByHost[callback.host] = left > 0 ? left : nil
        look()
    }

    private func send(_ callback: DueCallback, _ queue: Queue) async {
        let began = ContinuousClock.now
        let (verdict, cause) = await post(callback)
        // Stopping: nobody knows what the receiver has got, and another coordinator goes on when the lease has ended.
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
                logger.warning(
                    "gave a callback up",
                    [
                        "receipt": callback.receipt, "queue": queue.name, "host": callback.target.host, "tries": callback.failures + 1,
                        "error": cause ?? "",
                    ])
            }
        }
        await settle(callback, pause, queue, until: began + lease)
    }

    /// - Returns: what the answer means, and why it was not what was wanted.
    private func post(_ callback: DueCallback) async -> (CallbackPolicy.Verdict, cause: String?) {
        let body = Array(callback.event.utf8)
        var request = TransferRequest(url: callback.target.url)
        request.method = "POST"
        request.body = body
        request.headers = CallbackPolicy.headers(body, secret: callback.target.secret, at: Int(WallClock.now))
        request.timeouts = TransferTimeouts(connect: timeout, idle: timeout, total: timeout)
        request.maxBytes = .max
        request.maxRedirects = 0
        var isTaken = false
        do throws(TintypeError) {
            try access().check(callback.target)
            // What the receiver says besides its status is nobody's business: nothing of it is read.
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
