/// All metrics of coordinator and worker. `Metric+Descriptions.swift` has the descriptions; a case without
/// one does not compile.
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
