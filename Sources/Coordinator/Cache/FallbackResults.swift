import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeStores

/// The second place of results, which is looked into after the first and never written. It costs a bounded wait and fails nobody: what it does
/// not say in time it has not, and after a failure it is left alone for a while. Lives on the loop.
@Loop
final class FallbackResults {
    /// How long anybody waits for it.
    static let patience = Duration.seconds(1)
    /// How long it is left alone after it has failed, or has not answered in time.
    static let rest = Duration.seconds(30)
    /// Looks that go on at once. Answers that a place which hangs still owes count, too.
    static let most = 64

    private let store: any ResultReader
    private let patience: Duration
    private let scope: TaskScope
    private let metrics: Metrics
    private let logger: Logger
    private var looks = 0
    private var restsUntil = ContinuousClock.now

    /// - Parameter store: closed by `close`.
    init(_ store: any ResultReader, patience: Duration = FallbackResults.patience, scope: TaskScope, metrics: Metrics, logger: Logger) {
        (self.store, self.patience, self.scope, self.metrics, self.logger) = (store, patience, scope, metrics, logger)
    }

    /// The image under a key; nil where there is none that is kept, none in time, or the place is left alone.
    func image(_ key: String) async -> StoredImage? {
        guard looks < Self.most, restsUntil <= .now else { return nil }
        let found = OneShot<StoredImage?>()
        looks += 1
        scope.run("look into the fallback") { [self] in
            defer { looks -= 1 }
            do throws(TintypeError) {
                let lookup = try await store.look(up: key)
                metrics.add(.storeOperations, labels: store.kind, "fallback", "ok")
                if case .found(let image) = lookup, !image.isHeld { found.complete(.success(image)) } else { found.complete(.success(nil)) }
            } catch {
                if !found.isComplete { fail(error.description) }
                found.complete(.success(nil))
            }
        }
        let timer = LoopTimer(after: patience) { [self] in
            if found.complete(.success(nil)) { fail("it has not answered within \(patience)") }
        }
        defer { timer.cancel() }
        return (try? await found.wait()) ?? nil
    }

    private func fail(_ reason: String) {
        metrics.add(.storeOperations, labels: store.kind, "fallback", "failed")
        restsUntil = .now + Self.rest
        logger.warning("the fallback of results is left alone for a while", ["store": store.kind, "seconds": Int(Self.rest / .seconds(1)), "error": reason])
    }

    func close() { store.close() }
}
