import Foundation
import Synchronization
import TestSupport
import Testing
import TintypeCore

/// Another Redis becomes the primary while durable requests come that no client waits for.
@Suite(.timeLimit(.minutes(2)), .serialized, .scoped) struct DurableSwitchTests {
    enum Fault: String, CaseIterable, Sendable { case planned, killed }

    /// The receipts of detached requests, by what their answers said of replicas.
    private final class Answers: Sendable {
        let durable = Mutex<[String: Bool]>([:])
        let isOver = Atomic(false)
        let refused = Atomic(0)
        func count(_ value: Bool) -> Int { durable.withLock { $0.values.count { $0 == value } } }
    }

    /// Submits requests that no client waits for, one after the other.
    private func submit(to coordinator: ServiceProcess, _ client: Int, _ answers: Answers) async throws {
        var number = 0
        while !answers.isOver.load(ordering: .relaxed) {
            let receipt = "r\(client)-\(number)"
            number += 1
            let params = #"{"url":"http://origin.test/picture.png","receipt":"\#(receipt)","deadline":300}"#
            let body = #"{"jsonrpc":"2.0","id":1,"method":"image.submit","params":\#(params)}"#
            let answer = try await HTTP.get(coordinator.base + "/rpc", ["-H", "Content-Type: application/json", "-d", body])
            if let value = (try? JSON(parsing: answer.body))?["result"]?["durable"]?.bool {
                answers.durable.withLock { $0[receipt] = value }
            } else {
                answers.refused.add(1, ordering: .relaxed)
            }
        }
    }

    /// `(.planned, 1)` is out because it promises nothing. Sentinels promote one of two replicas, and demote the old primary seconds later. Until then the other
    /// replica confirms what the old primary writes, and with one confirmation that is `durable: true`; then both take the new primary's data.
    @Test(arguments: [(Fault.planned, 2), (.killed, 2), (.killed, 1)])
    func `every submit that was answered as durable is there after a switch`(fault: Fault, replicas: Int) async throws {
        let site = try await SentinelSite()
        let deployment = try await Deployment(
            workers: 0, site: site, coordinatorArguments: ["--durable", "detached", "--durable-replicas", "\(replicas)"])
        let answers = Answers()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in 0..<4 { group.addTask { try await submit(to: deployment.coordinators[0], client, answers) } }
            try await Gate.until("some are durable") { answers.count(true) >= 40 }
            switch fault {
            case .planned: try await site.failOver()
            case .killed: await site.primary.kill9()
            }
            try await site.untilSwitched()
            let before = (answers.count(true), answers.count(false))
            try await Gate.until("the coordinator accepts again") { answers.count(true) + answers.count(false) >= before.0 + before.1 + 20 }
            if replicas == 1 { try await Gate.until("and some are durable") { answers.count(true) >= before.0 + 20 } }
            answers.isOver.store(true, ordering: .relaxed)
            try await group.waitForAll()
        }
        let all = answers.durable.withLock { $0 }
        var missing: [String] = []
        for receipt in all.filter(\.value).keys where try await deployment.redis("EXISTS", "r:\(receipt)") != "1" { missing.append(receipt) }
        #expect(missing.isEmpty)
        let client = try deployment.client()
        #expect(try await deployment.violations(client) == [])
    }

    enum Change: String, CaseIterable, Sendable { case planned, killed, moved }

    @Test(arguments: Change.allCases) func `every submit that was answered as durable is there after a change of a cluster`(change: Change) async throws {
        let site = try await ClusterSite(replicas: 1)
        let results = try TemporaryFolder("results")
        let coordinator = try await ServiceProcess.coordinator(redis: site.url, ["--results", "file://\(results.path)", "--durable", "detached"])
        let slot = try await site.slot(of: "tintype:{default}:cfg")
        let old = try await site.owner(of: slot)
        let answers = Answers()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in 0..<4 { group.addTask { try await submit(to: coordinator, client, answers) } }
            try await Gate.until("some are durable") { answers.count(true) >= 40 }
            switch change {
            case .planned: try await site.servers[old + 3].command("CLUSTER", "FAILOVER")
            case .killed: await site.servers[old].kill9()
            case .moved: try await site.move(slot, to: (old + 1) % 3)
            }
            try await Gate.until("another server has the slot") { (try? await site.owner(of: slot)).map { $0 != old } ?? false }
            let before = (answers.count(true), answers.count(false))
            // The promoted replica of a dead server has no replica itself.
            try await Gate.until("the coordinator accepts again") {
                change == .killed ? answers.count(false) >= before.1 + 20 : answers.count(true) >= before.0 + 20
            }
            answers.isOver.store(true, ordering: .relaxed)
            try await group.waitForAll()
        }
        let server = site.servers[try await site.owner(of: slot)]
        var missing: [String] = []
        for receipt in answers.durable.withLock({ $0 }).filter(\.value).keys where try await server.command("EXISTS", "tintype:{default}:r:\(receipt)") != "1" {
            missing.append(receipt)
        }
        #expect(missing.isEmpty)
        #expect(try await RPCClient(port: coordinator.rpcPort).call("system.validate")["ok"]?.bool == true)
        await coordinator.stop()
    }
}
