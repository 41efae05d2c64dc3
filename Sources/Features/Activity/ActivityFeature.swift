package import Coordinator
import TintypeCore
package import TintypeContracts
import TintypeImages
import TintypeTransport

extension Feature {
    /// Whether there is work: an indicator for clients.
    package static func activity(_ core: Core, _ settings: ActivitySettings) -> Feature {
        let monitor = ActivityMonitor(startDelay: settings.startDelay, endDelay: settings.endDelay)
        core.events.inFlightChanged = { monitor.changedInFlight(by: $0, on: $1) }
        core.events.greeted = { monitor.greeted($0, on: $1) }
        core.events.runningCount = { monitor.state.running }
        core.events.subjects["activity"] = SubscriptionSubject { _, id, session in
            let listener = monitor.add { [weak session] in session?.notify($0(id), type: "activity") }
            return SubscriptionSubject.Watch(end: { monitor.remove(listener) })
        }
        var feature = Feature(MethodCatalog.activity)
        feature.methods = [ActivityGet(activity: monitor), ActivityBegin(activity: monitor), ActivityEnd()]
        feature.stop = { monitor.stop() }
        feature.parts = [monitor]
        return feature
    }
}
