import Foundation
import TestSupport
import Testing

/// Processes that do not know the keys in their Redis.
@Suite(.timeLimit(.minutes(2)), .serialized) struct SchemaTests {
    private func reason(_ service: ServiceProcess) async throws -> String? {
        let answer = try await HTTP.get(service.base + "/readyz")
        return answer.status == 503 ? String(decoding: answer.body, as: UTF8.self) : nil
    }

    @Test func `whoever does not know the keys says so, writes nothing, and goes on when it does`() async throws {
        let deployment = try await Deployment(redisOptions: ["--enable-debug-command", "local"])
        let client = try deployment.client()
        let running = #"{"url":"\#(deployment.url("/picture.png?size=16x16&gate=running"))","as":"bytes","receipt":"running","deadline":100}"#
        #expect(try await client.call("image.submit", running).error == nil)
        try await Gate.until("it runs") { try await deployment.asked() == 1 }
        #expect(try await deployment.redis("HGET", "cfg", "v") == "1")

        // Somebody raises it while they run.
        try await deployment.redis("HSET", "cfg", "v", "2")
        let digest = try await deployment.redis.command("DEBUG", "DIGEST")
        for service in deployment.coordinators + deployment.workers {
            try await Gate.until("it has noticed") { try await reason(service)?.contains("schema 2") ?? false }
        }
        let refused = try await client.call("image.submit", #"{"url":"\#(deployment.url("/picture.png?size=16x16"))","as":"bytes","deadline":1}"#)
        #expect(refused.errorName == "unavailable", "\(refused.object)")
        #expect((refused.error?["message"] as? String)?.contains("version") ?? false, "\(refused.object)")
        let configured = try await client.call("queue.configure", #"{"queue":"another"}"#)
        #expect(configured.errorName == "unavailable", "\(configured.object)")
        let late = try await ServiceProcess.coordinator(redis: deployment.redis.url)
        try await Gate.until("it has noticed") { try await reason(late)?.contains("schema 2") ?? false }
        await late.stop()
        #expect(try await deployment.redis.command("DEBUG", "DIGEST") == digest)

        try await deployment.redis("HDEL", "cfg", "v")
        for service in deployment.coordinators + deployment.workers { try await Gate.until("it is ready") { try await reason(service) == nil } }
        try await deployment.open(gate: "running")
        let end = try await client.call("receipt.get", #"{"receipt":"running","wait":60}"#)
        #expect(end.fields["state"] as? String == "succeeded", "\(end.object)")
        #expect(try await deployment.redis("HGET", "cfg", "v") == "1")
        #expect(try await deployment.violations(client) == [])
        await deployment.stop()
    }
}
