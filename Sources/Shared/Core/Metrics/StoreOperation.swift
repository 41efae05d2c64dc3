/// An operation of a store of results or sources, as metrics name it.
package enum StoreOperation: String, Sendable, CaseIterable {
    case get, put, remove
    /// A spill of a minute in Redis, because the store refused a result.
    case hold
    /// A read of `--results-fallback`.
    case fallback
}

extension Metrics {
    /// Counts an operation of a store with its time.
    /// - Parameters:
    ///   - store: the kind of a store of results, or `sources`.
    ///   - count: the number of entries that it was about.
    ///   - began: the moment before it.
    package func ended(_ operation: StoreOperation, of store: String, isDone: Bool, count: Int = 1, since began: ContinuousClock.Instant) {
        add(.storeOperations, Double(count), labels: store, operation.rawValue, isDone ? "ok" : "failed")
        observe(.storeSeconds, .now - began, labels: store, operation.rawValue)
    }
}
