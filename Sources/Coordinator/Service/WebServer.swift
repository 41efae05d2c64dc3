import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeSettings

/// The HTTP port: images, uploads, health, metrics and JSON-RPC, as listed by `WebRoutes`.
@Loop
final class WebServer {
    private let metrics: Metrics
    private let tracer: (any Tracer)?
    private let counters: WebCounters
    private let access: AccessControl
    private let hosts: AllowedHosts
    private let routes: RouteTable<WebAction>
    private var repeatedHost: RepeatedHost
    private let rates: PictureRates?
    private let http: CoreHTTP
    private let features: [Feature]
    private var server: HTTPServer?

    init(_ core: Core, dispatcher: Dispatcher, health: HealthRoute, features: [Feature]) {
        let process = core.process
        (metrics, tracer, self.features) = (process.metrics, process.tracer, features)
        (access, hosts, rates, http) = (core.access.control, core.access.hosts, core.http.rates, core.http)
        (repeatedHost, counters) = (RepeatedHost(hosts), WebCounters(process.metrics))
        let images = ImageRoute(kept: core.storage.kept, cache: core.storage.cache, access: access, scope: process.scope, sender: core.http.sender)
        let rpc = RPCRoute(
            dispatcher, access: access, receipts: core.receipts.table, answers: core.receipts.answers, metrics: process.metrics, logger: process.logger)
        routes = RouteTable(RouteTable.core(images: images, rpc: rpc) + health.routes + features.flatMap(\.routes))
    }

    /// Listens and returns the address.
    /// - Parameters:
    ///   - transport: The carrier of the bytes.
    ///   - limits: The number of connections that may be open.
    ///   - proxies: The proxies that may name their clients.
    /// - Throws: `HTTPServer.BindError` when it cannot listen on the address.
    func start(
        _ address: SocketAddress, over transport: any Transport, limits: ConnectionLimits, proxies: TrustedProxies
    ) throws(HTTPServer.BindError) -> SocketAddress {
        let connectionLimiter = ConnectionLimiter(limits) { [metrics] in metrics.add(.connectionsRefused, labels: "http", $0.rawValue) }
        let budgets = features.reduce(into: [:]) { all, feature in all.merge(feature.bodies) { first, _ in first } }
        let bodies = BodyAdmission(routes, access, metrics, bodies: budgets)
        let most = routes.routes.map(\.maxBody).max() ?? BodyAdmission.maxOther
        http.isEncrypted = !(transport is PlainTransport)
        let server = try HTTPServer(
            address, over: transport, maxBody: most, bodyLimiter: bodies, connectionLimiter: connectionLimiter, proxies: proxies, unsent: http.unsent
        ) { [weak self] in
            self?.take($0)
        }
        self.server = server
        return server.address
    }

    /// Sends the current answers to the last byte, but for at most `limit`.
    func close(within limit: Duration) async {
        for feature in features { feature.finish() }
        await server?.close(within: limit)
        server = nil
    }

    private func take(_ exchange: HTTPExchange) {
        let start = Seconds.monotonic
        let match = routes.match(exchange.method, exchange.path)
        let name = match.route?.name ?? BodyAdmission.nowhere
        // JSON-RPC has spans of its own.
        let trace = match.route?.isTraced == true ? RequestTrace(exchange, route: name, tracer) : nil
        // No traced route sets this itself: its work goes on without the client.
        if let trace, trace.span != nil { exchange.onClosed = { trace.end(status: nil) } }
        let counted = ImageRoute.isLook(exchange, route: name) ? ImageRoute.look : name
        let answer: @Loop (WebAnswer) -> Void = { [counters] answer in
            trace?.end(status: answer.status)
            let bytes = exchange.method == "HEAD" ? 0 : answer.count
            counters.count(counted, status: answer.status, bytes: bytes, seconds: Seconds.monotonic - start, trace?.context)
            if let stream = answer.stream { return stream(exchange) }
            exchange.respond(answer.status, lines: answer.allLines, body: answer.body, file: answer.file, holding: answer.held)
        }
        TraceContext.within(trace?.context) { serve(exchange, match, answer) }
    }

    private func serve(_ exchange: HTTPExchange, _ match: RouteTable<WebAction>.Match, _ answer: @escaping @Loop (WebAnswer) -> Void) {
        var attempt = AccessControl.Attempt.refused
        let verdict = WebVerdict(
            exchange.method, match, isOurs: repeatedHost.answers(to: exchange.header("Host")), isGuarded: access.isGuarded, hosts: hosts,
            header: { exchange.header($0) },
            grant: {
                attempt = access.attempt(exchange)
                return attempt.grant
            })
        switch verdict {
        case .forbidden(let error): answer(.failure(403, error))
        case .unauthenticated:
            switch attempt {
            case .granted, .refused: answer(.unauthenticated)
            case .throttled(let error): answer(.refused(error))
            case .strange: answer(.failure(403, AccessControl.foreign))
            }
        case .nothing: answer(.notFound("there is nothing at this path"))
        case .otherMethods(let allowed): answer(.methodNotAllowed(allowed))
        // The head was admitted before its path was decoded, so the limit of the real route is checked again.
        case .serve(let route) where exchange.body.count > route.maxBody: answer(.tooLong(route.maxBody))
        case .serve(let route):
            do throws(TintypeError) {
                if route.isCounted, !access.clients.isEmpty { try access.clients.take(attempt.grant) }
                if let rates, route.name == ImageRoute.name, exchange.method != "PUT", !access.isGuarded { try rates.take(.requests, by: exchange.peer) }
                route.action(exchange, answer)
            } catch {
                answer(.refused(error))
            }
        }
    }
}
