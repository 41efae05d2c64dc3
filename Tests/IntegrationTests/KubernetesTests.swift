import TintypeCore
import TestSupport
import Testing

/// deploy/kubernetes against the schemas of Kubernetes and against these programs, without a cluster (Kubernetes/check.py).
@Suite(.timeLimit(.minutes(3)), .scoped) struct KubernetesTests {
    @Test func `the manifests agree with three versions of Kubernetes and with the programs, and KEDA asks what a coordinator answers`() async throws {
        let (status, output) = try await DeployCheck.run("Kubernetes/check.py", of: DeployCheck.deploy)
        #expect(status == 0, "\(output)")
        let words = output.split(separator: "\n").first { $0.hasPrefix("scale ") }?.split(separator: " ").map(String.init) ?? []
        try #require(words.count == 3, "\(output)")
        let redis = try await RedisServer()
        let coordinator = try await ServiceProcess.coordinator(redis: redis.url)
        try await Gate.until("the coordinator is ready") { try await HTTP.get(coordinator.base + "/readyz").status == 200 }
        let answer = try await HTTP.get(coordinator.base + words[1], ["-H", "Host: tintype-coordinator"])
        #expect(answer.status == 200)
        #expect(try JSON(parsing: String(decoding: answer.body, as: UTF8.self))[words[2]]?.int == 0)
    }
}
