import TintypeCore
import TintypeTransport

/// A method of the core: a name and a function.
struct CoreMethod: RPCMethod {
    let name: String
    let isCheckedByDescription: Bool
    private let body: @Loop (Call, JSON) throws(TintypeError) -> Void

    init(_ name: String, isChecked: Bool = true, _ body: @escaping @Loop (Call, JSON) throws(TintypeError) -> Void) {
        (self.name, isCheckedByDescription, self.body) = (name, isChecked, body)
    }

    func begin(_ call: Call, _ params: JSON) throws(TintypeError) { try body(call, params) }
}

/// The methods of the core. Features bring the others (`Feature.methods`).
enum MethodTable {
    /// - Parameters:
    ///   - fonts: the fonts that text may be drawn with.
    ///   - limits: the limits of features.
    @Loop
    static func core(_ core: Core, fonts: [String], limits: JSONObject) -> [any RPCMethod] {
        let (scope, logger, admission) = (core.process.scope, core.process.logger, core.admission)
        let (registry, questions, receipts) = (core.queues.registry, core.questions, core.receipts)
        let subscriptions = Subscriptions(registry: registry, channels: core.queues.channels, events: core.events, scope: scope, logger: logger)
        let nouns: [[CoreMethod]] = [
            ImageMethods(admission: admission).all,
            ReceiptMethods(
                scope: scope, receipts: receipts.table, cancellation: receipts.cancellation, lookup: receipts.lookup, logger: logger,
                get: ReceiptGet(
                    scope: scope, registry: registry, lookup: receipts.lookup, receipts: receipts.table, recovery: receipts.recovery, results: receipts.results)
            ).all,
            QueueMethods(
                scope: scope, registry: registry, unusedQueues: core.queues.unused, questions: questions, defaults: core.queues.defaults, admission: admission
            ).all,
            DeadMethods(questions: questions).all, WorkerMethods(scope: scope, registry: registry, fonts: fonts).all,
            CacheMethods(admission: admission, scope: scope, cache: core.storage.cache, delivery: receipts.results, store: core.storage.results).all,
            BlacklistMethods(admission: admission, questions: questions).all,
            EventMethods(scope: scope, events: core.events, subscriptions: subscriptions).all, SystemMethods(core, limits: limits).all,
        ]
        return nouns.flatMap(\.self)
    }
}
