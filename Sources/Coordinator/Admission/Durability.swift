package import TintypeCore
package import TintypeTransport
package import TintypeImages
import TintypeQueue
import TintypeSettings

/// The wait of accepted requests for replicas of Redis: which requests wait, for how long, and what is counted and logged.
@Loop
package final class Durability {
    private let waits: ReplicaWaits
    /// The work that waits where the request does not say.
    private let work: Set<DurableWork>
    private let timeout: Duration
    private let replicas: Int
    private let metrics: Metrics
    private let logger: Logger
    private var logThrottle = LogThrottle()

    init(_ waits: ReplicaWaits, _ settings: DurableSettings, metrics: Metrics, logger: Logger) {
        (self.waits, self.metrics, self.logger) = (waits, metrics, logger)
        work = Set(settings.work.compactMap { DurableWork(rawValue: $0) })
        (timeout, replicas) = (settings.timeout, settings.replicas)
    }

    package func stop() { waits.stop() }

    /// Returns whether the answer to a request comes after the wait.
    /// - Parameter isDetached: Whether its receipt goes on without a client.
    package func covers(_ request: ImageRequest, isDetached: Bool) -> Bool {
        request.isDurable ?? (isDetached && work.contains(.detached) || request.callback != nil && work.contains(.callbacks))
    }

    /// Returns whether the answer to a group comes after the wait.
    /// - Parameter asked: The member `durable` of the call.
    package func coversGroup(_ asked: JSON?) -> Bool { asked?.bool ?? work.contains(.groups) }

    /// The end of a wait that begins now.
    /// - Parameter deadline: The deadline of the request.
    package func limit(before deadline: ContinuousClock.Instant? = nil) -> ContinuousClock.Instant {
        let limit = ContinuousClock.now + timeout
        return deadline.map { min($0, limit) } ?? limit
    }

    /// Waits until replicas have a record.
    package func wait(for record: ReplicaWaits.Record, until limit: ContinuousClock.Instant) async -> ReplicaWaits.End {
        let begin = ContinuousClock.now
        let end = await waits.wait(for: record, until: limit)
        metrics.add(.durable, labels: end.rawValue)
        metrics.observe(.durableSeconds, ContinuousClock.now - begin)
        let failure = waits.failure.map { "\($0)" } ?? "none"
        switch end {
        case .kept: logThrottle.end()
        case .unsure:
            if logThrottle.shouldLog("unsure \(failure)") {
                logger.warning("replicas of Redis have not confirmed an accepted request in time", ["wanted": replicas, "error": failure])
            }
        case .lost:
            if logThrottle.shouldLog("lost") { logger.warning("Redis has lost an accepted request, perhaps by a switch of its primary") }
        }
        return end
    }
}
