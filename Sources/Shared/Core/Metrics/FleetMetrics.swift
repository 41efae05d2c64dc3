/// The metrics whose totals all processes tell each other, for `stats.series`.
package enum FleetMetrics {
    package static let ofWorkers: [Metric] = [
        .fetchesFinished, .fetchQueuedSeconds, .fetchPhaseSeconds, .errors, .downloadBytes, .pixelExits, .cacheLookups, .sourceBytes, .resultBytes,
        .resultSourceBytes,
    ]
    package static let ofCoordinators: [Metric] = [.rpcRequests, .submits, .cacheLookups, .httpRequests, .doorRequests, .callbacks, .reaped]
}
