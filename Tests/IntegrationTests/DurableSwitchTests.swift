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
    private func submit(_ deployment: Deployment, _ client: Int, _ answers: Answers) async throws {
        var number = 0
        while !answers.isOver.load(ordering: .relaxed) {
            let receipt = "r\(client)-\(number)"
            number += 1
            let params = #"{"url":"\#(deployment.url("/picture.png"))","receipt":"\#(receipt)","deadline":300}"#
            let body = #"{"jsonrpc":"2.0","id":1,"method":"image.submit","params":\#(params)}"#
            let answer = try await HTTP.get(deployment.coordinators[0].base + "/rpc", ["-H", "Content-Type: application/json", "-d", body])
            if let value = (try? JSON(parsing: answer.body))?["result"]?["durable"]?.bool {
                answers.durable.withLock { $0[receipt] = value }
            } else {
                answers.refused.add(1, ordering: .relaxed)
            }
        }
    }

    @Test(arguments: [(Fault.planned, 2), (.killed, 2), (.killed, 1)])
    func `every submit that was answered as durable is there after a switch`(fault: Fault, replicas: Int) async throws {
        let site = try await SentinelSite()
        let deployment = try await Deployment(
            workers: 0, site: site, coordinatorArguments: ["--durable", "detached", "--durable-replicas", "\(replicas)"])
        let answers = Answers()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in 0..<4 { group.addTask { try await submit(deployment, client, answers) } }
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
}
