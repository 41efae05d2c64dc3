import TintypeCore
import TintypeImages
import TintypeTransport

/// `/healthz`, `/readyz` and `/metrics`.
@Loop
final class HealthRoute {
    private let readiness: Readiness
    private let gauges: Gauges
    private let features: [Feature]
    private let metrics: Metrics

    init(_ readiness: Readiness, _ gauges: Gauges, _ features: [Feature], _ metrics: Metrics) {
        (self.readiness, self.gauges, self.features, self.metrics) = (readiness, gauges, features, metrics)
    }

    /// Its routes, which are open to all.
    var routes: [Route<WebAction>] {
        let (reads, other) = (["GET", "HEAD"], BodyAdmission.maxOther)
        return [
            Route("healthz", reads, .exact("/healthz"), .open, maxBody: other) { [self] _, answer in answer(liveness) },
            Route("readyz", reads, .exact("/readyz"), .open, maxBody: other) { [self] _, answer in answer(verdict) },
            Route("metrics", reads, .exact("/metrics"), .open, maxBody: other) { [self] exchange, answer in
                answer(metrics(accept: exchange.header("Accept")))
            },
        ]
    }

    /// The answer that shows that the loop runs.
    var liveness: WebAnswer { .json(200, ["status": "ok"]) }

    /// The answer whether every request can be served.
    var verdict: WebAnswer {
        guard let reason = readiness.obstacle else { return .json(200, ["status": "ready"]) }
        return .json(503, ["status": "not ready", "reason": .string(reason)], headers: [("Retry-After", "1")])
    }

    /// - Parameter accept: the Accept header of the request.
    func metrics(accept: String?) -> WebAnswer {
        gauges.sample()
        for feature in features { feature.sample() }
        let format = MetricsFormat(accept: accept)
        return .text(metrics.text(format), type: format.contentType)
    }
}
