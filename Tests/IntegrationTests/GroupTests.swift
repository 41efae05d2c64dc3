import TintypeCore
import Foundation
import TestSupport
import Testing

/// Groups of real processes: their requests at the origin, and the cost of a killed coordinator.
@Suite(.tags(.cluster), .timeLimit(.minutes(3)), .serialized, .scoped) struct GroupTests {
    private func start(_ client: RPCClient, _ method: String, _ params: String) async throws -> String {
        let answer = try await client.call(method, params)
        return try #require(answer.group, "\(answer)")
    }

    private func item(_ url: String) -> String { #"{"url":"\#(url)","transform":[{"op":"resize","width":16}],"deadline":100}"# }

    private func states(_ answer: RPCClient.Message) -> [String] {
        (answer["results"]?.array ?? []).compactMap { $0["state"]?.string }
    }

    /// Returns the terminal event of a group.
    private func end(_ client: RPCClient, _ group: String) async -> JSON {
        @Sendable func isEnd(_ message: RPCClient.Message) -> Bool {
            message.method == "group.event" && message.group == group && message.type != "progress"
        }
        return await client.notifications { $0.contains(where: isEnd) }.first(where: isEnd)?.params ?? [:]
    }

    private func counts(_ deployment: Deployment) async throws -> [String: Int] {
        (try await deployment.counts()["counts"]?.integers) ?? [:]
    }

    @Test func `ten images of which one fails: all settle, or the first failure ends them`() async throws {
        let deployment = try await Deployment(workers: 2)
        let client = try deployment.client()
        let urls = (0..<10).map { deployment.url($0 == 6 ? "/status/404" : "/picture.png?n=\($0)") }
        let items = "[" + urls.map(item).joined(separator: ",") + "]"
        let settled = try await start(client, "batch.start", #"{"mode":"settleAll","items":\#(items)}"#)
        let event = await end(client, settled)
        #expect(event["type"]?.string == "succeeded" && event["finished"]?.int == 10 && event["total"]?.int == 10)
        let answer = try await client.call("group.get", #"{"group":"\#(settled)"}"#)
        #expect(states(answer) == (0..<10).map { $0 == 6 ? "failed" : "succeeded" })
        for (index, one) in (answer["results"]?.array ?? []).enumerated() {
            let source = one["result"]?["source"]
            if index != 6 { #expect(source?["url"]?.string == urls[index]) }
        }

        // The others hang, so that the failure is the first end.
        try await deployment.configure(client, #""maxConcurrentPerHost":20"#)
        let slow = "[" + (0..<10).map { item(deployment.url($0 == 6 ? "/status/404?again=1" : "/hang?n=\($0)")) }.joined(separator: ",") + "]"
        let all = try await start(client, "batch.start", #"{"mode":"failFast","items":\#(slow),"concurrency":10}"#)
        let failed = await end(client, all)
        #expect(failed["type"]?.string == "failed" && failed["failed"]?["index"]?.int == 6, "\(failed)")
        let after = try await client.call("group.get", #"{"group":"\#(all)"}"#)
        #expect(states(after) == (0..<10).map { $0 == 6 ? "failed" : "cancelled" })
        // None of its requests goes on.
        try await Gate.until("nothing runs") { try await client.call("queue.get", #"{"queue":"default"}"#)["running"]?.int == 0 }
        #expect(try await deployment.violations(client) == [])
    }

    @Test(arguments: [SIGKILL, SIGTERM])
    func `a chain goes on without the coordinator that drove it, and repeats no step`(signal: Int32) async throws {
        let deployment = try await Deployment(coordinators: 2)
        let (client, other) = (try deployment.client(0), try deployment.client(1))
        let origin = deployment.origin.base
        let steps = [
            item("\(origin)/picture.png?n=1"), item("\(origin)/slow/picture.png?delay=2&from=${steps[0].source.width}"),
            item("${steps[1].source.finalURL}&then=${steps[0].renditions[0].width}"),
        ]
        let group = try await start(client, "chain.start", #"{"steps":[\#(steps.joined(separator: ","))]}"#)
        async let answer = other.call("group.get", #"{"group":"\#(group)","wait":100}"#)
        _ = try await other.call("events.subscribe", #"{"groups":["\#(group)"]}"#)
        // The gate: the second step is at the origin.
        try await Gate.until("it is") { try await counts(deployment).count >= 2 }
        let stopped = ContinuousClock.now
        deployment.coordinators[0].process.signal(signal)
        await deployment.coordinators[0].process.exit()
        let result = try await answer
        print("went on \(ContinuousClock.now - stopped) after the coordinator was stopped")
        #expect(result.state == "succeeded", "\(result)")
        #expect(states(result) == ["succeeded", "succeeded", "succeeded"])
        #expect(await end(other, group)["type"]?.string == "succeeded")
        let seen = try await counts(deployment)
        #expect(
            seen == [
                "/picture.png?n=1": 1, "/slow/picture.png?delay=2&from=1200": 1, "/slow/picture.png?delay=2&from=1200&then=16": 1,
            ])
        #expect(try await deployment.violations(other) == [])
    }

    @Test func `two chains that want the same image download it once`() async throws {
        let deployment = try await Deployment(coordinators: 2, workers: 2)
        let shared = deployment.url("/slow/picture.png?delay=1")
        var groups: [(RPCClient, String)] = []
        for number in 0..<2 {
            let client = try deployment.client(number)
            let steps = "[\(item(shared)),\(item(deployment.url("/picture.png?n=\(number)")))]"
            groups.append((client, try await start(client, "chain.start", #"{"steps":\#(steps)}"#)))
        }
        for (client, group) in groups { #expect(await end(client, group)["type"]?.string == "succeeded") }
        let seen = try await counts(deployment)
        #expect(seen == ["/slow/picture.png?delay=1": 1, "/picture.png?n=0": 1, "/picture.png?n=1": 1])
        #expect(try await deployment.violations(groups[0].0) == [])
    }

    @Test func `a shared download goes on when one of two chains is cancelled`() async throws {
        let deployment = try await Deployment(coordinators: 2)
        let (client, other) = (try deployment.client(0), try deployment.client(1))
        let url = deployment.url("/slow/picture.png?delay=8")
        try await client.call("queue.pause", #"{"queue":"default"}"#)
        let kept = try await start(client, "chain.start", #"{"steps":[\#(item(url))]}"#)
        let given = try await start(other, "chain.start", #"{"steps":[\#(item(url)),\#(item(deployment.url("/never")))]}"#)
        try await Gate.until("both want the download") {
            let fetch = try await deployment.redis("HGET", "r:\(kept).0", "fetch")
            guard !fetch.isEmpty else { return false }
            return try await deployment.redis("HLEN", "fr:" + fetch) == "2"
        }
        try await client.call("queue.resume", #"{"queue":"default"}"#)
        try await Gate.until("it runs") { try await deployment.asked() == 1 }
        try await other.call("group.cancel", #"{"group":"\#(given)"}"#)
        #expect(await end(other, given)["type"]?.string == "cancelled")
        #expect(await end(client, kept)["type"]?.string == "succeeded")
        #expect(try await counts(deployment) == ["/slow/picture.png?delay=8": 1])
        #expect(try await deployment.violations(client) == [])
    }

    @Test func `a chain goes on without the worker of its step, and repeats no step before it`() async throws {
        let deployment = try await Deployment(workers: 2)
        let client = try deployment.client()
        let origin = deployment.origin.base
        let steps = [
            item("\(origin)/picture.png?size=40x30"), item("\(origin)/hang?times=1&width=${steps[0].source.width}"),
            item("\(origin)/picture.png?size=32x24&width=${steps[1].renditions[0].width}"),
        ]
        let group = try await start(client, "chain.start", #"{"steps":[\#(steps.joined(separator: ","))]}"#)
        try await Gate.until("the second step is at the origin") { try await counts(deployment).count == 2 }
        let fetch = try #require(try await deployment.running().first)
        await (try #require(try await deployment.worker(of: fetch))).kill9()
        try await deployment.expireLeases(of: [fetch])
        #expect(await end(client, group)["type"]?.string == "succeeded")
        let answer = try await client.call("group.get", #"{"group":"\#(group)"}"#)
        #expect(states(answer) == ["succeeded", "succeeded", "succeeded"], "\(answer)")
        let seen = try await counts(deployment)
        #expect(seen == ["/picture.png?size=40x30": 1, "/hang?times=1&width=40": 2, "/picture.png?size=32x24&width=16": 1])
        #expect(try await deployment.violations(client) == [])
    }

    @Test func `a prefetched source is not downloaded again, and a bad URL is skipped`() async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        let urls = [deployment.url("/picture.png?n=0"), deployment.url("/status/404"), deployment.url("/picture.png?n=2")]
        let list = urls.map { "\"\($0)\"" }.joined(separator: ",")
        let group = try await start(client, "prefetch.start", #"{"urls":[\#(list)]}"#)
        let last = await end(client, group)
        #expect(last["finished"]?.int == 3 && last["skipped"]?.int == 1, "\(last)")
        #expect(last["errors"]?.array?.first?["index"]?.int == 1)
        let loaded = try await client.call("image.load", #"{"url":"\#(urls[2])"}"#)
        #expect(loaded.from != "remote" && loaded.state == "succeeded", "\(loaded)")
        #expect(try await deployment.counts()["total"]?.int == 3)
        #expect(try await deployment.violations(client) == [])
    }

    @Test func `the command line loads a file of URLs, and its exit status shows the result`() async throws {
        let deployment = try await Deployment()
        let folder = try TemporaryFolder("batch")
        let file = folder.path + "/urls"
        func batch(_ lines: [String], _ more: [String] = []) async throws -> ChildProcess {
            try lines.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
            let words = ["batch", file, "--coordinator", "127.0.0.1:\(deployment.coordinators[0].rpcPort)"]
            let child = try ChildProcess(ServiceProcess.path("tintype"), words + more)
            _ = await child.finished()
            return child
        }
        let pictures = (0..<3).map { deployment.url("/picture.png?n=\($0)") }
        let good = try await batch(pictures)
        #expect(await good.finished() == 0 && good.output.contains("3 succeeded"), "\(good.output) \(good.errors)")
        #expect(good.errors.contains("loading"), "\(good.errors)")
        let mixed = try await batch([#"{"url":"\#(pictures[0])"}"#, deployment.url("/status/404")], ["--json"])
        #expect(await mixed.finished() == 1, "\(mixed.output) \(mixed.errors)")
        let answer = try JSON(parsing: mixed.output)
        #expect(answer["results"]?.array?.compactMap { $0["state"]?.string } == ["succeeded", "failed"])
        let strict = try await batch([deployment.url("/status/404"), deployment.url("/hang")], ["--fail-fast"])
        #expect(await strict.finished() == 1 && strict.output.contains("cancelled"), "\(strict.output) \(strict.errors)")
        #expect(try await batch(["{nonsense"]).finished() == 2)
        #expect(try await batch([#"{"url":7}"#]).finished() == 2)
    }
}
