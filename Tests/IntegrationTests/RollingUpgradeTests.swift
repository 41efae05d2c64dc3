import Foundation
import Synchronization
import TestSupport
import TintypeCore
import Testing

/// Services are replaced, or half of them die, while clients ask for one picture after the other. Clients go on at another coordinator.
@Suite(.timeLimit(.minutes(2)), .serialized, .scoped) struct RollingUpgradeTests {
    /// The present services, and the account of the requests.
    private final class Fleet: Sendable {
        struct State: Sendable {
            var coordinators: [ServiceProcess] = []
            var workers: [ServiceProcess] = []
            var isOver = false
            /// The ends by receipt, as the client was told them.
            var ends: [String: [String]] = [:]
        }

        let state = Mutex(State())
        let origin: ServiceProcess
        let redis: String
        let results: TemporaryFolder

        init(redis: String, coordinators: Int, workers: Int) async throws {
            (self.redis, results, origin) = (redis, try TemporaryFolder("results"), try await ServiceProcess.origin())
            for _ in 0..<coordinators { try await addCoordinator() }
            for _ in 0..<workers { try await addWorker() }
        }

        private var store: [String] { ["--results", "file://\(results.path)"] }

        func addCoordinator() async throws {
            let started = try await ServiceProcess.coordinator(redis: redis, store)
            state.withLock { $0.coordinators.append(started) }
        }

        func addWorker() async throws {
            let started = try await ServiceProcess.worker(redis: redis, store)
            state.withLock { $0.workers.append(started) }
        }

        var done: Int { state.withLock { $0.ends.count } }

        func untilMoreEnd() async throws {
            let before = done
            try await Gate.until("requests go on", within: .seconds(60)) { self.done >= before + 20 }
        }

        /// One client, which is told of each end by an event or by an answer, in turn. It goes to the next coordinator when its own leaves it.
        func ask(_ name: String, first: Int) async throws {
            var (place, number) = (first, 0)
            var client: RPCClient?
            while !state.withLock({ $0.isOver }) {
                try Task.checkCancellation()
                let receipt = "\(name)-\(number)"
                do {
                    let live = state.withLock { $0.coordinators }
                    let own = try client ?? RPCClient(port: live[place % live.count].rpcPort)
                    client = own
                    let end = try await finish(receipt, at: own, isLoaded: number % 2 == 0)
                    state.withLock { $0.ends[receipt, default: []] += end }
                    number += 1
                } catch is TestFailure {
                    client?.close()
                    client = nil
                    place += 1
                    try await Task.sleep(for: .milliseconds(10))
                }
            }
        }

        /// - Throws: `TestFailure` when the coordinator has gone, or goes.
        private func finish(_ receipt: String, at client: RPCClient, isLoaded: Bool) async throws -> [String] {
            let request = #"{"url":"\#(origin.base)/picture.png?size=64x48&n=\#(receipt)","as":"bytes","receipt":"\#(receipt)","deadline":90}"#
            let answer = try await client.call(isLoaded ? "image.load" : "image.submit", request)
            if answer.error?.name == "shuttingDown" { throw TestFailure("the coordinator stops") }
            let ends = ["succeeded", "failed", "cancelled"]
            if let error = answer.error?.name { return [error] }
            if let state = answer.state, ends.contains(state) { return [state] }
            _ = await client.notifications { $0.contains { $0.receipt == receipt && ends.contains($0.type ?? "") } }
            try await client.call("system.ping")
            let told = client.notifications.filter { $0.receipt == receipt && ends.contains($0.type ?? "") }
            if told.isEmpty { throw TestFailure("the coordinator has gone") }
            return told.compactMap(\.type)
        }

        /// Runs the requests of four clients while something happens. Returns what was told, by receipt.
        func whileAsked(_ happens: () async throws -> Void) async throws -> [String: [String]] {
            async let clients: Void = withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<4 { group.addTask { try await self.ask("c\(number)", first: number) } }
                try await group.waitForAll()
            }
            try await untilMoreEnd()
            try await happens()
            try await untilMoreEnd()
            state.withLock { $0.isOver = true }
            try await clients
            return state.withLock { $0.ends }
        }

        /// Returns what `system.validate` finds when the work is over.
        func violations() async throws -> String {
            let client = try RPCClient(port: try #require(state.withLock { $0.coordinators.first }).rpcPort)
            var answer = try await client.call("system.validate")
            try await Gate.until("the rules hold: \(answer)") {
                answer = try await client.call("system.validate")
                return answer["ok"]?.bool == true
            }
            return answer["violations"]?.text ?? "\(answer)"
        }
    }

    @Test(arguments: [false, true]) func `every request ends once while all coordinators and workers are replaced in turn`(sentinels: Bool) async throws {
        let redis = sentinels ? try await SentinelSite().url : try await RedisServer().url
        let fleet = try await Fleet(redis: redis, coordinators: 2, workers: 2)
        let ends = try await fleet.whileAsked {
            for _ in 0..<2 {
                let old = try #require(fleet.state.withLock { $0.coordinators.first })
                #expect(await old.stop() == 0)
                fleet.state.withLock { $0.coordinators.removeAll { $0 === old } }
                try await fleet.addCoordinator()
                try await fleet.untilMoreEnd()
            }
            for _ in 0..<2 {
                let old = try #require(fleet.state.withLock { $0.workers.first })
                #expect(await old.stop() == 0)
                fleet.state.withLock { $0.workers.removeAll { $0 === old } }
                try await fleet.addWorker()
                try await fleet.untilMoreEnd()
            }
        }
        #expect(ends.values.allSatisfy { $0 == ["succeeded"] }, "\(ends.filter { $0.value != ["succeeded"] })")
        // No run was cut short, so no picture was downloaded twice.
        let counts = try JSON(parsing: try await HTTP.get(fleet.origin.base + "/_counts").body)["counts"]?.integers ?? [:]
        #expect(counts.count >= ends.count && counts.values.allSatisfy { $0 == 1 }, "\(counts.filter { $0.value != 1 })")
        #expect(try await fleet.violations() == "[]")
    }

    enum Site: String, CaseIterable, Sendable { case sentinels, cluster }

    @Test(arguments: Site.allCases) func `every request ends once when half of all servers and services die at once`(site: Site) async throws {
        let (sentinels, cluster) = (site == .sentinels ? try await SentinelSite() : nil, site == .cluster ? try await ClusterSite(replicas: 1) : nil)
        let fleet = try await Fleet(redis: try #require(sentinels?.url ?? cluster?.url), coordinators: 2, workers: 4)
        let slot = try await cluster?.slot(of: "tintype:{default}:cfg") ?? 0
        let owner = try await cluster?.owner(of: slot) ?? 0
        // The primary of the queue, and the replicas of the two others: most primaries are left.
        let dead = cluster.map { cluster in [owner] + (0..<3).filter { $0 != owner }.map { $0 + 3 }.filter { cluster.servers.indices.contains($0) } } ?? []
        let ends = try await fleet.whileAsked {
            let services = fleet.state.withLock { state in
                defer {
                    state.coordinators.removeFirst()
                    state.workers.removeFirst(2)
                }
                return state.coordinators.prefix(1) + state.workers.prefix(2)
            }
            async let servers: Void = {
                for index in dead { await cluster?.servers[index].kill9() }
                await sentinels?.primary.kill9()
                await sentinels?.sentinels[0].kill9()
            }()
            for service in services { await service.kill9() }
            await servers
            try await sentinels?.untilSwitched()
            if let cluster { try await Gate.until("the replica is promoted") { (try? await cluster.owner(of: slot)).map { $0 != owner } ?? false } }
        }
        #expect(ends.values.allSatisfy { $0 == ["succeeded"] }, "\(ends.filter { $0.value != ["succeeded"] })")
        #expect(try await fleet.violations() == "[]")
    }
}
