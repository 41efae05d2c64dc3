import Coordinator
import TintypeCore
import TintypeQueue
import TintypeTransport

/// The metrics of queues and workers, set every 5 s from the last reading of `FleetStatistics`, so that a scrape never waits.
@Loop
final class QueueGauges {
    private let statistics: FleetStatistics
    private let metrics: Metrics
    private var timer: LoopTimer?

    /// The states that workers report (`workers.list`), and that of one whose lease is over.
    private static let states = ["starting", "running", "quiet", "draining", "stopped", "lost", "other"]

    init(_ statistics: FleetStatistics, _ metrics: Metrics) { (self.statistics, self.metrics) = (statistics, metrics) }

    func start() {
        timer = LoopTimer(after: .seconds(5), repeating: true) { [weak self] in self?.look() }
    }

    func stop() { timer = nil }

    private func look() {
        if !statistics.queues.isEmpty { set(statistics.queues) }
        if !statistics.workers.states.isEmpty { set(statistics.workers.states) }
    }

    private func set(_ infos: [QueueInfo]) {
        let known: [Metric] = [.queueFetches, .queueOldestSeconds, .queuePaused, .queueLimit, .queueHeldHosts, .queueBlacklisted, .deadLetters]
        for metric in known { metrics.reset(metric) }
        for info in infos {
            for (state, count) in [("queued", info.queued), ("delayed", info.delayed), ("running", info.running), ("dead", info.dead)] {
                metrics.set(.queueFetches, Double(count), labels: info.name, state)
            }
            metrics.set(.queueOldestSeconds, info.oldestQueuedSeconds ?? 0, labels: info.name)
            metrics.set(.queuePaused, info.paused ? 1 : 0, labels: info.name)
            metrics.set(.queueLimit, Double(info.limits.maxConcurrent), labels: info.name, "concurrent")
            metrics.set(.queueLimit, Double(info.limits.maxConcurrentPerHost), labels: info.name, "perHost")
            metrics.set(.queueLimit, Double(info.limits.maxQueued), labels: info.name, "queued")
            metrics.set(.queueHeldHosts, Double(info.askingHosts.count), labels: info.name, "asked")
            metrics.set(.queueHeldHosts, Double(info.heldHosts.count - info.askingHosts.count), labels: info.name, "pace")
            metrics.set(.queueBlacklisted, Double(info.blacklisted), labels: info.name)
            metrics.set(.deadLetters, Double(info.deadLetters), labels: info.name)
        }
    }

    /// - Parameter states: The numbers of workers by queue and state.
    private func set(_ states: [String: [String: Int]]) {
        metrics.reset(.workers)
        for (queue, counts) in states {
            for state in Self.states.dropLast() { metrics.set(.workers, Double(counts[state] ?? 0), labels: queue, state) }
            // bounded: each worker counts once.
            let other = counts.filter { !Self.states.contains($0.key) }.values.reduce(0, +) + (counts["other"] ?? 0)
            metrics.set(.workers, Double(other), labels: queue, "other")
        }
    }
}
