import TintypeCore
import TintypeTransport

/// The HTTP port: images, health, metrics and JSON-RPC.
@Loop
final class WebServer {
    private let services: Services
    private let gauges: Gauges
    private let images: ImageRoute
    private let rpc: RPCRoute
    private let hosts: OwnHosts
    private var server: HTTPServer?

    /// - Parameter hosts: the names it answers to where it asks for no token.
    init(services: Services, dispatcher: Dispatcher, gauges: Gauges, hosts: OwnHosts) {
        self.services = services
        self.gauges = gauges
        self.hosts = hosts
        images = ImageRoute(results: services.results, cache: services.cache, door: services.door, scope: services.scope)
        rpc = RPCRoute(dispatcher: dispatcher, receipts: services.receipts)
    }

    /// Listens; answers where.
    /// - Parameter limits: how many connections it keeps open.
    /// - Throws: `HTTPServer.BindError` when the address cannot be had.
    func start(_ address: SocketAddress, limits: ConnectionLimits) throws(HTTPServer.BindError) -> SocketAddress {
        let places = ConnectionRoom(limits) { [metrics = services.metrics] in metrics.add(.connectionsRefused, labels: "http", $0.rawValue) }
        let bodies = BodyAdmission(services.door, services.metrics)
        let server = try HTTPServer(address, maxBody: BodyAdmission.maxImage, door: bodies, places: places) { [weak self] in self?.take($0) }
        self.server = server
        return server.address
    }

    /// Sends what is being answered to the last byte, but not longer than `limit`.
    func close(within limit: Duration) async {
        await server?.close(within: limit)
        server = nil
    }

    private func take(_ exchange: HTTPExchange) {
        let start = Seconds.monotonic
        let route = Self.route(exchange.path)
        serve(exchange, route) { [metrics = services.metrics] answer in
            metrics.add(.httpRequests, labels: route.rawValue, "\(answer.status)")
            metrics.add(.httpSentBytes, Double(exchange.method == "HEAD" ? 0 : answer.body.count), labels: route.rawValue)
            metrics.observe(.httpSeconds, Seconds.monotonic - start, labels: route.rawValue)
            exchange.respond(answer.status, headers: answer.headers, body: answer.body, holding: answer.held)
        }
    }

    enum Route: String {
        case images, healthz, readyz, metrics, rpc, other

        /// Whether it serves those too who have brought no token; `rpc` looks for itself.
        var isOpen: Bool { asksForNoToken || self == .rpc }
        /// Whether it never asks for one.
        var asksForNoToken: Bool { [.healthz, .readyz, .metrics].contains(self) }
    }

    nonisolated static func route(_ path: String) -> Route {
        switch path {
        case "/healthz": .healthz
        case "/readyz": .readyz
        case "/metrics": .metrics
        case "/rpc": .rpc
        default: path.hasPrefix(ImagePath.prefix) ? .images : .other
        }
    }

    /// Why a request is refused before anything else. A token is something no stranger's page has. Who only reads pictures is let
    /// in by whatever page asks: other pages may show them. But under a name that could be a page's own, that page could read them.
    private func refusal(_ exchange: HTTPExchange, _ route: Route, reads: Bool) -> TintypeError? {
        guard !services.door.isGuarded || route.asksForNoToken else { return nil }
        let host = exchange.header("Host")
        guard hosts.answers(to: host) else { return OwnHosts.refusal }
        guard !reads else { return nil }
        return PageOrigin.refusal(origin: exchange.header("Origin"), site: exchange.header("Sec-Fetch-Site"), host: host, own: hosts)
    }

    private func serve(_ exchange: HTTPExchange, _ route: Route, _ answer: @escaping @Loop (WebAnswer) -> Void) {
        let reads = exchange.method == "GET" || exchange.method == "HEAD"
        if let refusal = refusal(exchange, route, reads: reads) { return answer(.failure(403, refusal)) }
        switch route {
        case _ where !route.isOpen && services.door.grant(exchange) == nil: answer(.unauthenticated)
        case .other: answer(.notFound("there is nothing at this path"))
        case .rpc where exchange.method != "POST": answer(.methodNotAllowed("POST"))
        case .rpc where exchange.body.count > BodyAdmission.maxMessage: answer(.tooLong(BodyAdmission.maxMessage))
        case .rpc: rpc.serve(exchange, answer)
        case .images where exchange.method == "PUT":
            images.put(exchange, key: String(exchange.path.dropFirst(ImagePath.prefix.count)), answer)
        case .images where !reads: answer(.methodNotAllowed("GET, HEAD, PUT"))
        case _ where !reads: answer(.methodNotAllowed("GET, HEAD"))
        case .images: images.serve(exchange, key: String(exchange.path.dropFirst(ImagePath.prefix.count)), answer)
        case .healthz: answer(.json(200, ["status": "ok"]))
        case .readyz:
            if let reason = services.unreadiness {
                answer(.json(503, ["status": "not ready", "reason": .string(reason)], headers: [("Retry-After", "1")]))
            } else {
                answer(.json(200, ["status": "ready"]))
            }
        case .metrics:
            gauges.sample()
            answer(.text(services.metrics.prometheusText(), type: "text/plain; version=0.0.4; charset=utf-8"))
        }
    }
}
