package import TintypeCore
package import TintypeTransport
import TintypeImages
import TintypeQueue
import TintypeStores
package import TintypeSettings

/// The coordinator: takes requests over JSON-RPC and HTTP, queues them in Redis, and hands out progress and results.
///
/// `start` wires everything and returns when both ports listen; Redis need not be there. `drain` ends it gently.
@Loop
package final class Coordinator {
    /// Requests in flight may take this long once the coordinator was told to stop.
    package static let grace = Duration.seconds(10)

    /// The last answers may take this long to be sent.
    private static let farewell = Duration.seconds(2)

    /// Where JSON-RPC is served.
    package let rpcAddress: SocketAddress
    /// Where HTTP is served.
    package let httpAddress: SocketAddress

    let services: Services
    private let dispatcher: Dispatcher
    let server: RPCServer
    private let web: WebServer
    private let reaper: Reaper
    private let gauges: Gauges
    private let logger: Logger
    private let files: BlockingPool
    /// Reads JSON that is too long for the loop.
    private let readers = BlockingPool(threads: 1, name: "json")
    /// The files of rules and tokens.
    private let rules: String?
    private let tokenFile: String?
    /// Readings that were asked for and are not done.
    private var reloads = 0
    private var isStopping = false
    /// What `drain` waits for: completed when nothing is in flight any more, or the waiting is over.
    private let idle = OneShot<Void>()

    /// Listens and begins to connect to Redis.
    /// - Throws: `SettingMistake` for what is wrong in a file; what is wrong with other settings or the addresses, as a sentence.
    package init(_ settings: CoordinatorSettings, pool: BlockingPool, logger: Logger, metrics: Metrics = Metrics()) throws {
        try settings.checkExposure()
        var settings = settings
        try settings.common.takeRedisPassword()
        // Each waiting receipt names it: no longer than it has to be.
        let name = "c-\(ReceiptNames.next().prefix(8))"
        let logger = logger.with(["coordinator": name])
        let permissions = Permissions(settings)
        let rules = try Rules.read(settings.rules) { options, path throws(TintypeError) in try permissions.check(options, at: path) }
        let tokens = try AccessTokens.read(settings.tokenFile)
        let keys = try KeySecret.read(settings.common.keySecretFile)
        let store = try ResultStores.open(settings.common.resultsURL, name: name, pool: pool, logger: logger)
        let sources = try ResultStores.open(settings.common.sourcesURL, .sources, name: name, pool: pool, logger: logger)
        let fallback = try settings.resultsFallback.map { try ResultStores.openToRead($0, name: name, logger: logger) }
        let services = Services(
            try RedisEndpoint(settings.common.redis), store: store, fallback: fallback, sources: sources, settings: settings, keys: keys, coordinator: name,
            readers: readers,
            packers: pool, metrics: metrics, logger: logger)
        services.admission.rules = rules
        (services.door.tokens, services.door.keys) = (tokens, keys)
        let dispatcher = try Dispatcher(MethodTable.all(services), door: services.door, metrics: metrics)
        let gauges = Gauges(services, dispatcher: dispatcher)
        let web = WebServer(services: services, dispatcher: dispatcher, gauges: gauges, hosts: OwnHosts(settings.common.hostNames))
        let limits = Self.connections(settings.connections, logger)
        let server = try RPCServer(
            settings.listen, limits: limits, dispatcher: dispatcher, receipts: services.receipts, metrics: metrics, logger: logger)
        rpcAddress = server.address
        httpAddress = try web.start(settings.http, limits: limits)
        services.addresses = ("\(rpcAddress)", "\(httpAddress)")
        reaper = Reaper(lanes: services.lanes, scope: services.scope, metrics: metrics, logger: logger)
        (files, self.rules, tokenFile) = (pool, settings.rules, settings.tokenFile)
        (self.services, self.dispatcher, self.gauges, self.web, self.server, self.logger) = (services, dispatcher, gauges, web, server, logger)
        begin(settings)
    }

    /// How many connections each of both listeners keeps open. Says where that is not what was to be expected.
    private static func connections(_ asked: ConnectionLimits, _ logger: Logger) -> ConnectionLimits {
        let descriptors = Descriptors.limit
        let plan = ConnectionPlan(asked, descriptors: descriptors)
        if plan.isCut {
            logger.notice(
                "each port keeps fewer connections open than usual: raise the limit of open files for more (ulimit -n)",
                ["total": plan.limits.total, "perAddress": plan.limits.perAddress, "limit": descriptors])
        }
        if plan.isTooMuch {
            logger.warning(
                "there are too few file descriptors for the connections that --max-connections and --max-connections-per-address let in: "
                    + "raise the limit of open files (ulimit -n)",
                ["total": plan.limits.total, "perAddress": plan.limits.perAddress, "limit": descriptors])
        }
        return plan.limits
    }

    private func begin(_ settings: CoordinatorSettings) {
        services.redis.onConnected { [weak self] in
            self?.greet()
            self?.services.defaults.tell()
        }
        services.redis.start()
        services.channels.start()
        services.cacheNews.start()
        services.lanes.open(existing: "default")
        services.watches.start()
        services.groups.begin()
        reaper.start()
        services.callbacks.start()
        gauges.start()
        services.room.start()
        services.pressure.start()
        logger.notice("serving", ["rpc": rpcAddress, "http": httpAddress, "redis": services.redis.redacted])
    }

    /// Has every queue know this coordinator before its first request is in one.
    private func greet() { for lane in services.lanes.all { lane.channel.ping() } }

    /// Reads again what may change while it runs: rules and tokens. What is wrong is logged, and the old ones stay.
    package func reload() async {
        reloads += 1
        // One after the other, so that what is read last counts.
        guard reloads == 1 else { return }
        while reloads > 0 {
            let asked = reloads
            if let rules { await readRules(rules) }
            if let tokenFile { await readTokens(tokenFile) }
            reloads -= asked
        }
    }

    private func readTokens(_ path: String) async {
        do {
            services.door.tokens = try await files.run { try AccessTokens.read(path) }
            server.expel(services.door)
            logger.notice("tokens read", ["file": path])
        } catch {
            logger.error("the tokens cannot be used; the old ones stay", ["error": (error as? SettingMistake)?.message ?? "\(error)"])
        }
    }

    private func readRules(_ path: String) async {
        do {
            let permissions = services.admission.permissions
            let rules = try await files.run {
                try Rules.read(path) { options, path throws(TintypeError) in try permissions.check(options, at: path) }
            }
            services.admission.rules = rules
            services.defaults.tell()
            logger.notice("rules read", ["file": path, "rules": rules.count])
        } catch {
            logger.error("the rules cannot be used; the old ones stay", ["error": (error as? SettingMistake)?.message ?? "\(error)"])
        }
    }

    /// Stops accepting, refuses new requests, waits for those in flight, and ends. Those not done then are answered `shuttingDown`.
    /// - Parameter grace: how long requests in flight may take.
    package func drain(grace: Duration = Coordinator.grace) async {
        guard !isStopping else { return }
        isStopping = true
        logger.notice("draining", ["inFlight": dispatcher.inFlight])
        server.stopAccepting()
        services.admission.isClosed = true
        services.groups.handOver()
        dispatcher.onIdle = { [idle] in idle.complete(.success(())) }
        if dispatcher.inFlight > 0 {
            let timer = LoopTimer(after: grace) { [weak self] in self?.hurry() }
            try? await idle.wait()
            timer.cancel()
        }
        await stop()
    }

    /// Has `drain` wait no longer for what is in flight.
    package func hurry() { idle.complete(.success(())) }

    /// Ends now: what is in flight is answered `shuttingDown`, connections close, what only their clients wanted is withdrawn as far as Redis
    /// answers at once.
    package func stop() async {
        isStopping = true
        services.admission.isClosed = true
        services.groups.handOver()
        dispatcher.close()
        await server.close(within: Self.farewell)
        await web.close(within: Self.farewell)
        services.watches.stop()
        reaper.stop()
        services.callbacks.stop()
        gauges.stop()
        services.room.stop()
        services.pressure.stop()
        services.activity.stop()
        services.lanes.stop()
        services.withdrawal.stop()
        // Withdrawals of clients that were cut off are under way, and so is what was told to other coordinators until now: once this is answered, it is there.
        services.scope.run("last words") { [services] in _ = try? await services.redis.node(for: QueueKeys.shared).command(["PING"], timeout: .seconds(1)) }
        let limit = LoopTimer(after: .seconds(1)) { [services] in services.scope.cancelAll() }
        if services.redis.isConnected { await services.scope.drain() }
        limit.cancel()
        services.scope.cancelAll()
        services.channels.stop()
        services.redis.stop()
        services.store.close()
        services.sources.close()
        services.fallback?.close()
        readers.stop()
        logger.notice("stopped")
    }
}
