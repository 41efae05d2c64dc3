package import TintypeContracts
package import TintypeCore
package import Coordinator
import TintypeImages
package import TintypeTransport

extension Feature {
    /// Callbacks over HTTP at the ends of receipts, and the operator's webhook for purges, which goes the same way.
    package static func callbacks(_ core: Core, _ settings: CallbackSettings, _ addresses: AddressPolicy) throws(SettingError) -> Feature {
        let (process, registry) = (core.process, core.queues.registry)
        let sender = CallbackSender(
            registry: registry, settings: settings, addresses: addresses, access: { [weak core] in core?.admission.rules.access ?? .none },
            scope: process.scope,
            tracer: process.tracer, metrics: process.metrics, logger: process.logger)
        core.events.callbackOwed = { sender.look() }
        if let target = try settings.purgeTarget() {
            let webhook = PurgeWebhook(target, registry: registry, callbacks: sender, metrics: process.metrics, logger: process.logger)
            core.events.purged = { await webhook.tell($0, $1) }
        }
        var feature = Feature()
        feature.start = { sender.start() }
        feature.stop = { sender.stop() }
        feature.parts = [sender]
        return feature
    }
}
