import TintypeCore
import TintypeTransport

/// `/healthz`, `/readyz` and `/metrics`.
@Loop
final class HealthRoute {
    private let services: Services
    private let gauges: Gauges
    private let events: EventRoute

    init(_ services: Services, _ gauges: Gauges, _ events: EventRoute) { (self.services, self.gauges, self.events) = (services, gauges, events) }

    /// The answer that shows that the loop runs.
    var liveness: WebAnswer { .json(200, ["status": "ok"]) }

    /// The answer whether every request can be served.
    var readiness: WebAnswer {
        guard let reason = services.readiness.obstacle else { return .json(200, ["status": "ready"]) }
        return .json(503, ["status": "not ready", "reason": .string(reason)], headers: [("Retry-After", "1")])
    }

    /// - Parameter accept: the Accept header of the request.
    func metrics(accept: String?) -> WebAnswer {
        gauges.sample()
        events.sample()
        let format = MetricsFormat(accept: accept)
        return .text(services.metrics.text(format), type: format.contentType)
    }
}
