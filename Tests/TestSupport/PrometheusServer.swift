package import Foundation
package import TintypeCore

/// A private Prometheus with the rules and alerts of `deploy/`, which scrapes real services twice a second.
///
/// Its alerts fire at once: `for` is left out, whose lengths the tests of promtool show.
package final class PrometheusServer: Sendable {
    /// `http://127.0.0.1:port`.
    package let base: String
    private let folder: TemporaryFolder
    private let process: ChildProcess

    /// Starts the server and returns when it is ready.
    /// - Parameters:
    ///   - deploy: the folder `deploy` of this repository.
    ///   - coordinators: the targets of the job `tintype-coordinator`.
    ///   - workers: the targets of the job `tintype-worker`.
    package init(_ deploy: URL, coordinators: [ServiceProcess], workers: [ServiceProcess]) async throws {
        folder = try TemporaryFolder("prometheus")
        let (path, port) = (folder.path, try FreePort.find())
        base = "http://127.0.0.1:\(port)"
        for name in ["rules.yml", "alerts.yml"] {
            let text = try String(contentsOf: deploy.appendingPathComponent("prometheus/" + name), encoding: .utf8)
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).filter { !$0.hasPrefix("        for: ") }
            try lines.joined(separator: "\n").write(toFile: "\(path)/\(name)", atomically: true, encoding: .utf8)
        }
        func job(_ name: String, _ services: [ServiceProcess]) -> String {
            let targets = services.map { "\"127.0.0.1:\($0.httpPort)\"" }.joined(separator: ", ")
            return "  - {job_name: \(name), static_configs: [{targets: [\(targets)]}]}\n"
        }
        let text = """
            global: {scrape_interval: 500ms, scrape_timeout: 500ms, evaluation_interval: 500ms}
            rule_files: [rules.yml, alerts.yml]
            scrape_configs:
            \(job("tintype-coordinator", coordinators))\(job("tintype-worker", workers))
            """
        try text.write(toFile: path + "/prometheus.yml", atomically: true, encoding: .utf8)
        let words = [
            "--config.file=\(path)/prometheus.yml", "--storage.tsdb.path=\(path)/data", "--web.listen-address=127.0.0.1:\(port)", "--log.level=warn",
        ]
        process = try ChildProcess("prometheus", words)
        TestScope.ends(process)
        let (base, process) = (base, process)
        try await Gate.until("Prometheus is ready") {
            if let status = process.exitStatus { throw TestFailure("prometheus ended with \(status): \(process.errors)") }
            return (try? await HTTP.get(base + "/-/ready"))?.status == 200
        }
    }

    /// Asks a question of its HTTP API and returns the member `data` of the answer.
    private func ask(_ path: String, _ arguments: [String] = []) async throws -> JSON {
        let answer = try await HTTP.get(base + "/api/v1/" + path, arguments)
        let json = try JSON(parsing: answer.body)
        guard json["status"]?.string == "success", let data = json["data"] else { throw TestFailure("Prometheus: \(json.text)") }
        return data
    }

    /// Returns the value of an expression with one series now; nil without a series.
    package func value(of expression: String) async throws -> Double? {
        let data = try await ask("query", ["-G", "--data-urlencode", "query=\(expression)"])
        return data["result"]?[0]?["value"]?[1]?.string.flatMap { Double($0) }
    }

    /// Returns the labels of the alerts that fire, by their names.
    package func alerts() async throws -> [String: [JSON]] {
        let alerts = try await ask("alerts")["alerts"]?.array ?? []
        let firing = alerts.filter { $0["state"]?.string == "firing" }.compactMap { $0["labels"] }
        return Dictionary(grouping: firing) { $0["alertname"]?.string ?? "" }
    }

    /// Returns the states of the targets: job → the health of each.
    package func targets() async throws -> [String: [String]] {
        let targets = try await ask("targets")["activeTargets"]?.array ?? []
        return Dictionary(grouping: targets) { $0["labels"]?["job"]?.string ?? "" }.mapValues { $0.compactMap { $0["health"]?.string } }
    }

    /// Returns the rules that could not be computed, with their errors.
    package func failedRules() async throws -> [String] {
        let rules = (try await ask("rules")["groups"]?.array ?? []).flatMap { $0["rules"]?.array ?? [] }
        return rules.filter { $0["health"]?.string == "err" }.map { "\($0["name"]?.string ?? ""): \($0["lastError"]?.string ?? "")" }
    }

    /// Returns when an alert fires.
    /// - Returns: the labels of the alert, once for each series.
    @discardableResult
    package func firing(_ alert: String, within limit: Duration = .seconds(30)) async throws -> [JSON] {
        try await Gate.until("\(alert) fires", within: limit) { try await alerts()[alert] != nil }
        return try await alerts()[alert] ?? []
    }
}
