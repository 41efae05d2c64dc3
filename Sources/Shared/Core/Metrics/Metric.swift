/// All metrics of coordinator and worker. `Metric+Descriptions.swift` has the descriptions; a case without one does not compile.
package enum Metric: Int, Sendable, CaseIterable {
    // The queue, seen by coordinators.
    case queueFetches, queueOldestSeconds, queuePaused, queueLimit, queueHeldHosts, queueBlacklisted, deadLetters, workers
    case submits, receiptsLive, eventsReceived, eventGaps, reaped, callbacks, durable, durableSeconds
    // Fetches, seen by workers.
    case workerPermits, claims, fetchesClaimed, fetchesFinished, fetchesRunning, fetchQueuedSeconds, fetchSeconds, fetchPhaseSeconds, errors, leasesLost
    // Downloads.
    case downloads, downloadBytes, downloadSeconds, downloadsInFlight, downloadsPaused
    // Pixel processes.
    case pixelProcesses, pixelWaiting, pixelJobs, pixelsShared, pixelSeconds, pixelExits, pixelCPUSeconds, previews
    case sourceBytes, resultBytes, resultSourceBytes
    // Results.
    case storeOperations, storeSeconds, cacheLookups, cacheBytes, cacheEntries, cacheEvictions
    // Clients.
    case objective, rpcConnections, rpcConnectionsAccepted, rpcRequests, rpcSeconds, rpcInFlight, rpcNotifications, rpcCuts, answerBytes, answersWaiting,
        connectionsRefused
    case clientRequests, clientRefused, clientRunning, clientQueued, tokensRefused
    case httpRequests, httpSeconds, httpSentBytes, httpUnsentBytes, httpCuts, eventStreams, doorRequests, doorQuick, doorBackground, doorBackgroundRunning,
        picturesLimited
    case tlsHandshakes, tlsCertificateExpiry
    // Redis connections.
    case redisConnected, redisPrimary, redisSwitches, redisSentinels, redisReconnects, redisTopologyChanges, redisRedirects, redisCommandSeconds
    // The process.
    case processResidentBytes, processCPUSeconds, processOpenFiles, processStartSeconds, loopLagSeconds, loopLongTurnSeconds, traceSpans, buildInfo
    // The same by the names that all programs share.
    case standardCPUSeconds, standardResidentBytes, standardOpenFiles, standardMaxOpenFiles, standardStartSeconds
}

/// The kind of a metric, in Prometheus' terms.
package enum MetricKind: String, Sendable {
    /// Only ever rises.
    case counter
    /// Rises and falls.
    case gauge
    /// Observations counted into buckets, with their sum.
    case histogram
}

/// The description of one metric, for the `/metrics` text, docs/metrics.md and the registry.
package struct MetricDescription: Sendable {
    /// The name in Prometheus' text, `tintype_` or `process_` included.
    package let name: String
    package let kind: MetricKind
    /// The label names; `Metrics` takes the values in this order.
    package let labels: [String]
    package let help: String
    /// Upper bounds of a histogram's buckets, ascending, without `+Inf`; empty for other kinds.
    package let buckets: [Double]

    static func counter(_ name: String, by labels: String..., help: String) -> MetricDescription {
        MetricDescription(name: name, kind: .counter, labels: labels, help: help, buckets: [])
    }

    static func gauge(_ name: String, by labels: String..., help: String) -> MetricDescription {
        MetricDescription(name: name, kind: .gauge, labels: labels, help: help, buckets: [])
    }

    static func seconds(
        _ name: String, by labels: String..., buckets: [Double] = MetricDescription.workBuckets, help: String
    ) -> MetricDescription {
        MetricDescription(name: name, kind: .histogram, labels: labels, help: help, buckets: buckets)
    }

    /// For work on images and downloads: 1 ms to 60 s.
    static let workBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
    /// For reads and writes of stores: 0.5 ms to 60 s.
    static let storeBuckets = [0.0005] + workBuckets
    /// For answers to clients, which may wait for a picture: 50 µs to 30 s. The bound of the objective is one of theirs.
    static let answerBuckets = quickBuckets.filter { $0 < 1 } + [0.5, 1, ObjectiveVerdict.bound, 5, 10, 30]
    /// For answers that come from memory or one Redis round trip: 50 µs to 1 s.
    static let quickBuckets = [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1]
}

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
