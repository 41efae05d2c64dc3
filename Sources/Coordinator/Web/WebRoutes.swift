import TintypeCore
import TintypeTransport
import TintypeImages

/// The code that serves a route; it answers once.
typealias WebAction = @Loop (HTTPExchange, @escaping @Loop (WebAnswer) -> Void) -> Void

extension RouteTable<WebAction> {
    /// Returns all routes of the HTTP port, with their required access.
    @Loop static func web(
        images: ImageRoute, rpc: RPCRoute, health: HealthRoute, uploads: UploadRoute, events: EventRoute, scale: ScaleRoute, sessions: SessionRoute
    ) -> RouteTable {
        let reads = ["GET", "HEAD"]
        let (image, other) = (RoutePath.below(ImagePath.prefix, name: "KEY"), BodyAdmission.maxOther)
        return RouteTable([
            Route(ImageRoute.name, reads, image, .token(.load), isCounted: true, isTraced: true, maxBody: other) { images.serve($0, $1) },
            Route(ImageRoute.name, ["PUT"], image, .token(ImageRoute.roleToPut), isCounted: true, isTraced: true, maxBody: BodyAdmission.maxImage) {
                images.put($0, $1)
            },
            Route(UploadRoute.name, ["PUT"], .exact(UploadRoute.path), .token(UploadRoute.role), isCounted: true, isTraced: true, maxBody: uploads.maxBody) {
                uploads.put($0, $1)
            },
            Route(UploadRoute.name, ["DELETE"], .below(UploadRoute.path + "/", name: "ID"), .token(UploadRoute.role), isTraced: true, maxBody: other) {
                uploads.remove($0, $1)
            },
            Route("rpc", ["POST"], .exact("/rpc"), .optionalToken, maxBody: BodyAdmission.maxMessage) { rpc.serve($0, $1) },
            // A page of another site could not read the events, and would keep a connection open.
            Route("events", reads, .exact("/events"), .token(.load), pages: .own, maxBody: other) { events.serve($0, $1) },
            Route("healthz", reads, .exact("/healthz"), .open, maxBody: other) { _, answer in answer(health.liveness) },
            Route("readyz", reads, .exact("/readyz"), .open, maxBody: other) { _, answer in answer(health.readiness) },
            Route("metrics", reads, .exact("/metrics"), .open, maxBody: other) { exchange, answer in
                answer(health.metrics(accept: exchange.header("Accept")))
            },
            // The page has no secret: its methods ask for a token. As a guarded service, it then answers under every name.
            Route("page", reads, .exact("/"), .optionalToken, maxBody: other) { $1(PageRoute.answer(to: $0)) },
            Route("page", reads, .below(PageRoute.prefix, name: "NAME"), .optionalToken, maxBody: other) { $1(PageRoute.answer(to: $0)) },
            Route("session", ["POST", "DELETE"], .exact("/session"), .optionalToken, maxBody: other) { sessions.serve($0, $1) },
            Route("scale", reads, .exact("/scale"), .open, maxBody: other) { scale.serve($0, $1) },
        ])
    }
}
