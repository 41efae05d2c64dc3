import Foundation
import TestSupport
import TintypeCore
import Testing

/// deploy/prometheus and deploy/grafana: by themselves (Monitoring/check.py), and a Prometheus of Debian that scrapes real services.
@Suite(.timeLimit(.minutes(3)), .scoped) struct MonitoringTests {
    /// Alerts that are right on a machine that runs other tests too.
    private static let busyMachine: Set = ["TintypeLoopLag"]

    @Test func `rules, alerts and the board name metrics that exist, and each alert has a test and a section that says what to do`() async throws {
        let (status, output) = try await DeployCheck.run("Monitoring/check.py", of: DeployCheck.deploy)
        #expect(status == 0, "\(output)")
    }

    @Test func `Prometheus scrapes every process, computes every rule, and is silent while all is well`() async throws {
        let deployment = try await Deployment(coordinators: 2)
        let prometheus = try await PrometheusServer(DeployCheck.deploy, coordinators: deployment.coordinators, workers: deployment.workers)
        let loaded = try await deployment.client().call("image.load", #"{"url":"\#(deployment.url("/picture.png?size=64x48"))","deadline":60}"#)
        #expect(loaded.state == "succeeded", "\(loaded)")
        try await Gate.until("all are scraped") {
            try await prometheus.targets() == ["tintype-coordinator": ["up", "up"], "tintype-worker": ["up"]]
        }
        let dead = #"queue_state:tintype_queue_fetches:max{queue="default",state="dead"}"#
        try await Gate.until("both coordinators report the queue, and it counts once") {
            let reports = try await prometheus.value(of: #"count(tintype_queue_fetches{queue="default",state="dead"})"#)
            let queues = try await prometheus.value(of: "count(\(dead))")
            return reports == 2 && queues == 1
        }
        #expect(try await prometheus.value(of: dead) == 0)
        #expect(try await prometheus.failedRules() == [])
        // A scrape that this machine was too busy for is an alert until the next one.
        try await Gate.until("no alert fires") { try await prometheus.alerts().keys.allSatisfy(Self.busyMachine.contains) }
    }

    /// Returns the metrics of a process, after promtool has judged them.
    /// - Parameter options: added to the command line of curl.
    private func judgedByPromtool(_ base: String, _ options: [String] = []) async throws -> String {
        let answer = try await HTTP.get(base + "/metrics", options)
        #expect(answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
        let folder = try TemporaryFolder("promtool")
        try answer.body.write(to: URL(fileURLWithPath: folder.path + "/metrics"))
        let promtool = try ChildProcess("sh", ["-c", "exec promtool check metrics < \(folder.path)/metrics"])
        #expect(await promtool.finished() == 0, "\(promtool.output)\(promtool.errors)")
        let text = String(decoding: answer.body, as: UTF8.self)
        for name in ["process_cpu_seconds_total", "process_max_fds", "tintype_redis_command_seconds_count", "tintype_loop_lag_seconds_count"] {
            #expect(text.contains("\n" + name), "\(name)")
        }
        let open = try await HTTP.get(base + "/metrics", options + ["-H", "Accept: application/openmetrics-text; version=1.0.0"])
        #expect(open.headers["content-type"] == "application/openmetrics-text; version=1.0.0; charset=utf-8")
        #expect(String(decoding: open.body, as: UTF8.self).hasSuffix("\n# EOF\n"))
        return text
    }

    @Test func `promtool finds no fault in the metrics of services with TLS and a picture door`() async throws {
        let folder = try TemporaryFolder("tls")
        try await TestAuthority.make(in: folder.path)
        let files = ["--tls-cert", folder.path + "/cert.pem", "--tls-key", folder.path + "/key.pem"]
        let trusting = ["--cacert", folder.path + "/ca.pem"]
        let door = try await PictureDoorDeployment(files, workers: files)
        let answer = try await HTTP.get("https://127.0.0.1:\(door.port)" + door.path("/picture.png", "w:32"), trusting)
        #expect(answer.status == 200, "\(answer)")
        func https(_ service: ServiceProcess) -> String { service.base.replacing("http:", with: "https:") }
        let coordinator = try await judgedByPromtool(https(door.deployment.coordinators[0]), trusting)
        let worker = try await judgedByPromtool(https(door.deployment.workers[0]), trusting)
        for series in [
            #"tintype_door_requests_total{outcome="made"} 1"#, #"tintype_tls_handshakes_total{listener="images",outcome="succeeded"} 1"#,
            #"tintype_http_requests_total{route="door",status="200"} 1"#, #"tintype_tls_certificate_expiry_seconds{certificate="server"} "#,
        ] {
            #expect(coordinator.contains("\n" + series), "\(series)")
        }
        #expect(worker.contains("\n" + #"tintype_tls_certificate_expiry_seconds{certificate="server"} "#))
    }

    @Test func `promtool finds no fault in the metrics of a coordinator and a worker that have worked`() async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        let url = deployment.url("/picture.png?size=64x48")
        let loaded = try await client.call(
            "image.load", #"{"url":"\#(url)","deadline":60,"transform":[{"op":"resize","width":32,"height":24}],"output":{"format":"webp"}}"#)
        #expect(loaded.state == "succeeded", "\(loaded)")
        let (coordinator, worker) = (deployment.coordinators[0], deployment.workers[0])
        try await Gate.until("the workers are counted") {
            try await coordinator.value(of: #"tintype_workers{queue="default",state="running"}"#) == 1
        }
        for service in [coordinator, worker] { _ = try await judgedByPromtool(service.base) }
        #expect(try await coordinator.value(of: #"tintype_queue_limit{queue="default",limit="concurrent"}"#) == 64)
        for reason in ["asked", "pace"] {
            let series = #"tintype_queue_held_hosts{queue="default",reason="\#(reason)"} 0"#
            #expect(String(decoding: try await HTTP.get(coordinator.base + "/metrics").body, as: UTF8.self).contains("\n" + series + "\n"))
        }
        #expect(try await coordinator.value(of: #"tintype_queue_blacklisted{queue="default"}"#) == 0)
        #expect(try await worker.value(of: #"tintype_worker_permits{kind="fetches"}"#) > 0)
        #expect(try await worker.value(of: #"tintype_result_bytes_total{format="webp"}"#) == loaded.renditions[0]["bytes"]?.int)
        #expect(try await worker.value(of: #"tintype_source_bytes_total{format="png"}"#) == loaded["source"]?["bytes"]?.int)
        #expect(try await worker.value(of: #"tintype_redis_command_seconds_count{command="finish",outcome="ok"}"#) > 0)
    }

    @Test func `a connection to Redis that is made anew after a break is counted`() async throws {
        let deployment = try await Deployment()
        for service in deployment.coordinators + deployment.workers {
            for connection in ["commands", "subscriber"] {
                #expect(try await service.value(of: #"tintype_redis_reconnects_total{connection="\#(connection)"}"#) == 0)
            }
        }
        for type in ["normal", "pubsub"] { try await deployment.redis.command("CLIENT", "KILL", "TYPE", type) }
        for service in deployment.coordinators + deployment.workers {
            for connection in ["commands", "subscriber"] {
                try await Gate.until("\(connection) of \(service.process.name) are made anew") {
                    try await service.value(of: #"tintype_redis_reconnects_total{connection="\#(connection)"}"#) > 0
                }
            }
        }
    }

    @Test func `a dead worker, fetches that nobody takes, refused requests and a Redis that is gone are alerts`() async throws {
        let deployment = try await Deployment(coordinators: 2)
        let prometheus = try await PrometheusServer(DeployCheck.deploy, coordinators: deployment.coordinators, workers: deployment.workers)
        // Before its first scrape, a coordinator counts as absent.
        try await Gate.until("all are scraped, and no alert fires") {
            let targets = try await prometheus.targets()
            guard targets == ["tintype-coordinator": ["up", "up"], "tintype-worker": ["up"]] else { return false }
            return try await prometheus.alerts().keys.allSatisfy(Self.busyMachine.contains)
        }
        await deployment.workers[0].kill9()
        try await Gate.until("the worker alone is down") {
            try await prometheus.alerts()["TintypeDown"]?.map { $0["job"]?.string } == ["tintype-worker"]
        }

        let client = try deployment.client()
        try await deployment.configure(client, #""maxQueued":1"#)
        func submit(_ number: Int) async throws -> String? {
            let url = deployment.url("/picture.png?size=64x48&n=\(number)")
            return try await client.call("image.submit", #"{"url":"\#(url)","deadline":600}"#).error?.name
        }
        #expect(try await submit(1) == nil)
        // A coordinator reads the workers every 15 s, and this one is lost once its lease is over.
        #expect(try await prometheus.firing("TintypeNoWorkers", within: .seconds(60)).map { $0["queue"]?.string } == ["default"])

        // Prometheus has to see the counter twice, to see that it rises.
        #expect(try await submit(2) == "overloaded")
        try await Gate.until("the first refusal is scraped") { try await prometheus.value(of: #"tintype_submits_total{outcome="overloaded"}"#) == 1 }
        #expect(try await submit(3) == "overloaded")
        #expect(Set(try await prometheus.firing("TintypeOverloaded").map { $0["outcome"]?.string }) == ["overloaded"])

        await deployment.redis.kill9()
        try await Gate.until("both coordinators are without Redis") { try await prometheus.firing("TintypeRedisDown").count == 2 }
        // Their values of the queue are old now, and count no more.
        try await Gate.until("the queue is unknown") {
            try await prometheus.value(of: #"count(queue_state:tintype_queue_fetches:max{queue="default"})"#) == nil
        }
        #expect(try await prometheus.failedRules() == [])
    }
}
