package import TintypeCore
package import TintypeTransport
import TintypeDoor
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
    /// The address of the picture door; nil: there is none.
    package let imagesAddress: SocketAddress?

    let services: Services
    private let dispatcher: Dispatcher
    let server: RPCServer
    let web: WebServer
    private let images: DoorServer?
    private let reaper: Reaper
    private let lender: ShareLender
    private let gauges: Gauges
    private let logger: Logger
    private let files: BlockingPool
    /// Parses JSON that is too long for the loop.
    private let readers = BlockingPool(threads: 1, name: "json")
    /// The files of rules and tokens.
    private let rules: String?
    private let tokenFile: String?
    /// The settings of the picture door, with its files.
    private let imageSettings: PictureDoorSettings
    /// The certificates of all ports; nil if they speak no TLS.
    private let certificates: TLSCertificates?
    /// Reloads that were requested and are not done.
    private var reloads = 0
    private var isStopping = false
    /// The condition that `drain` waits for: no request is in flight, or the waiting is over.
    private let idle = OneShot<Void>()

    /// Listens on its ports and begins to connect to Redis.
    /// - Throws: `SettingError` for a mistake in a file. Mistakes in other settings or in addresses are thrown as a sentence.
    package init(_ settings: CoordinatorSettings, pool: BlockingPool, logger: Logger, metrics: Metrics = Metrics()) throws {
        try settings.checkExposure()
        try settings.proxies.check()
        var settings = settings
        try settings.common.takeRedisPassword()
        try settings.takePurgeSecret()
        // Each waiting receipt stores this name, so it is short.
        let name = "c-\(ReceiptNames.next().prefix(8))"
        let logger = logger.with(["coordinator": name])
        let permissions = Permissions(settings)
        let rules = try Rules.read(settings.rules) { options, path throws(TintypeError) in try permissions.check(options, at: path) }
        let tokens = try AccessTokens.read(settings.tokenFile)
        let keys = try KeySecret.read(settings.common.keySecretFile)
        let pictures = try settings.images.open()
        let tls = try settings.common.tlsFiles().map { files in try TLSCertificates(files, pool: pool, metrics: metrics, logger: logger) }
        let redis = RedisTopologies(tls: settings.common.redisTLS)
        let store = try ResultStores.open(settings.common.resultsURL, redis: redis, name: name, pool: pool, keepsOpen: true, logger: logger)
        let sources = try ResultStores.open(settings.common.sourcesURL, .sources, redis: redis, name: name, pool: pool, logger: logger)
        let fallback = try settings.resultsFallback.map { try ResultStores.openToRead($0, redis: redis, name: name, logger: logger) }
        let services = Services(
            redis.topology(of: try RedisURL(settings.common.redis, tls: redis.tls), name: name, logger: logger), store: store, fallback: fallback,
            sources: sources, settings: settings, keys: keys,
            coordinator: name,
            readers: readers,
            packers: pool, metrics: metrics, logger: logger)
        services.admission.rules = rules
        (services.door.tokens, services.door.keys) = (tokens, keys)
        let dispatcher = try Dispatcher(MethodTable.all(services), door: services.door, tracer: services.tracer, metrics: metrics)
        let gauges = Gauges(services, dispatcher: dispatcher)
        let (sender, hosts) = (ImageSender(services.results, services.unsent), AllowedHosts(settings.common.hostNames))
        let web = WebServer(services: services, dispatcher: dispatcher, gauges: gauges, sender: sender, hosts: hosts)
        let fields = DoorHeaders(cors: settings.images.cors, namesSource: settings.images.namesSource)
        let images = pictures.map { DoorServer($0, services: services, sender: sender, headers: fields, hosts: hosts) }
        let limits = Self.connections(settings.connections, listeners: images == nil ? 2 : 3, logger)
        let server = try RPCServer(
            settings.listen, over: tls?.transport(for: settings.listen, listener: "rpc") ?? PlainTransport(), limits: limits,
            proxies: settings.proxies.before(.rpc), dispatcher: dispatcher, receipts: services.receipts, answers: services.answers,
            metrics: metrics, logger: logger)
        rpcAddress = server.address
        httpAddress = try web.start(
            settings.http, over: tls?.transport(for: settings.http, listener: "http") ?? PlainTransport(), limits: limits,
            proxies: settings.proxies.before(.http))
        if let images, let address = settings.images.address {
            imagesAddress = try images.start(
                address, over: tls?.transport(for: address, listener: "images") ?? PlainTransport(), limits: limits,
                proxies: settings.proxies.before(.images))
        } else {
            imagesAddress = nil
        }
        services.addresses = ("\(rpcAddress)", "\(httpAddress)")
        services.pictureDoor = { [weak images] in images?.door }
        reaper = Reaper(registry: services.registry, scope: services.scope, metrics: metrics, logger: logger)
        lender = ShareLender(registry: services.registry, defaults: services.defaults, scope: services.scope, logger: logger)
        (files, self.rules, tokenFile, imageSettings, certificates) = (pool, settings.rules, settings.tokenFile, settings.images, tls)
        (self.services, self.dispatcher, self.gauges, self.web, self.server, self.logger) = (services, dispatcher, gauges, web, server, logger)
        self.images = images
        begin(settings)
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

    private func begin(_ settings: CoordinatorSettings) {
        services.redis.onConnected { [weak self] in
            self?.greet()
            self?.services.defaults.publish()
        }
        services.redis.start()
        services.channels.start()
        services.invalidation.start()
        services.registry.open(existing: "default")
        services.watches.start()
        services.groups.begin()
        reaper.start()
        lender.start()
        services.callbacks.start()
        gauges.start()
        services.statistics.start()
        services.room.start()
        services.readiness.start()
        services.pressure.start()
        services.heap.start()
        let images = imagesAddress.map { "\($0)" } ?? "none"
        logger.notice("serving", ["rpc": rpcAddress, "http": httpAddress, "images": images, "redis": services.redis.redacted])
    }

    /// Makes this coordinator known in every queue before its first request is there.
    private func greet() { for handle in services.registry.all { handle.channel.ping() } }

    /// Reads the files of rules, tokens, certificates and the picture door again. A mistake in a file is logged, and what was in use stays in use.
    package func reload() async {
        certificates?.reload()
        reloads += 1
        // Reloads run one after the other, so that the last read wins.
        guard reloads == 1 else { return }
        while reloads > 0 {
            let asked = reloads
            if let rules { await readRules(rules) }
            if let tokenFile { await readTokens(tokenFile) }
            if let images { await readKeysAndPresets(images) }
            reloads -= asked
        }
    }

    private func readTokens(_ path: String) async {
        do {
            services.door.tokens = try await files.run { try AccessTokens.read(path) }
            server.expel(services.door)
            web.expel()
            logger.notice("tokens read", ["file": path])
        } catch {
            logger.error("the tokens cannot be used; the old tokens stay in use", ["error": (error as? SettingError)?.message ?? "\(error)"])
        }
    }

    private func readKeysAndPresets(_ images: DoorServer) async {
        do {
            guard let door = try await files.run({ [imageSettings] in try imageSettings.open() }) else { return }
            images.door = door
            logger.notice("keys and presets of pictures read", ["keys": door.signature.pairs.count, "presets": door.policy.presets.names.count])
        } catch {
            logger.error(
                "the keys or presets of pictures cannot be used; the old ones stay in use", ["error": (error as? SettingError)?.message ?? "\(error)"])
        }
    }

    private func readRules(_ path: String) async {
        do {
            let permissions = services.admission.permissions
            let rules = try await files.run {
                try Rules.read(path) { options, path throws(TintypeError) in try permissions.check(options, at: path) }
            }
            services.admission.rules = rules
            services.defaults.publish()
            logger.notice("rules read", ["file": path, "rules": rules.count])
        } catch {
            logger.error("the rules cannot be used; the old rules stay in use", ["error": (error as? SettingError)?.message ?? "\(error)"])
        }
    }

    /// Stops accepting, refuses new requests, waits for requests in flight, and ends. Unfinished requests are answered with `shuttingDown`.
    /// - Parameter grace: The longest time for requests in flight.
    package func drain(grace: Duration = Coordinator.grace) async {
        guard !isStopping else { return }
        isStopping = true
        logger.notice("draining", ["inFlight": inFlight])
        server.stopAccepting()
        services.admission.isClosed = true
        services.groups.handOver()
        let look: @Loop () -> Void = { [weak self, idle] in if self?.inFlight ?? 0 == 0 { idle.complete(.success(())) } }
        dispatcher.onIdle = look
        images?.calls.onIdle = look
        if inFlight > 0 {
            let timer = LoopTimer(after: grace) { [weak self] in self?.hurry() }
            try? await idle.wait()
            timer.cancel()
        }
        await stop()
    }

    /// The requests that were taken and are not answered yet.
    var inFlight: Int { dispatcher.inFlight + (images?.calls.count ?? 0) }

    /// Ends the waiting of `drain` for requests in flight.
    package func hurry() { idle.complete(.success(())) }

    /// Ends now: answers requests in flight with `shuttingDown` and closes the connections. Work that only these clients wanted is canceled as far
    /// as Redis answers at once.
    package func stop() async {
        isStopping = true
        services.admission.isClosed = true
        services.groups.handOver()
        dispatcher.close()
        await server.close(within: Self.farewell)
        await images?.close(within: Self.farewell)
        await web.close(within: Self.farewell)
        services.watches.stop()
        reaper.stop()
        lender.stop()
        services.callbacks.stop()
        gauges.stop()
        services.statistics.stop()
        services.ends.stop()
        services.room.stop()
        services.readiness.stop()
        services.pressure.stop()
        services.heap.stop()
        certificates?.stop()
        services.activity.stop()
        services.registry.stop()
        services.withdrawal.stop()
        services.durability.stop()
        // Cancellations for closed clients and messages to other coordinators are still on their way to Redis. The answer to this PING shows that
        // they have arrived.
        services.scope.run("last words") { [services] in _ = try? await services.redis.node(for: QueueKeys.shared).command(["PING"], timeout: .seconds(1)) }
        let limit = LoopTimer(after: .seconds(1)) { [services] in services.scope.cancelAll() }
        if services.redis.isConnected { await services.scope.drain() }
        limit.cancel()
        services.scope.cancelAll()
        await services.tracer?.close(within: .seconds(1))
        services.channels.stop()
        services.redis.stop()
        services.store.close()
        services.sources.close()
        services.fallback?.close()
        readers.stop()
        logger.notice("stopped")
    }
}
