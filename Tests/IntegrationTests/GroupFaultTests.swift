import Foundation
import TintypeCore
import TestSupport
import Testing

/// Batches and a prefetch of real processes that lose their coordinator, or Redis, in the middle.
@Suite(.tags(.realTimes), .timeLimit(.minutes(2)), .serialized, .scoped) struct GroupFaultTests {
    /// The part that fails.
    enum Fault: String, CaseIterable, Sendable { case coordinatorKilled, coordinatorTerminated, redisKilled }

    /// The groups of the test, by a text in the URLs of their items.
    private static let names = ["settled", "strict", "fetched"]

    private static func url(_ deployment: Deployment, _ name: String, _ number: Int) -> String {
        let failing = name == "strict" ? 5 : 2
        // The first three end before the fault. The origin delays the others until after it.
        let gate = number < 3 ? "open=\(name)" : "gate=\(name)\(name == "strict" && number == failing ? "-bad" : "")"
        return deployment.url("\(number == failing ? "/status/404" : "/picture.png")?size=16x16&\(gate)&n=\(number)")
    }

    private func start(_ deployment: Deployment, _ client: RPCClient, _ name: String) async throws -> String {
        let items = (0..<12).map {
            #"{"url":"\#(Self.url(deployment, name, $0))","as":"bytes","deadline":110,"fetch":{"timeouts":{"idle":100,"total":100}}}"#
        }
        let list = items.joined(separator: ",")
        let answer =
            switch name {
            case "settled": try await client.call("batch.start", #"{"mode":"settleAll","concurrency":4,"items":[\#(list)]}"#)
            case "strict": try await client.call("batch.start", #"{"mode":"failFast","concurrency":4,"items":[\#(list)]}"#)
            default: try await client.call("prefetch.start", #"{"concurrency":4,"items":[\#(list)]}"#)
            }
        return try #require(answer.group, "\(answer)")
    }

    private func states(_ answer: RPCClient.Message) -> [String] {
        (answer["results"]?.array ?? []).compactMap { $0["state"]?.string }
    }

    @Test(arguments: Fault.allCases)
    func `batches and a prefetch go on, and load nothing twice`(fault: Fault) async throws {
        let deployment = try await Deployment(coordinators: 2, workers: 2, appendOnly: fault == .redisKilled)
        let (client, other) = (try deployment.client(0), try deployment.client(1))
        try await deployment.configure(other, #""maxConcurrentPerHost":30"#)
        var groups: [String: String] = [:]
        for name in Self.names { groups[name] = try await start(deployment, client, name) }
        let (settled, strict, fetched) = (groups["settled"] ?? "", groups["strict"] ?? "", groups["fetched"] ?? "")
        _ = try await other.call("events.subscribe", #"{"groups":["\#(settled)","\#(strict)","\#(fetched)"]}"#)
        try await Gate.until("three of each have ended, and four of each are held") {
            for group in groups.values {
                guard try await other.call("group.get", #"{"group":"\#(group)"}"#)["finished"]?.int == 3 else { return false }
            }
            return try await deployment.atOrigin() == 12
        }
        let driver = try await deployment.redis("HGET", "g:" + settled, "coordinator")

        switch fault {
        case .coordinatorKilled, .coordinatorTerminated:
            deployment.coordinators[0].process.signal(fault == .coordinatorKilled ? SIGKILL : SIGTERM)
            await deployment.coordinators[0].process.exit()
            for group in groups.values {
                if fault == .coordinatorKilled { try await deployment.redis("ZADD", "gl", "XX", "1", group) }
                try await Gate.until("the other coordinator drives it") {
                    let now = try await deployment.redis("HGET", "g:" + group, "coordinator")
                    return now != driver && !now.isEmpty
                }
            }
        case .redisKilled:
            try await deployment.untilBeaten()
            await deployment.redis.kill9()
            // Items that end meanwhile are reported later.
            for gate in ["settled", "strict-bad", "fetched"] { try await deployment.open(gate: gate) }
            try await deployment.redis.restart()
        }
        let held = fault == .redisKilled ? 9 : 12
        try await Gate.until("what was begun goes on") { try await deployment.atOrigin() == held }
        if fault != .redisKilled { try await deployment.open(gate: "strict-bad") }
        for gate in ["settled", "fetched"] {
            for _ in 0..<(fault == .redisKilled ? 8 : 9) { try await deployment.open(gate: gate) }
        }

        let all = try await other.call("group.get", #"{"group":"\#(settled)","wait":100}"#)
        #expect(all.state == "succeeded", "\(all)")
        #expect(states(all) == (0..<12).map { $0 == 2 ? "failed" : "succeeded" }, "\(all)")
        let failed = try await other.call("group.get", #"{"group":"\#(strict)","wait":100}"#)
        #expect(failed.state == "failed", "\(failed)")
        #expect(states(failed) == (0..<12).map { $0 < 3 ? "succeeded" : $0 == 5 ? "failed" : "cancelled" }, "\(failed)")
        let filled = try await other.call("group.get", #"{"group":"\#(fetched)","wait":100}"#)
        #expect(filled.state == "succeeded", "\(filled)")
        // The origin shows that the requests of the strict batch are stopped, and that no further ones have begun.
        try await Gate.until("nothing is held any more") { try await deployment.atOrigin() == 0 }
        var expected: [String: Int] = [:]
        for name in Self.names {
            for number in 0..<(name == "strict" ? 7 : 12) {
                expected[String(Self.url(deployment, name, number).dropFirst(deployment.origin.base.count))] = 1
            }
        }
        #expect(try await deployment.counts()["counts"]?.integers == expected)
        // Each group is reported ended once, whichever coordinator drove it.
        try await other.call("system.ping")
        for (group, type) in [(settled, "succeeded"), (strict, "failed"), (fetched, "succeeded")] {
            @Sendable func isEnd(_ message: RPCClient.Message) -> Bool {
                message.method == "group.event" && message.group == group && message.type != "progress"
            }
            let ends = await other.notifications { $0.contains(where: isEnd) }.filter(isEnd)
            #expect(ends.count == 1 && ends.first?.type == type, "\(ends)")
            if group == strict { #expect(ends.first?.params?["failed"]?["index"]?.int == 5) }
            if group == fetched { #expect(ends.first?.params?["finished"]?.int == 12 && ends.first?.params?["skipped"]?.int == 1) }
        }
        #expect(try await deployment.violations(other) == [])
    }
}
