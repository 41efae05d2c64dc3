import Coordinator
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue

/// Tells a web server of the operator's about each purge, so that a CDN can be purged too.
///
/// The message goes the way of callbacks: Redis keeps it until some coordinator has sent it. Signature, tries and checks of the address are the same.
/// A message that cannot be stored is logged and counted, and the purge succeeds all the same. Lives on the loop.
@Loop
final class PurgeWebhook {
    private let target: CallbackTarget
    private let registry: QueueRegistry
    private let callbacks: CallbackSender
    private let metrics: Metrics
    private let logger: Logger

    /// The seconds for which Redis remembers that the message was stored.
    private static let kept = 600.0

    init(_ target: CallbackTarget, registry: QueueRegistry, callbacks: CallbackSender, metrics: Metrics, logger: Logger) {
        (self.target, self.registry, self.callbacks, self.metrics, self.logger) = (target, registry, callbacks, metrics, logger)
    }

    /// Tells of one purge.
    /// - Parameters:
    ///   - purge: `{url}`, `{prefix}` or `{tag, scope?}`, URLs without user, password and signature.
    ///   - counts: the answer to the client.
    func tell(_ purge: JSONObject, _ counts: JSONObject) async {
        let at = WallClock.text(WallClock.now)
        var event: JSONObject = ["type": "purge"]
        for (name, value) in purge.members + counts.members { event[name] = value }
        var owed = Submission(
            receipt: "purge-" + Digest.randomHex(bytes: 12), coordinator: registry.coordinator, fingerprint: "purge", source: "", host: "", fetch: "",
            renditions: [])
        (owed.callback, owed.keepSeconds) = (target, Self.kept)
        let text = #"{"at":\#(at),\#(JSON.object(event).text.dropFirst())"#
        do throws(RedisError) {
            try await registry.queue(QueueKeys.shared.name).owe(owed, at: at, body: #""result":{}"#, event: text)
            callbacks.look()
        } catch {
            metrics.add(.callbacks, labels: "givenUp")
            logger.warning("the webhook cannot be told of a purge", ["host": target.host, "error": "\(error)"])
        }
    }
}
