import TintypeCore
import TintypeStores
import TintypeTransport

/// The size of one store as it was counted last. A count looks at every result, and may take minutes and thousands of requests to a bucket.
@Loop
final class StoreCounts {
    private struct Count {
        let statistics: StoreStatistics
        let start: Double
        let end: Double

        /// Returns the time until which it will do. Counts take at most an eleventh of all time.
        func end(maxAge: Double) -> Double { end + max(maxAge, 10 * (end - start)) }
    }

    /// The result of a count, and the number of calls of `forget` before it began.
    private struct Run {
        let result: Result<StoreStatistics, TintypeError>
        let forgotten: Int
    }

    private let store: any ResultStore
    private let flight: SingleFlight<Run>
    private let now: @Loop () -> Double
    private var last: Count?
    private var forgotten = 0

    /// - Parameters:
    ///   - scope: The owner of a count.
    ///   - now: Monotonic seconds.
    init(_ store: any ResultStore, in scope: TaskScope, now: @escaping @Loop () -> Double = { Seconds.monotonic }) {
        (self.store, self.now) = (store, now)
        flight = SingleFlight("count a store", in: scope)
    }

    /// Returns the size of the store.
    /// - Parameter maxAge: Seconds for which an earlier count will do, or ten times as long as that count took. With 0 the store is counted now, for this
    ///   caller alone.
    /// - Throws: `storeFailed`.
    func statistics(maxAge: Double) async throws(TintypeError) -> StoreStatistics {
        guard maxAge > 0 else { return try await count().result.get() }
        let least = forgotten
        while true {
            if let last, now() <= last.end(maxAge: maxAge) { return last.statistics }
            guard let run = await flight.value(of: { await self.count() }) else { throw TintypeError.stopping }
            // A count from before `forget` may have been under way.
            if run.forgotten >= least { return try run.result.get() }
        }
    }

    /// Drops the last count, because the store was changed as a whole.
    func forget() { (last, forgotten) = (nil, forgotten + 1) }

    private func count() async -> Run {
        let (start, forgotten) = (now(), forgotten)
        do throws(TintypeError) {
            let statistics = try await store.statistics()
            if forgotten == self.forgotten, start >= last?.start ?? start { last = Count(statistics: statistics, start: start, end: now()) }
            return Run(result: .success(statistics), forgotten: forgotten)
        } catch {
            return Run(result: .failure(error), forgotten: forgotten)
        }
    }
}
