import Coordinator
import TintypeCore
import TintypeTransport

/// Counts the requests at the picture door: by outcome, by the status and the time of their answers, and for the objective.
@Loop
final class DoorCounters {
    /// The label of the port in metrics of HTTP.
    nonisolated static let route = "door"

    private let metrics: Metrics
    private let answers: WebCounters
    /// The series of the usual outcome.
    private let hits: Metrics.Handle
    private let objective: ObjectiveCounter

    init(_ metrics: Metrics) {
        (self.metrics, answers, objective) = (metrics, WebCounters(metrics), ObjectiveCounter(.door, metrics))
        hits = metrics.handle(.doorRequests, labels: DoorOutcome.hit.rawValue)
    }

    /// Counts the end of a request.
    /// - Parameters:
    ///   - answer: nil if the client has gone.
    ///   - hasBody: Whether the body is sent.
    ///   - seconds: The time since its arrival.
    func count(_ outcome: DoorOutcome, _ answer: WebAnswer?, hasBody: Bool, seconds: Double, _ trace: TraceContext?) {
        if outcome == .hit { metrics.add(hits) } else { metrics.add(.doorRequests, labels: outcome.rawValue) }
        guard let answer else {
            if let verdict = ObjectiveVerdict(leftAfter: seconds) { objective.count(verdict) }
            return
        }
        objective.count(ObjectiveVerdict(status: answer.status, after: seconds))
        answers.count(Self.route, status: answer.status, bytes: hasBody ? answer.count : 0, seconds: seconds, trace)
    }

    /// Counts a request that is refused before its head is read whole.
    func count(refused status: Int) {
        metrics.add(.httpRequests, labels: Self.route, "\(status)")
        metrics.add(.doorRequests, labels: DoorOutcome.refused.rawValue)
    }

    /// Counts a connection that is one too many.
    func count(refused limit: ConnectionLimiter.Limit) { metrics.add(.connectionsRefused, labels: "images", limit.rawValue) }
}
