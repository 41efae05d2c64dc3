import TintypeCore
import TintypeTransport

/// The methods of the core. Features bring the others (`Feature.methods`).
enum MethodTable {
    /// - Parameters:
    ///   - fonts: the fonts that text may be drawn with.
    ///   - limits: the limits of features.
    @Loop
    static func core(_ core: Core, fonts: [String], limits: JSONObject) -> [any RPCMethod] {
        let (scope, logger, admission) = (core.process.scope, core.process.logger, core.admission)
        let (registry, lookup, receipts) = (core.queues.registry, core.receipts.lookup, core.receipts.table)
        let (cache, results, defaults) = (core.storage.cache, core.storage.results, core.queues.defaults)
        let questions = core.questions
        let pause = ReceiptPause(scope: scope, lookup: lookup, logger: logger)
        let subscriptions = Subscriptions(registry: registry, channels: core.queues.channels, events: core.events, scope: scope, logger: logger)
        return [
            ImageLoad(admission: admission), ImageSubmit(admission: admission), ImageProbe(admission: admission), RequestExplain(admission: admission),
            ReceiptGet(
                scope: scope, registry: registry, lookup: lookup, receipts: receipts, recovery: core.receipts.recovery, results: core.receipts.results),
            ReceiptCancel(scope: scope, receipts: receipts, cancellation: core.receipts.cancellation, lookup: lookup, logger: logger),
            ReceiptSetPriority(scope: scope, lookup: lookup, logger: logger), pause, ReceiptResume(pause: pause),
            QueueGet(questions: questions), QueueList(scope: scope, registry: registry),
            QueueConfigure(scope: scope, registry: registry, unusedQueues: core.queues.unused, questions: questions, defaults: defaults, admission: admission),
            QueuePause(questions: questions, registry: registry), QueueResume(questions: questions, registry: registry), QueueCancelAll(questions: questions),
            DeadList(questions: questions), DeadRetry(questions: questions), DeadRemove(questions: questions),
            WorkersList(scope: scope, registry: registry), WorkersQuiet(scope: scope, registry: registry),
            FormatsList(scope: scope, registry: registry, fonts: fonts),
            CacheContains(admission: admission, scope: scope, cache: cache),
            CacheGet(admission: admission, scope: scope, cache: cache, results: core.receipts.results),
            CachePut(admission: admission, scope: scope, cache: cache), CacheSetMetadata(admission: admission, scope: scope, cache: cache),
            CacheRemove(admission: admission, scope: scope, cache: cache),
            CachePin(admission: admission, scope: scope, results: results), CacheUnpin(admission: admission, scope: scope, results: results),
            CacheTrim(scope: scope, cache: cache), CacheClear(scope: scope, cache: cache), CacheStats(scope: scope, cache: cache),
            BlacklistList(questions: questions), BlacklistRemove(admission: admission, questions: questions), BlacklistClear(questions: questions),
            EventsSubscribe(scope: scope, events: core.events, subscriptions: subscriptions), EventsUnsubscribe(),
            SessionAuthenticate(access: core.access.control), SystemPing(), SystemInfo(core, limits: limits), CancelRequest(),
        ]
    }
}
