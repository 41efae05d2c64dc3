import TintypeCore
import TintypeTransport
import TintypeImages

/// The worker's HTTP port: `/healthz` (the loop turns), `/readyz` (the worker takes work), `/metrics`.
@Loop final class WorkerHealth {
    private struct Answer {
        var status = 200
        var type = "text/plain; charset=utf-8"
        let text: String
    }

    private var server: HTTPServer?

    /// - Parameters:
    ///   - transport: the carrier of the bytes.
    ///   - hosts: the host names that the server accepts.
    ///   - isReady: returns nil if the worker takes work, otherwise the reason.
    ///   - sample: sets the gauges before they are read.
    init(
        _ address: SocketAddress, over transport: any Transport = PlainTransport(), hosts: AllowedHosts, metrics: Metrics,
        isReady: @escaping @Loop () -> String?,
        sample: @escaping @Loop () -> Void
    ) throws(HTTPServer.BindError) {
        let reads = ["GET", "HEAD"]
        let routes = RouteTable<@Loop (HTTPExchange) -> Answer>([
            Route("healthz", reads, .exact("/healthz"), .open, maxBody: 0) { _ in Answer(text: "ok\n") },
            Route("readyz", reads, .exact("/readyz"), .open, maxBody: 0) { _ in
                isReady().map { Answer(status: 503, text: $0 + "\n") } ?? Answer(text: "ready\n")
            },
            Route("metrics", reads, .exact("/metrics"), .open, maxBody: 0) { exchange in
                sample()
                let format = MetricsFormat(accept: exchange.header("Accept"))
                return Answer(type: format.contentType, text: metrics.text(format))
            },
        ])
        server = try HTTPServer(address, over: transport, maxBody: routes.routes.map(\.maxBody).max() ?? 0) { exchange in
            let answer = Self.answer(exchange, hosts, routes)
            exchange.respond(answer.status, headers: [("Content-Type", answer.type)], body: Array(answer.text.utf8))
        }
    }

    private static func answer(_ exchange: HTTPExchange, _ hosts: AllowedHosts, _ routes: RouteTable<@Loop (HTTPExchange) -> Answer>) -> Answer {
        guard hosts.answers(to: exchange.header("Host")) else { return Answer(status: 403, text: AllowedHosts.refusal.message + "\n") }
        switch routes.match(exchange.method, exchange.path) {
        case .route(let route): return route.action(exchange)
        // Other methods are answered 404 too.
        case .otherMethods, .nothing: return Answer(status: 404, text: "a worker has /healthz, /readyz and /metrics\n")
        }
    }

    var address: SocketAddress? { server?.address }

    func close() { server?.close() }
}
