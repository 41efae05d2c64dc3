import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeSettings

/// The HTTP port: images, uploads, health, metrics and JSON-RPC, as listed by `WebRoutes`.
@Loop
final class WebServer {
    private let metrics: Metrics
    private let tracer: Tracer?
    private let counters: WebCounters
    private let door: AccessControl
    private let hosts: AllowedHosts
    private let routes: RouteTable<WebAction>
    private var repeatedHost: RepeatedHost
    private let uploads: Uploads
    private let rates: PictureRates?
    private let room: AnswerRoom
    private var server: HTTPServer?
    let events: EventRoute
    let scale: ScaleRoute
    private let sessions: SessionRoute

    /// - Parameter hosts: The names that it answers to where no token is required.
    init(services: Services, dispatcher: Dispatcher, gauges: Gauges, sender: ImageSender, hosts: AllowedHosts) {
        (metrics, door, uploads, rates, room, self.hosts) = (services.metrics, services.door, services.uploads, services.rates, services.unsent, hosts)
        repeatedHost = RepeatedHost(hosts)
        (counters, tracer) = (WebCounters(services.metrics), services.tracer)
        events = EventRoute(services)
        scale = ScaleRoute(services)
        sessions = SessionRoute(services.door)
        routes = .web(
            images: ImageRoute(results: services.results, cache: services.cache, door: services.door, scope: services.scope, sender: sender),
            rpc: RPCRoute(services, dispatcher: dispatcher), health: HealthRoute(services, gauges, events),
            uploads: UploadRoute(services.uploads, door: services.door, scope: services.scope), events: events, scale: scale,
            sessions: sessions)
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
        let places = ConnectionRoom(limits) { [metrics] in metrics.add(.connectionsRefused, labels: "http", $0.rawValue) }
        let bodies = BodyAdmission(routes, door, metrics, uploads: uploads.arriving)
        let most = max(BodyAdmission.maxImage, uploads.most)
        sessions.isEncrypted = !(transport is PlainTransport)
        let server = try HTTPServer(address, over: transport, maxBody: most, door: bodies, places: places, proxies: proxies, room: room) { [weak self] in
            self?.take($0)
        }
        self.server = server
        return server.address
    }

    /// Sends the current answers to the last byte, but for at most `limit`.
    func close(within limit: Duration) async {
        events.close()
        await server?.close(within: limit)
        server = nil
    }

    /// Ends the streams whose token no longer permits them.
    func expel() { events.expel() }

    private func take(_ exchange: HTTPExchange) {
        let start = Seconds.monotonic
        let match = routes.match(exchange.method, exchange.path)
        let name = match.route?.name ?? BodyAdmission.nowhere
        // JSON-RPC has spans of its own.
        let trace = match.route?.isTraced == true ? HTTPTrace(exchange, route: name, tracer) : nil
        // No traced route sets this itself: its work goes on without the client.
        if let trace, trace.isOpen { exchange.onClosed = { trace.end(status: nil) } }
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
            exchange.method, match, isOurs: repeatedHost.answers(to: exchange.header("Host")), isGuarded: door.isGuarded, hosts: hosts,
            header: { exchange.header($0) },
            grant: {
                attempt = door.attempt(exchange)
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
                if route.isCounted, !door.clients.isEmpty { try door.clients.take(attempt.grant) }
                if let rates, route.name == ImageRoute.name, exchange.method != "PUT", !door.isGuarded { try rates.take(.requests, by: exchange.peer) }
                route.action(exchange, answer)
            } catch {
                answer(.refused(error))
            }
        }
    }
}
