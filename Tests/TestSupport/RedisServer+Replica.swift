extension RedisServer {
    /// Starts a replica of this server, and returns when it is in step. The server listens on a loopback port from then on.
    package func replica() async throws -> RedisServer {
        let port = try FreePort.find()
        try await command("CONFIG", "SET", "bind", "127.0.0.1")
        try await command("CONFIG", "SET", "port", "\(port)")
        try await command("CONFIG", "SET", "repl-diskless-sync-delay", "0")
        let replica = try await RedisServer(options: ["--replicaof", "127.0.0.1 \(port)"], isCluster: false)
        try await Gate.until("the replica is in step") { try await replica.command("INFO", "replication").contains("master_link_status:up") }
        return replica
    }
}
