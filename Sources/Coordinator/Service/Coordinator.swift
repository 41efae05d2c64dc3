package import TintypeCore
package import TintypeTransport
import TintypeImages
import TintypeQueue
import TintypeStores
package import TintypeSettings

/// The coordinator: accepts requests over JSON-RPC and HTTP, queues them in Redis, and sends progress and results.
///
/// `start` wires everything and returns when both ports listen. Redis need not be reachable then. `drain` ends it gracefully.
@Loop
package final class Coordinator {
    /// The longest time for requests in flight after the coordinator begins to stop.
    package static let grace = Duration.seconds(10)

    /// The longest time for sending the last answers.
    private static let farewell = Duration.seconds(2)

    /// The address of JSON-RPC.
    package let rpcAddress: SocketAddress
    /// The address of HTTP.
    package let httpAddress: SocketAddress
    /// The addresses of features' ports, by their names.
    package let addresses: [String: SocketAddress]

    package let core: Core
    let readiness: Readiness
    private let dispatcher: Dispatcher
    package let server: RPCServer
    let web: WebServer
    let features: [Feature]
    private let housekeeping: Housekeeping
    private let files: OperatorFiles
    private let logger: Logger
    /// Parses JSON that is too long for the loop.
    private let readers = BlockingPool(threads: 1, name: "json")
    private var isStopping = false
    /// The condition that `drain` waits for: no request is in flight, or the waiting is over.
    private let idle = OneShot<Void>()

    /// Listens on its ports and begins to connect to Redis.
    /// - Throws: `SettingError` for a mistake in a file. Mistakes in other settings or in addresses are thrown as a sentence.
    package init(
        _ settings: CoordinatorSettings, features makers: [Feature.Maker], tracers: [TracerMaker] = [], pool: BlockingPool, logger: Logger,
        metrics: Metrics = Metrics()
    ) throws {
        try settings.checkExposure()
        try settings.proxies.check()
        var settings = settings
        try settings.common.takeRedisPassword()
        // Each waiting receipt stores this name, so it is short.
        let name = "c-\(ReceiptNames.next().prefix(8))"
        let logger = logger.with(["coordinator": name])
        let permissions = Permissions(settings)
        let rules = try Rules.read(settings.rules) { options, path throws(TintypeError) in try permissions.check(options, at: path) }
        let tokens = try AccessTokens.read(settings.tokenFile)
        let keys = try KeySecret.read(settings.common.keySecretFile)
        let tls = try settings.common.tlsFiles().map { files in try TLSCertificates(files, pool: pool, metrics: metrics, logger: logger) }
        let redis = RedisTopologies(tls: settings.common.redisTLS)
        let store = try ResultStores.open(settings.common.resultsURL, redis: redis, name: name, pool: pool, keepsOpen: true, logger: logger)
        let sources = try ResultStores.open(settings.common.sourcesURL, .sources, redis: redis, name: name, pool: pool, logger: logger)
        let fallback = try settings.resultsFallback.map { try ResultStores.openToRead($0, redis: redis, name: name, logger: logger) }
        let core = Core(
            redis.topology(of: try RedisURL(settings.common.redis, tls: redis.tls), name: name, logger: logger), store: store, fallback: fallback,
            sources: sources, settings: settings, keys: keys, coordinator: name,
            tracer: tracers.reduce(nil) { $0 ?? $1("tintype-coordinator", name, metrics, logger) }, readers: readers, packers: pool,
            metrics: metrics, logger: logger)
        core.admission.rules = rules
        (core.access.control.tokens, core.access.control.keys) = (tokens, keys)
        let features = try makers.map { make in try make(core, settings) }
        let dispatcher = try Self.dispatcher(core, features, fonts: settings.common.fonts)
        let gauges = Gauges(core, dispatcher: dispatcher)
        readiness = Readiness(registry: core.queues.registry, invalidation: core.storage.invalidation, admission: core.admission)
        let web = WebServer(core, dispatcher: dispatcher, health: HealthRoute(readiness, gauges, features, metrics), features: features)
        let ports = features.compactMap(\.port).filter { $0.asked != nil }
        let limits = Self.connections(settings.connections, listeners: 2 + ports.count, logger)
        let server = try RPCServer(
            settings.listen, over: tls?.transport(for: settings.listen, listener: "rpc") ?? PlainTransport(), limits: limits,
            proxies: settings.proxies.before(.rpc), dispatcher: dispatcher, receipts: core.receipts.table, answers: core.receipts.answers,
            metrics: metrics, logger: logger)
        rpcAddress = server.address
        httpAddress = try web.start(
            settings.http, over: tls?.transport(for: settings.http, listener: "http") ?? PlainTransport(), limits: limits,
            proxies: settings.proxies.before(.http))
        var addresses: [String: SocketAddress] = [:]
        for port in ports {
            guard let asked = port.asked else { continue }
            addresses[port.name] = try port.start(
                asked, over: tls?.transport(for: asked, listener: port.name) ?? PlainTransport(), limits: limits, proxies: port.proxies)
        }
        self.addresses = addresses
        core.http.addresses = ("\(rpcAddress)", "\(httpAddress)")
        housekeeping = Housekeeping(core, gauges, maxResident: settings.memoryPressure)
        files = OperatorFiles(core, server, features, rules: settings.rules, tokens: settings.tokenFile, certificates: tls)
        (self.core, self.dispatcher, self.web, self.server, self.logger) = (core, dispatcher, web, server, logger)
        self.features = features
        begin()
    }

    /// - Throws: `MethodMismatch` for a method without a description, and the other way round.
    private static func dispatcher(_ core: Core, _ features: [Feature], fonts: [String]) throws -> Dispatcher {
        let limits = features.reduce(JSONObject()) { $0.merging($1.limits) }
        let described = MethodCatalog.methods(with: features.compactMap(\.descriptions))
        let methods = MethodTable.core(core, fonts: fonts, limits: limits) + features.flatMap(\.methods) + [RPCDiscover(described)]
        return try Dispatcher(methods, catalog: described, access: core.access.control, tracer: core.process.tracer, metrics: core.process.metrics)
    }

    /// Returns the number of connections that each listener keeps open. Logs when that is less than usual.
    private static func connections(_ asked: ConnectionLimits, listeners: Int, _ logger: Logger) -> ConnectionLimits {
        let descriptors = Descriptors.limit
        let plan = ConnectionPlan(asked, descriptors: descriptors, listeners: listeners)
        if plan.isCut {
            logger.notice(
                "each port keeps fewer connections open than usual: raise the limit of open files to allow more (ulimit -n)",
                ["total": plan.limits.total, "perAddress": plan.limits.perAddress, "limit": descriptors])
        }
        if plan.isTooMuch {
            logger.warning(
                "there are too few file descriptors for --max-connections and --max-connections-per-address: "
                    + "raise the limit of open files (ulimit -n)",
                ["total": plan.limits.total, "perAddress": plan.limits.perAddress, "limit": descriptors])
        }
        return plan.limits
    }

    private func begin() {
        core.queues.redis.onConnected { [weak self] in
            self?.greet()
            self?.core.queues.defaults.publish()
        }
        core.queues.redis.start()
        core.queues.channels.start()
        core.storage.invalidation.start()
        core.queues.registry.open(existing: "default")
        for feature in features { feature.start() }
        housekeeping.start()
        readiness.start()
        let images = addresses["images"].map { "\($0)" } ?? "none"
        logger.notice("serving", ["rpc": rpcAddress, "http": httpAddress, "images": images, "redis": core.queues.redis.redacted])
    }

    /// Makes this coordinator known in every queue before its first request is there.
    private func greet() { for handle in core.queues.registry.all { handle.channel.ping() } }

    /// Reads the files of rules, tokens, certificates and the picture door again. A mistake in a file is logged, and what was in use stays in use.
    package func reload() async { await files.reload() }

    /// Stops accepting, refuses new requests, waits for requests in flight, and ends. Unfinished requests are answered with `shuttingDown`.
    /// - Parameter grace: The longest time for requests in flight.
    package func drain(grace: Duration = Coordinator.grace) async {
        guard !isStopping else { return }
        isStopping = true
        logger.notice("draining", ["inFlight": inFlight])
        server.stopAccepting()
        core.admission.isClosed = true
        for feature in features { feature.handOver() }
        let look: @Loop () -> Void = { [weak self, idle] in if self?.inFlight ?? 0 == 0 { idle.complete(.success(())) } }
        dispatcher.onIdle = look
        for feature in features { feature.port?.onIdle = look }
        if inFlight > 0 {
            let timer = LoopTimer(after: grace) { [weak self] in self?.hurry() }
            try? await idle.wait()
            timer.cancel()
        }
        await stop()
    }

    /// The requests that were taken and are not answered yet.
    // bounded: each has a connection of its own.
    package var inFlight: Int { features.reduce(dispatcher.inFlight) { $0 + ($1.port?.inFlight ?? 0) } }

    /// Ends the waiting of `drain` for requests in flight.
    package func hurry() { idle.complete(.success(())) }

    /// Ends now: answers requests in flight with `shuttingDown` and closes the connections. Work that only these clients wanted is canceled as far
    /// as Redis answers at once.
    package func stop() async {
        isStopping = true
        core.admission.isClosed = true
        for feature in features { feature.handOver() }
        dispatcher.close()
        await server.close(within: Self.farewell)
        for feature in features { await feature.port?.close(within: Self.farewell) }
        await web.close(within: Self.farewell)
        for feature in features { feature.stop() }
        housekeeping.stop()
        readiness.stop()
        files.stop()
        core.queues.registry.stop()
        core.receipts.cancellation.stop()
        core.queues.durability.stop()
        // Cancellations for closed clients and messages to other coordinators are still on their way to Redis. The answer to this PING shows that
        // they have arrived.
        let (scope, redis) = (core.process.scope, core.queues.redis)
        scope.run("last words") { _ = try? await redis.node(for: QueueKeys.shared).command(["PING"], timeout: .seconds(1)) }
        let limit = LoopTimer(after: .seconds(1)) { scope.cancelAll() }
        if redis.isConnected { await scope.drain() }
        limit.cancel()
        scope.cancelAll()
        await core.process.tracer?.close(within: .seconds(1))
        core.queues.channels.stop()
        redis.stop()
        core.storage.results.close()
        core.storage.sources.close()
        core.storage.fallback?.close()
        readers.stop()
        logger.notice("stopped")
    }
}
