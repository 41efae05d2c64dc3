/// All metrics of coordinator and worker. `Metric+Descriptions.swift` has the descriptions; a case without
/// one does not compile.
package enum Metric: Int, Sendable, CaseIterable {
    // The queue, seen by coordinators.
    case queueFetches, queueOldestSeconds, queuePaused, submits, receiptsLive, eventsReceived, eventGaps, reaped, callbacks, durable, durableSeconds
    // Fetches, seen by workers.
    case claims, fetchesClaimed, fetchesFinished, fetchesRunning, fetchQueuedSeconds, fetchSeconds, errors, leasesLost
    // Downloads.
    case downloads, downloadBytes, downloadSeconds, downloadsInFlight, downloadsPaused
    // Pixel processes.
    case pixelProcesses, pixelWaiting, pixelJobs, pixelsShared, pixelSeconds, pixelExits, previews
    // Results.
    case storeOperations, storeSeconds, cacheLookups, cacheBytes, cacheEntries, cacheEvictions
    // Clients.
    case rpcConnections, rpcConnectionsAccepted, rpcRequests, rpcSeconds, rpcInFlight, rpcNotifications, rpcCuts, connectionsRefused
    case clientRequests, clientRefused, clientRunning, clientQueued, tokensRefused
    case httpRequests, httpSeconds, httpSentBytes, doorRequests, doorQuick, doorBackground, doorBackgroundRunning
    case tlsHandshakes, tlsCertificateExpiry
    // Redis connections.
    case redisConnected, redisPrimary, redisSwitches, redisSentinels
    // The process.
    case processResidentBytes, processCPUSeconds, processOpenFiles, processStartSeconds, buildInfo
}
