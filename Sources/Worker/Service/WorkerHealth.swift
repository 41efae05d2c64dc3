import TintypeCore
import TintypeTransport

/// The worker's own HTTP port: `/healthz` (the loop turns), `/readyz` (it takes work), `/metrics`.
@Loop final class WorkerHealth {
    private var server: HTTPServer?

    /// - Parameters:
    ///   - hosts: the names it answers to.
    ///   - isReady: nil when it takes work, else why it does not.
    ///   - sample: sets the gauges before they are read.
    init(
        _ address: SocketAddress, hosts: OwnHosts, metrics: Metrics, isReady: @escaping @Loop () -> String?, sample: @escaping @Loop () -> Void
    ) throws(HTTPServer.BindError) {
        server = try HTTPServer(address, maxBody: 0) { exchange in
            switch (exchange.method, exchange.path) {
            case _ where !hosts.answers(to: exchange.header("Host")): Self.answer(exchange, 403, OwnHosts.refusal.message)
            case ("GET", "/healthz"), ("HEAD", "/healthz"): Self.answer(exchange, 200, "ok")
            case ("GET", "/readyz"), ("HEAD", "/readyz"):
                let reason = isReady()
                Self.answer(exchange, reason == nil ? 200 : 503, reason ?? "ready")
            case ("GET", "/metrics"), ("HEAD", "/metrics"):
                sample()
                exchange.respond(200, headers: [("Content-Type", "text/plain; version=0.0.4")], body: Array(metrics.prometheusText().utf8))
            default: Self.answer(exchange, 404, "a worker has /healthz, /readyz and /metrics")
            }
        }
    }

    var address: SocketAddress? { server?.address }

    func close() { server?.close() }

    private static func answer(_ exchange: HTTPExchange, _ status: Int, _ text: String) {
        exchange.respond(status, headers: [("Content-Type", "text/plain; charset=utf-8")], body: Array((text + "\n").utf8))
    }
}
