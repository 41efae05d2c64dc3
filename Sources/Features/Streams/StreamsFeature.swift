package import Coordinator
import TintypeImages
import TintypeTransport

extension Feature {
    /// Server-sent events of receipts, queues and statistics: `GET /events`.
    package static let streams: Maker = { core, _ in
        let events = EventRoute(core)
        var feature = Feature()
        // A page of another site could not read the events, and would keep a connection open.
        feature.routes = [
            Route("events", ["GET", "HEAD"], .exact("/events"), .token(.load), pages: .own, maxBody: BodyAdmission.maxOther) { events.serve($0, $1) }
        ]
        feature.sample = { events.sample() }
        feature.expel = { events.expel() }
        feature.finish = { events.close() }
        feature.parts = [events]
        return feature
    }
}
