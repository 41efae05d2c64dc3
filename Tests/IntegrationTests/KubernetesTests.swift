import Foundation
import TintypeCore
import TestSupport
import Testing

/// deploy/kubernetes against the schemas of Kubernetes and against these programs, without a cluster (Kubernetes/check.py).
@Suite(.timeLimit(.minutes(3)), .scoped) struct KubernetesTests {
    private static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    private static let deploy = tests.appendingPathComponent("../../deploy").standardized

    private func check(_ deploy: URL) async throws -> (status: Int32, output: String) {
        try await DeployCheck.run(Self.tests.path + "/Kubernetes/check.py", of: deploy)
    }

    @Test func `the manifests agree with three versions of Kubernetes and with the programs, and KEDA asks what a coordinator answers`() async throws {
        let (status, output) = try await check(Self.deploy)
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

    /// A file, a text in it, its replacement, and a part of the complaint.
    static let mistakes: [(file: String, text: String, replacement: String, complaint: String)] = [
        ("base/coordinator.yaml", "0.0.0.0:7411", "0.0.0.0:7410", "the port rpc is 7411"),
        ("base/coordinator.yaml", "--listen", "--listens", "--listens"),
        ("base/coordinator.yaml", "TINTYPE_TOKEN_FILE", "TINTYPE_TOKENS_FILE", "unknown variable"),
        ("base/coordinator.yaml", "secrets/token", "secrets/tokens", "tokens"),
        ("base/coordinator.yaml", "Seconds: 30", "Seconds: 20", "shorter than its drain"),
        ("base/coordinator.yaml", "minAvailable: 1", "minAvailable: 2", "no pod may ever leave"),
        ("base/coordinator.yaml", "{name: http, port: 7412, targetPort: http}", "{name: http, port: 7411, targetPort: http}", "port 7411 is not http"),
        ("base/coordinator.yaml", "readOnlyRootFilesystem: true", "readOnlyRootFileSystem: true", "Kubernetes 1.33"),
        ("base/worker.yaml", "Seconds: 40", "Seconds: 37", "shorter than its drain"),
        ("base/worker.yaml", #"--pixels, "2""#, #"--pixels, "4""#, "the limit of memory is 2560 MiB"),
        ("base/worker.yaml", "drop: [ALL]", "drop: [NET_RAW]", "not all capabilities are dropped"),
        ("base/worker.yaml", "enableServiceLinks: false", "enableServiceLinks: true", "variables of Services reach the pods"),
        ("base/worker.yaml", "path: /readyz", "path: /healthz", "readinessProbe does not ask /readyz"),
        ("base/worker.yaml", "@tintype-redis:", "@tintype-queue:", "tintype-queue, which is no Service"),
        ("base/redis.yaml", "appendonly yes", "appendonly no", "is not that of deploy/"),
        ("base/redis.yaml", "memory: 2Gi", "memory: 1Gi", "below twice maxmemory"),
        ("base/networkpolicy.yaml", "- 169.254.0.0/16", "- 169.254.0.0/24", "differ from the address policy"),
        ("base/networkpolicy.yaml", "- 64:ff9b::/96", "- 64:ff9b::/97", "differ from the address policy"),
        ("base/networkpolicy.yaml", "- 2002::/16", "- 2002::/17", "differ from the address policy"),
        ("base/networkpolicy.yaml", "port: 7413", "port: 7414", "no pod has the port 7414"),
        ("base/networkpolicy.yaml", "k8s-app: kube-dns", "k8s-app: dns", "lets it ask for names"),
        ("base/networkpolicy.yaml", "port: 5353", "port: 53", "lets it ask for names"),
        ("base/networkpolicy.yaml", "values: [coordinator, worker]", "values: [coordinator]", "worker: no NetworkPolicy lets it reach tintype-redis"),
        ("base/networkpolicy.yaml", "values: [coordinator, worker]", "values: [coordinator, worker, results]", "redis: hears the pods of results"),
        ("base/settings.yaml", ".svc,", ".service,", "coordinators do not answer to"),
        ("base/secret.example.yaml", "redis-worker:", "redis:", "no Secret has /redis-worker"),
        ("components/cluster/kustomization.yaml", "tintype-cluster-5.", "tintype-cluster-6.", "no pod of one"),
        ("components/cluster/kustomization.yaml", "value: TINTYPE_REDIS", "value: TINTYPE_RESULTS", "none that is known here"),
        ("components/cluster/networkpolicy.yaml", "port: 16379", "port: 16380", "do not reach each other"),
        ("components/cluster/networkpolicy.yaml", "port: 5353", "port: 53", "lets it ask for names"),
        ("components/cluster/networkpolicy.yaml", "component: cluster}", "component: results}", "the pods of cluster do not reach port 6379"),
        ("components/cluster/redis.yaml", "maxUnavailable: 1", "maxUnavailable: 2", "two servers may leave at once"),
        ("components/cluster/redis.yaml", "kubernetes.io/hostname", "topology.kubernetes.io/zone", "one node may have two servers"),
        ("components/cluster/redis.yaml", "replicas: 6", "replicas: 7", "six servers"),
        ("components/cluster/settings.yaml", "full-coverage no", "full-coverage yes", "lacks cluster-require-full-coverage no"),
        ("components/cluster/settings.yaml", "to-write 0", "to-write 1", "lacks min-replicas-to-write 0"),
        ("components/cluster/settings.yaml", "in 0 1 2 3 4 5;", "in 0 1 2 3 4;", "does not name all servers"),
        ("components/keda/scaledobject.yaml", "coordinator.tintype.svc", "coordinator.images.svc", "is no Service"),
        ("components/keda/scaledobject.yaml", ", behavior: currentReplicasIfHigher", "", "takes busy workers away"),
        ("components/keda/kustomization.yaml", "op: remove", "op: replace", "none that is known here"),
        ("components/s3/kustomization.yaml", "kind: Service", "kind: Services", "which is not there"),
    ]

    @Test(arguments: mistakes.indices) func `a mistake in a manifest is found`(index: Int) async throws {
        let mistake = Self.mistakes[index]
        let folder = try TemporaryFolder("kubernetes")
        let copy = URL(fileURLWithPath: folder.path + "/deploy")
        try FileManager.default.copyItem(at: Self.deploy, to: copy)
        let file = copy.appendingPathComponent("kubernetes/" + mistake.file)
        let text = try String(contentsOf: file, encoding: .utf8)
        let place = try #require(text.range(of: mistake.text), "\(mistake)")
        try text.replacingCharacters(in: place, with: mistake.replacement).write(to: file, atomically: true, encoding: .utf8)
        let (status, output) = try await check(copy)
        #expect(status == 1 && output.contains(mistake.complaint), "\(mistake): \(output)")
    }
}
