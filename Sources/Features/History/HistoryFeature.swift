package import Coordinator
import TintypeCore
import TintypeContracts
import TintypeImages
import TintypeTransport

extension Feature {
    /// The work of the whole fleet by the second, and the latest ends of receipts.
    package static let history: Maker = { core, _ in
        let (registry, channels, scope) = (core.queues.registry, core.queues.channels, core.process.scope)
        let statistics = FleetStatistics(registry: registry, redis: core.queues.redis, channels: channels, scope: scope, metrics: core.process.metrics)
        let ends = RecentEndsWatch(registry: registry, channels: channels, scope: scope)
        let gauges = QueueGauges(statistics, core.process.metrics)
        core.events.statistics = statistics
        let questions = core.questions
        var feature = Feature(MethodCatalog.history)
        feature.methods = [
            StatsSeries(statistics: statistics), RunsList(scope: scope, registry: registry, redis: core.queues.redis),
            HostsList(scope: scope, registry: registry, ends: ends), FailuresList(ends: ends), FailuresRetry(questions: questions),
            PicturesList(ends: ends, questions: questions), PicturesGet(scope: scope, cache: core.storage.cache),
        ]
        feature.start = {
            statistics.start()
            gauges.start()
        }
        feature.stop = {
            gauges.stop()
            statistics.stop()
            ends.stop()
        }
        feature.parts = [statistics, ends]
        return feature
    }
}
