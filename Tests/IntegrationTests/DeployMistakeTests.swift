import Foundation
import TestSupport
import Testing

/// The checks of deploy/ find mistakes: each row is made in a copy, which the check must then refuse for that reason.
@Suite(.tags(.deploy), .timeLimit(.minutes(3)), .scoped) struct DeployMistakeTests {
    /// A file, a text in it, its replacement, and a part of the complaint.
    typealias Mistake = (file: String, text: String, replacement: String, complaint: String)

    /// In deploy/kubernetes.
    static let manifests: [Mistake] = [
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

    static let monitoring: [Mistake] = [
        ("deploy/prometheus/rules.yml", "rate(tintype_submits_total[5m])", "rate(tintype_submit_total[5m])", "no metric tintype_submit_total"),
        ("deploy/prometheus/rules.yml", "sum by (phase)", "sum by (name)", "it is computed by"),
        ("deploy/prometheus/rules.yml", "rate(tintype_errors_total[5m])", "tintype_errors_total", "a counter without rate"),
        ("deploy/prometheus/alerts.yml", "reason=~", "cause=~", "tintype_pixel_exits_total has no label cause"),
        ("deploy/prometheus/alerts.yml", "increase(tintype_event_gaps_total[15m]) > 3.5", "increase(tintype_event_gaps_total[15m]) >", "TintypeEventGaps"),
        ("deploy/prometheus/alerts.yml", "severity: warning", "severity: urgent", "the severity is not one of"),
        ("deploy/prometheus/alerts.yml", "#tintypequeueold", "#tintypeold", "its runbook is not its section"),
        ("deploy/prometheus/alerts.yml", "{{ $labels.queue }}", "{{ $labels.host }}", "its texts name the label host"),
        ("deploy/prometheus/rules.yml", "verdict=", "outcome=", "tintype_objective_total has no label outcome"),
        ("deploy/prometheus/alerts.yml", "oldest_seconds:max > 15", "oldest_seconds:max > 20", "promtool test: "),
        ("deploy/prometheus/alerts.yml", "TintypeDeadLetters\n", "TintypeDead\n", "TintypeDead: docs/alerts.md has no section of it"),
        ("deploy/prometheus/tests/alerts.yml", "TintypeTopologyFlaps, eval_time: 7m", "TintypeDown, eval_time: 7m", "in no test it is silent"),
        ("deploy/prometheus/prometheus.yml", "ha-worker", "workers", "tintype-worker has the targets"),
        ("deploy/prometheus/prometheus.yml", "alertmanager:9093", "manager:9093", "no service manager:9093"),
        ("deploy/prometheus/alertmanager.yml", "receiver: operators", "receiver: nobody", "amtool check-config"),
        ("deploy/prometheus/alertmanager.yml", "equal: [alertname, ", "equal: [", "no inhibit rule keeps its warning silent"),
        ("deploy/prometheus/alertmanager.yml", "queue, outcome", "outcome", "TintypeOverloaded: an inhibit rule does not compare its label queue"),
        ("docs/alerts.md", "## TintypeDown\n\nMeaning: ", "## TintypeDown\n\nIt means: ", "TintypeDown: no line begins with Meaning"),
        ("docs/alerts.md", "## TintypeDown\n", "## TintypeGone\n", "there is no alert TintypeGone"),
        ("deploy/grafana/tintype.json", "tintype_pixel_waiting", "tintype_pixels_waiting", "no metric tintype_pixels_waiting"),
        ("deploy/grafana/tintype.json", "sum by (job) (up", "sum by (host) (up", "no metric there has the label host"),
        ("deploy/grafana/tintype.json", "\"id\": 3,", "\"id\": 2,", "two panels have one id"),
        ("deploy/prometheus/rules.yml", #"verdict="good""#, #"verdict="fine""#, "tintype_objective_total has no value fine of the label verdict"),
        ("deploy/prometheus/rules.yml", #"connection="commands""#, #"connection="command""#, "tintype_redis_connected has no value command of the label"),
        ("deploy/prometheus/alerts.yml", "overloaded|unavailable", "overloaded|unreachable", "has no value unreachable of the label outcome"),
        ("deploy/prometheus/alerts.yml", "tintype-.*", "tintyp-.*", "up has no value tintyp-.* of the label job"),
        ("deploy/grafana/tintype.json", #"method=\"image.load\""#, #"method=\"image.get\""#, "has no value image.get of the label method"),
        ("docker-compose.yml", "0.0.0.0:7413", "0.0.0.0:7414", "tintype-worker has the targets"),
    ]

    @Test(arguments: manifests.indices) func `a mistake in a manifest is found`(index: Int) async throws {
        try await find(Self.manifests[index], in: "deploy/kubernetes/", by: "Kubernetes/check.py")
    }

    @Test(arguments: monitoring.indices) func `a mistake in what watches Tintype is found`(index: Int) async throws {
        try await find(Self.monitoring[index], in: "", by: "Monitoring/check.py")
    }

    private func find(_ mistake: Mistake, in folder: String, by check: String) async throws {
        let temporary = try TemporaryFolder("deploy")
        let copy = URL(fileURLWithPath: temporary.path)
        try FileManager.default.createDirectory(atPath: temporary.path + "/docs", withIntermediateDirectories: true)
        let root = DeployCheck.deploy.deletingLastPathComponent()
        for name in ["deploy", "docker-compose.yml", "docs/alerts.md"] {
            try FileManager.default.copyItem(at: root.appendingPathComponent(name), to: copy.appendingPathComponent(name))
        }
        let file = copy.appendingPathComponent(folder + mistake.file)
        let text = try String(contentsOf: file, encoding: .utf8)
        let place = try #require(text.range(of: mistake.text), "\(mistake)")
        try text.replacingCharacters(in: place, with: mistake.replacement).write(to: file, atomically: true, encoding: .utf8)
        let (status, output) = try await DeployCheck.run(check, of: copy.appendingPathComponent("deploy"))
        #expect(status == 1 && output.contains(mistake.complaint), "\(mistake): \(output)")
    }
}
