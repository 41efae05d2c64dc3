import TintypeCore
import TintypeStores
import TintypeTransport

/// The size of one store as it was counted last. A count looks at every result, and may take minutes and thousands of requests to a bucket.
@Loop
final class StoreCounts {
    private let store: any ResultStore
    private let count: SingleFlight<Result<StoreStatistics, TintypeError>>
    private let now: @Loop () -> Double
    private var last: (statistics: StoreStatistics, at: Double)?

    /// - Parameters:
    ///   - scope: The owner of a count.
    ///   - now: Monotonic seconds.
    init(_ store: any ResultStore, in scope: TaskScope, now: @escaping @Loop () -> Double = { Seconds.monotonic }) {
        (self.store, self.now) = (store, now)
        count = SingleFlight("count a store", in: scope)
    }

    /// Returns the size of the store.
    /// - Parameter maxAge: The greatest age of the count in seconds. With 0 the store is counted now, for this caller alone.
    /// - Throws: `storeFailed`.
    func statistics(maxAge: Double) async throws(TintypeError) -> StoreStatistics {
        guard maxAge > 0 else { return try await counted().get() }
        if let last, now() - last.at <= maxAge { return last.statistics }
        guard let result = await count.value(of: { await self.counted() }) else { throw TintypeError.stopping }
        return try result.get()
    }

    private func counted() async -> Result<StoreStatistics, TintypeError> {
        // Results that come during the count may be missing in it, so its age is that of its beginning.
        let start = now()
        do throws(TintypeError) {
            let statistics = try await store.statistics()
            last = (statistics, start)
            return .success(statistics)
        } catch {
            return .failure(error)
        }
    }
}
