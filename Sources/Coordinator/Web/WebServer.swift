import TintypeCore
import TintypeTransport
import TintypeImages

/// The HTTP port: images, health, metrics and JSON-RPC, as listed by `WebRoutes`.
@Loop
final class WebServer {
    private let metrics: Metrics
    private let counters: WebCounters
    private let door: AccessControl
    private let hosts: AllowedHosts
    private let routes: RouteTable<WebAction>
    /// The names of the routes by their paths.
    private let names: [(path: RoutePath, name: String)]
    private var server: HTTPServer?

    /// - Parameter hosts: The names that it answers to where no token is required.
    init(services: Services, dispatcher: Dispatcher, gauges: Gauges, hosts: AllowedHosts) {
        (metrics, door, self.hosts) = (services.metrics, services.door, hosts)
        counters = WebCounters(services.metrics)
        routes = .web(
            images: ImageRoute(results: services.results, cache: services.cache, door: services.door, scope: services.scope),
            rpc: RPCRoute(dispatcher: dispatcher, receipts: services.receipts), health: HealthRoute(services, gauges))
        names = routes.routes.map { ($0.path, $0.name) }
    }

    /// Listens and returns the address.
    /// - Parameter limits: The number of connections that may be open.
    /// - Throws: `HTTPServer.BindError` when it cannot listen on the address.
    func start(_ address: SocketAddress, limits: ConnectionLimits) throws(HTTPServer.BindError) -> SocketAddress {
        let places = ConnectionRoom(limits) { [metrics] in metrics.add(.connectionsRefused, labels: "http", $0.rawValue) }
        let bodies = BodyAdmission(routes, door, metrics)
        let server = try HTTPServer(address, maxBody: BodyAdmission.maxImage, door: bodies, places: places) { [weak self] in self?.take($0) }
        self.server = server
        return server.address
    }

    /// Sends the current answers to the last byte, but for at most `limit`.
    func close(within limit: Duration) async {
        await server?.close(within: limit)
        server = nil
    }

    private func take(_ exchange: HTTPExchange) {
        let start = Seconds.monotonic
        let name = names.first { $0.path.contains(exchange.path) }?.name ?? BodyAdmission.nowhere
        serve(exchange) { [counters] answer in
            counters.count(
                name, status: answer.status, bytes: exchange.method == "HEAD" ? 0 : answer.body.count, seconds: Seconds.monotonic - start)
            exchange.respond(answer.status, lines: answer.allLines, body: answer.body, holding: answer.held)
        }
    }

    private func serve(_ exchange: HTTPExchange, _ answer: @escaping @Loop (WebAnswer) -> Void) {
        let visit = WebVisit(method: exchange.method, path: exchange.path, header: { exchange.header($0) }, grant: { [door] in door.grant(exchange) })
        switch WebVerdict(visit, routes, isGuarded: door.isGuarded, hosts: hosts) {
        case .forbidden(let error): answer(.failure(403, error))
        case .unauthenticated: answer(.unauthenticated)
        case .nothing: answer(.notFound("there is nothing at this path"))
        case .otherMethods(let allowed): answer(.methodNotAllowed(allowed))
        // The head was admitted before its path was decoded, so the limit of the real route is checked again.
        case .serve(let route) where exchange.body.count > route.maxBody: answer(.tooLong(route.maxBody))
        case .serve(let route): route.action(exchange, answer)
        }
    }
}
