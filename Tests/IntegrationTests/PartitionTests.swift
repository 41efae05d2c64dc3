import Foundation
import TestSupport
import TintypeCore
import Testing

/// The network between whole processes is cut: workers from their Redis, a primary from the rest, sentinels from each other.
@Suite(.timeLimit(.minutes(3)), .serialized, .scoped) struct PartitionTests {
    private func deployment(_ arguments: [String] = []) async throws -> (Deployment, SentinelSite, Network) {
        let network = Network()
        let site = try await SentinelSite(network: network)
        let deployment = try await Deployment(coordinators: 2, workers: 2, site: site, coordinatorArguments: arguments, workerArguments: arguments)
        return (deployment, site, network)
    }

    @Sendable private func request(_ deployment: Deployment, _ path: String, _ more: String = "") -> String {
        #"{"url":"\#(deployment.url(path))","as":"bytes","deadline":90\#(more)}"#
    }

    /// Returns the terminal events that a client has been told, by receipt, once its coordinator has sent all that it has.
    private func ends(_ client: RPCClient) async throws -> [String: Int] {
        try await client.call("system.ping")
        let terminal = client.notifications.filter { ["succeeded", "failed", "cancelled"].contains($0.type) }
        return terminal.reduce(into: [:]) { $0[$1.receipt ?? "", default: 0] += 1 }
    }

    @Test func `another worker runs what a worker ran that is cut off from the primary, and it ends once`() async throws {
        let (deployment, site, network) = try await deployment()
        let client = try deployment.client()
        #expect(try await client.call("image.submit", request(deployment, "/hang?times=1", #","receipt":"r","progress":true"#)).error == nil)
        let started = await client.notifications { $0.contains { $0.type == "started" } }.first { $0.type == "started" }
        let name = try #require(started?["worker"]?.string)
        let victim = try #require(deployment.workers.first { $0.ready["worker"] == name })
        try await deployment.untilBeaten()
        try await Gate.until("it hangs") { try await deployment.atOrigin() == 1 }
        network.split([.init(victim)], [site.member(site.primary)])
        let told = await client.notifications { $0.contains { $0.type == "succeeded" } }
        #expect(told.contains { $0.type == "started" && $0["worker"]?.string != name }, "\(told)")
        #expect(told.last { $0.type == "succeeded" }?["result"]?["attempts"]?.int == 2)
        network.heal()
        try await Gate.until("it is ready again") { try await HTTP.get(victim.base + "/readyz").status == 200 }
        for worker in deployment.workers where worker !== victim { await worker.stop() }
        #expect(try await client.call("image.load", request(deployment, "/picture.png?size=64x48")).state == "succeeded")
        #expect(try await ends(client) == ["r": 1])
        #expect(try await deployment.violations(client) == [])
    }

    @Test(arguments: [false, true]) func `twenty downloads end once when all workers were cut off from the primary`(pastLeases: Bool) async throws {
        // With a short lease, a busy machine loses the second runs too, and fetches that two workers have lost fail.
        let (deployment, site, network) = try await deployment(["--lease", pastLeases ? "10s" : "60s"])
        let client = try deployment.client()
        try await deployment.configure(client, #""maxConcurrentPerHost":30"#)
        for number in 0..<20 {
            let path = "/picture.png?size=64x48&gate=\(number % 2)&n=\(number)"
            #expect(try await client.call("image.submit", request(deployment, path, #","receipt":"r\#(number)""#)).error == nil)
        }
        try await Gate.until("all run") { try await deployment.atOrigin() == 20 }
        network.split(deployment.workers.map { .init($0) }, [site.member(site.primary)])
        for _ in 0..<10 { try await deployment.open(gate: "0") }
        if pastLeases {
            // The coordinators reach Redis, so they take the workers for dead.
            try await Gate.until("no lease is left", within: .seconds(60)) { try await deployment.running().isEmpty }
        } else {
            try await Gate.until("half have been downloaded") { try await deployment.atOrigin() == 10 }
        }
        network.heal()
        let opener = Task {
            // The runs that follow wait at the gates too.
            while !Task.isCancelled {
                for gate in 0..<2 { _ = try await HTTP.get(deployment.origin.base + "/_open?gate=\(gate)") }
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        defer { opener.cancel() }
        let all = await client.notifications { $0.count { ["succeeded", "failed"].contains($0.type) } >= 20 }.filter { $0.type == "succeeded" }
        let attempts = all.compactMap { $0["result"]?["attempts"]?.int }.max() ?? 0
        // A busy machine may lose a second run too.
        #expect(pastLeases ? attempts >= 2 : attempts == 1, "\(all)")
        let told = try await ends(client)
        #expect(told.count == 20 && told.values.allSatisfy { $0 == 1 }, "\(told)")
        #expect(try await deployment.violations(client) == [])
    }

    @Test func `a primary that is cut off with a sentinel and services is replaced, and each request ends once on both sides`() async throws {
        let (deployment, site, network) = try await deployment()
        let (smaller, larger) = (try deployment.client(0), try deployment.client(1))
        let old = site.primary
        let others = site.servers.dropFirst().map { site.member($0) } + site.sentinels.dropFirst().map(\.member)
        network.split(
            [site.member(old), site.sentinels[0].member, .init(deployment.coordinators[0]), .init(deployment.workers[0])],
            others + [.init(deployment.coordinators[1]), .init(deployment.workers[1])])
        // The old primary takes writes until it has missed its replicas for two seconds. The new one knows none of them.
        async let submits = withThrowingTaskGroup(of: RPCClient.Message.self) { group in
            for number in 0..<10 {
                let path = "/picture.png?size=64x48&n=\(number)"
                group.addTask { try await smaller.call("image.submit", request(deployment, path, #","receipt":"s\#(number)""#)) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        try await site.untilSwitched(by: Array(site.sentinels.dropFirst()))
        for number in 0..<10 {
            #expect(try await larger.call("image.load", request(deployment, "/picture.png?size=64x48&m=\(number)")).state == "succeeded")
        }
        let hurried = try await smaller.call("image.load", #"{"url":"\#(deployment.url("/picture.png?n=hurried"))","deadline":3}"#)
        #expect(["unavailable", "deadlineExceeded"].contains(hurried.error?.name), "\(hurried)")
        network.heal()
        let answers = try await submits
        #expect(answers.allSatisfy { $0.error.map { $0.name == "unavailable" } ?? true }, "\(answers)")
        let acknowledged = Set(answers.compactMap(\.receipt))
        let told = await smaller.notifications { Set($0.filter { $0.type == "succeeded" }.compactMap(\.receipt)).isSuperset(of: acknowledged) }
        #expect(told.allSatisfy { $0.type == "succeeded" }, "\(told)")
        for service in deployment.coordinators + deployment.workers {
            // A busy machine may see one more switch.
            try await Gate.until("it uses the new primary") {
                await site.lookAgain()
                return try await service.value(of: #"tintype_redis_primary{address="\#(site.address)"}"#) == 1
            }
            try await Gate.until("it is ready") { try await HTTP.get(service.base + "/readyz").status == 200 }
        }
        // A primary that becomes a replica closes the connections of its clients.
        try await Gate.until("the old primary follows the new one") { (try? await old.command("ROLE"))?.hasPrefix("slave") == true }
        for (number, client) in [smaller, larger].enumerated() {
            #expect(try await client.call("image.load", request(deployment, "/picture.png?size=64x48&last=\(number)")).state == "succeeded")
        }
        let ended = try await ends(smaller)
        #expect(acknowledged.isSubset(of: ended.keys) && ended.values.allSatisfy { $0 == 1 }, "\(ended)")
        #expect(try await deployment.violations(larger) == [])
    }

    @Test func `sentinels that do not hear each other replace no dead primary, requests end in time, and the end of the cut mends it`() async throws {
        let (deployment, site, network) = try await deployment()
        let client = try deployment.client()
        network.split([site.sentinels[0].member], [site.sentinels[1].member], [site.sentinels[2].member])
        await site.primary.kill9()
        async let patient = client.call("image.load", request(deployment, "/picture.png?size=64x48&n=patient"))
        let hurried = try await client.call("image.load", #"{"url":"\#(deployment.url("/picture.png?n=hurried"))","deadline":3}"#)
        #expect(["unavailable", "deadlineExceeded"].contains(hurried.error?.name), "\(hurried)")
        for sentinel in site.sentinels { #expect("127.0.0.1:\(await sentinel.primary() ?? 0)" == site.address) }
        network.heal()
        try await site.untilSwitched()
        let answer = try await patient
        #expect(answer.state == "succeeded" || answer.error?.name == "unavailable", "\(answer)")
        try await Gate.until("requests are answered") {
            try await client.call("image.load", request(deployment, "/picture.png?size=64x48&n=last")).state == "succeeded"
        }
        #expect(try await deployment.violations(client) == [])
    }
}
