import Shared

/// The HTTP port: images, health, metrics and JSON-RPC.
@Loop
final class WebServer {
    private let services: Services
    private let gauges: Gauges
    private let images: ImageRoute
    private let rpc: RPCRoute
    private var server: HTTPServer?

    init(services: Services, dispatcher: Dispatcher, gauges: Gauges) {
        self.services = services
        self.gauges = gauges
        images = ImageRoute(results: services.results, cache: services.cache, door: services.door, scope: services.scope)
        rpc = RPCRoute(dispatcher: dispatcher, receipts: services.receipts)
    }

    /// Listens; answers where.
    /// - Throws: `HTTPServer.BindError` when the address cannot be had.
    func start(_ address: SocketAddress) throws(HTTPServer.BindError) -> SocketAddress {
        let bodies = BodyAdmission(services.door, services.metrics)
        let server = try HTTPServer(address, maxBody: BodyAdmission.maxImage, door: bodies) { [weak self] in self?.take($0) }
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
        var isOpen: Bool { [.healthz, .readyz, .metrics, .rpc].contains(self) }
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

    /// Why whoever sends something is refused before anything else. A token is something no stranger's page has. Who only reads pictures is let
    /// in: other pages may show them.
    private func refusal(_ exchange: HTTPExchange) -> TintypeError? {
        guard !services.door.isGuarded else { return nil }
        return PageOrigin.refusal(origin: exchange.header("Origin"), site: exchange.header("Sec-Fetch-Site"), host: exchange.header("Host"))
    }

    private func serve(_ exchange: HTTPExchange, _ route: Route, _ answer: @escaping @Loop (WebAnswer) -> Void) {
        let reads = exchange.method == "GET" || exchange.method == "HEAD"
        if !reads, let refusal = refusal(exchange) { return answer(.failure(403, refusal)) }
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
