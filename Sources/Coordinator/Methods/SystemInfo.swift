import TintypeCore
import TintypeTransport
import TintypeStores

/// `system.info`: what runs here, since when and within which limits.
struct SystemInfo: RPCMethod {
    let name = "system.info"
    let services: Services

    func begin(_ call: Call, _ params: JSON) {
        let redis = services.redis
        call.succeed([
            "version": .string(TintypeVersion.current),
            "versions": ["tintype": .string(TintypeVersion.current), "jsonrpc": "2.0", "openrpc": "1.3.2"],
            "coordinator": .string(services.lanes.coordinator),
            "uptime": JSON(((WallClock.now - services.startedAt) * 1000).rounded() / 1000),
            "rpc": .string(services.addresses.rpc), "http": .string(services.addresses.http),
            "limits": [
                "maxMessageBytes": JSON(4 << 20), "maxDepth": 64, "maxBatch": JSON(RPCMessage.mostMembers), "maxUnanswered": JSON(Connection.Limits.unanswered),
                "maxUnsentBytes": JSON(Connection.Limits.unsent), "maxInlineBytes": JSON(ResultDelivery.inlineLimit),
                "maxQueued": JSON(services.defaults.maxQueued), "maxGroups": JSON(services.groups.most),
                "memoryCacheBytes": JSON(services.memory.statistics.capacity ?? 0),
            ],
            "redis": [
                "address": .string(redis.redacted), "connected": .bool(redis.isConnected),
                "connectedSeconds": redis.connectedSince.map { JSON(((ContinuousClock.now - $0).inSeconds * 1000).rounded() / 1000) } ?? .null,
            ],
            "state": services.admission.isClosed ? "draining" : "serving",
        ])
    }
}
