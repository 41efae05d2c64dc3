import TintypeCore
package import TintypeTransport
package import TintypeImages
import TintypeQueue
import TintypeStores

/// The second place of results, which is searched after the first and never written. Lives on the loop.
///
/// A request waits for it only a limited time, and its failures fail no request. A late answer counts as a miss, and after a failure it is not
/// asked for a while. Results that were purged do not count: nobody removes them from there.
@Loop
package final class SecondaryResults {
    /// The longest time that a request waits for it.
    package static let patience = Duration.seconds(1)
    /// The time without requests after a failure or a missing answer.
    package static let pause = Duration.seconds(30)
    /// The number of requests at once. Requests that a hanging place has not answered count too.
    package static let most = 64

    private let store: any ResultReader
    private let purges: PurgeList?
    private let patience: Duration
    private let scope: TaskScope
    private let metrics: Metrics
    private let logger: Logger
    private var looks = 0
    private var pausedUntil = ContinuousClock.now

    /// - Parameters:
    ///   - store: Closed by `close`.
    ///   - purges: The purges of results; nil: there are none.
    init(
        _ store: any ResultReader, purges: PurgeList? = nil, patience: Duration = SecondaryResults.patience, scope: TaskScope, metrics: Metrics, logger: Logger
    ) {
        (self.store, self.purges, self.patience, self.scope, self.metrics, self.logger) = (store, purges, patience, scope, metrics, logger)
    }

    /// Returns the image under a key. It returns nil if the place has none, does not answer in time, or is not asked at present.
    package func image(_ key: String) async -> StoredImage? {
        guard looks < Self.most, pausedUntil <= .now else { return nil }
        let found = OneShot<StoredImage?>()
        looks += 1
        let began = ContinuousClock.now
        scope.run("look into the fallback") { [self] in
            defer { looks -= 1 }
            do throws(TintypeError) {
                let lookup = try await store.look(up: key)
                metrics.ended(.fallback, of: store.kind, isDone: true, since: began)
                if case .found(let image) = lookup, !image.isHeld { found.complete(.success(image)) } else { found.complete(.success(nil)) }
            } catch {
                if !found.isComplete { fail(error.description, since: began) }
                found.complete(.success(nil))
            }
        }
        let timer = LoopTimer(after: patience) { [self] in
            if found.complete(.success(nil)) { fail("it did not answer within \(patience)", since: began) }
        }
        defer { timer.cancel() }
        guard let image = (try? await found.wait()) ?? nil, await !isPurged(image) else { return nil }
        return image
    }

    /// If Redis does not answer, nobody knows, and the result counts as purged.
    private func isPurged(_ image: StoredImage) async -> Bool {
        guard let purges else { return false }
        let since = image.rendition.storedAt.flatMap { Int64(exactly: ($0 * 1000).rounded()) } ?? 0
        return (try? await purges.hits(PurgeTarget.urls(of: image.source), kept: .result(image.key), since: since)) ?? true
    }

    private func fail(_ reason: String, since began: ContinuousClock.Instant) {
        metrics.ended(.fallback, of: store.kind, isDone: false, since: began)
        pausedUntil = .now + Self.pause
        logger.warning("the fallback store failed; pausing it", ["store": store.kind, "seconds": Int(Self.pause / .seconds(1)), "error": reason])
    }

    package func close() { store.close() }
}
