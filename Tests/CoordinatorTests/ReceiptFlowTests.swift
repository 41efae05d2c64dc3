import Foundation
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Coordinator

/// A request from the first byte to its answer, with a worker whose every step the test decides.
@Suite(.tags(.cluster), .timeLimit(.minutes(2)), .serialized, .scoped) struct ReceiptFlowTests {
    private func types(_ client: RPCClient, _ receipt: String? = nil) -> [String] {
        client.notifications.compactMap(\.params).filter { receipt == nil || $0["receipt"]?.string == receipt }.compactMap { $0["type"]?.string }
    }

    @Test func `a load with progress gets all events in order, then the answer`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        async let answer = client.call(
            "image.load",
            #"{"url":"http://origin.test/a","progress":{"interval":3600},"tag":"t","userInfo":{"n":1},"renditions":[{"name":"one"},{"name":"two","output":{"format":"png"}}]}"#
        )
        let fetch = try await harness.worker.claim()
        #expect(fetch.wantsProgress && fetch.renditions.count == 2)
        try await harness.worker.progress(fetch, ["status": 200, "headers": [:], "expectedBytes": 100], type: .response)
        for received in [10, 11, 12, 60, 100] {
            try await harness.worker.progress(
                fetch,
                ["phase": "download", "receivedBytes": JSON(received), "expectedBytes": 100, "fraction": JSON(Double(received) / 100)])
        }
        try await harness.worker.succeed(fetch)
        let result = try await answer
        #expect(result.from == "remote" && result["tag"]?.string == "t", "\(result)")
        #expect(result.renditions.map { $0["name"]?.string } == ["one", "two"])
        let events = client.notifications.compactMap(\.params)
        #expect(events.map { $0["seq"]?.int } == Array(1...events.count))
        #expect(events.allSatisfy { $0["tag"]?.string == "t" && $0["requestId"]?.int != nil && $0["queue"]?.string == "default" })
        // 11 and 12 % are too little and too early; 12 is overtaken by 60.
        #expect(events.compactMap { $0["receivedBytes"]?.int } == [10, 60, 100])
        #expect(types(client).filter { $0 != "progress" } == ["queued", "started", "response", "rendition", "rendition", "succeeded"])
    }

    @Test func `without progress a load gets no events, and a submit only the end`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        async let load = client.call("image.load", #"{"url":"http://origin.test/a"}"#)
        try await harness.worker.succeed(try await harness.worker.claim())
        #expect(try await load.state == "succeeded")
        #expect(client.notifications.isEmpty)
        let submitted = try await client.call("image.submit", #"{"url":"http://origin.test/b"}"#)
        #expect(submitted.state == "queued" && submitted["position"]?.int == 0)
        try await harness.worker.succeed(try await harness.worker.claim())
        let events = await client.notifications { !$0.isEmpty }
        #expect(types(client) == ["succeeded"] && events[0].receipt == submitted.receipt)
        // The results exist already: the submit says so, and the event still comes.
        let again = try await client.call("image.submit", #"{"url":"http://origin.test/b"}"#)
        #expect(again.state == "succeeded" && again["result"] != nil, "\(again)")
        _ = await client.notifications { $0.count == 2 }
        #expect(types(client) == ["succeeded", "succeeded"])
    }

    @Test(arguments: [
        #""tag":"t","userInfo":{"n":1}"#, #""cache":{"write":["results"]}"#, #""cache":{"write":["memory"]},"tag":"t""#, #""cache":{"write":[],"read":[]}"#,
        #""renditions":[{"name":"one"},{"name":"two"},{"name":"three","output":{"format":"png"}}]"#, #""cache":{"policy":"reload"}"#, #""hooks":true"#,
    ])
    func `the event of a submit equals the answer of receipt.get, and fills the memory tier`(_ words: String) async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let request = #"{"url":"http://origin.test/a",\#(words)}"#
        let receipt = try #require(try await client.call("image.submit", request).receipt)
        try await harness.worker.succeed(try await harness.worker.claim())
        let events = await client.notifications { $0.contains { $0.type == "succeeded" } }
        let told = try #require(events.first { $0.type == "succeeded" }?.params?["result"])
        let asked = try await client.call("receipt.get", #"{"receipt":"\#(receipt)"}"#)["result"]
        // The same numbers may be written differently: 0.000 and 0.
        #expect(try JSON(parsing: told.text) == asked.map { try JSON(parsing: $0.text) }, "\(told) \(String(describing: asked))")
        let isRemembered = !words.contains("write") || words.contains("memory")
        let entries = try await client.call("cache.stats")["memory"]
        #expect((entries?["count"]?.int ?? 0 > 0) == isRemembered, "\(String(describing: entries))")
    }

    @Test func `a repeated load comes from memory or the index, or is made again when its bytes are gone`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let params = #"{"url":"http://origin.test/a","transform":[{"op":"resize","width":10}]}"#
        async let load = client.call("image.load", params)
        try await harness.worker.succeed(try await harness.worker.claim())
        #expect(try await load.from == "remote")
        let memory = try await client.call("image.load", params)
        #expect(memory.from == "memory" && memory["attempts"]?.int == 0, "\(memory)")
        #expect(memory.renditions.first?["url"]?.string?.hasPrefix("/images/") == true)
        try await client.call("cache.clear", #"{"tier":"memory"}"#)
        #expect(try await client.call("image.load", params).from == "results")
        // The index still has it, the store has lost it.
        try await client.call("cache.clear", #"{"tier":"memory"}"#)
        try await harness.loseImages()
        async let anew = client.call("image.load", #"{"url":"http://origin.test/a","transform":[{"op":"resize","width":10}],"receipt":"named"}"#)
        try await harness.worker.succeed(try await harness.worker.claim())
        #expect(try await anew.from == "remote")
    }

    @Test func `a chosen receipt id makes a request idempotent and belongs to that request`() async throws {
        let harness = try await CoordinatorHarness()
        let (one, two) = (try await harness.client(), try await harness.client())
        async let first = one.call("image.load", #"{"url":"http://origin.test/a","receipt":"mine"}"#)
        let fetch = try await harness.worker.claim()
        async let second = two.call("image.load", #"{"url":"http://origin.test/a","receipt":"mine"}"#)
        let other = try await two.call("image.load", #"{"url":"http://origin.test/b","receipt":"mine"}"#)
        #expect(other.error?.code == -32602 && other.error?.data["path"]?.string == "receipt")
        try await harness.until { harness.coordinator.core.receipts.table["mine"]?.waiters.count == 2 }
        try await harness.worker.succeed(fetch)
        #expect(try await first.receipt == "mine")
        #expect(try await second.receipt == "mine")
        // After the end, the same request gets the same answer, and another request the same refusal.
        #expect(try await one.call("image.load", #"{"url":"http://origin.test/a","receipt":"mine"}"#).from == "remote")
        #expect(try await one.call("image.load", #"{"url":"http://origin.test/c","receipt":"mine"}"#).error?.code == -32602)
        #expect(try await one.call("receipt.get", #"{"receipt":"mine"}"#).state == "succeeded")
    }

    @Test(arguments: ["submitted twice at once", "submitted, looked at, submitted", "taken up, submitted"])
    func `a receipt that is requested twice on one connection is sent once`(how: String) async throws {
        let harness = try await CoordinatorHarness()
        let coordinator = harness.coordinator
        let client = try await harness.client()
        let params = #"{"url":"http://origin.test/a","receipt":"twice","progress":true,"hooks":true}"#
        if how == "submitted twice at once" {
            let texts = ["one", "two"].map { ##"{"jsonrpc":"2.0","id":"\##($0)","method":"image.submit","params":\##(params)}"## + "\n" }
            client.send(texts.joined())
            _ = await client.notifications { $0.count { $0.result != nil } == 2 }
        } else {
            let first = how.hasPrefix("taken up") ? try await harness.client() : client
            try await first.call("image.submit", params)
            if how.hasPrefix("taken up") {
                first.close()
                try await harness.until { coordinator.core.receipts.table["twice"]?.waiters.isEmpty == true }
            }
            try await client.call("receipt.get", #"{"receipt":"twice"}"#)
            try await client.call("image.submit", params)
        }
        #expect(await coordinator.core.receipts.table["twice"]?.waiters.count == 1)
        let fetch = try await harness.worker.claim()
        try await harness.worker.progress(fetch, ["status": 200, "headers": [:], "expectedBytes": 100], type: .response)
        try await harness.worker.succeed(fetch)
        _ = await client.notifications { $0.contains { $0.hook == "didStop" } }
        try await client.call("system.ping")
        let told = client.notifications.compactMap(\.params)
        let story = told.compactMap { $0["hook"]?.string ?? $0["type"]?.string }
        let isWhole = !how.hasPrefix("taken up")
        #expect(story == (isWhole ? ["willStart", "queued"] : []) + ["started", "response", "rendition", "willStop", "succeeded", "didStop"], "\(story)")
        let numbers = told.compactMap { $0["seq"]?.int }
        #expect(numbers == (0..<(isWhole ? 5 : 4)).map { (numbers.first ?? 0) + $0 } && (numbers.first == 1 || !isWhole), "\(numbers)")
    }

    @Test func `canceling one of two equal submits keeps the other`() async throws {
        let harness = try await CoordinatorHarness()
        let coordinator = harness.coordinator
        let client = try await harness.client()
        harness.redis.freeze()
        for id in ["one", "two"] {
            client.send(##"{"jsonrpc":"2.0","id":"\##(id)","method":"image.submit","params":{"url":"http://origin.test/a","receipt":"r"}}"## + "\n")
        }
        try await harness.until { coordinator.core.receipts.table["r"]?.life.submits == 2 }
        client.send(##"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"one"}}"## + "\n")
        try await client.call("system.ping")
        #expect(await coordinator.core.receipts.table["r"]?.waiters.count == 1)
        harness.redis.thaw()
        try await harness.worker.succeed(try await harness.worker.claim())
        let told = await client.notifications { $0.count { $0.method == nil } == 2 && $0.contains { $0.type == "succeeded" } }
        // The first submit admitted the receipt. Its end and Redis' answer to the second submit arrive on two connections.
        let words = told.compactMap { $0.error?.name ?? $0.state ?? $0.type }
        #expect(words.first == "cancelled" && words.dropFirst().sorted() == ["queued", "succeeded"], "\(words)")
    }

    @Test func `a canceled request ends as cancelled, and its fetch ends too`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        async let answer = client.call("image.load", #"{"url":"http://origin.test/a","progress":true}"#)
        let events = await client.notifications { !$0.isEmpty }
        #expect(events[0].type == "queued")
        let id = try #require(events[0].params?["requestId"]?.int)
        client.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":\#(id)}}"# + "\n")
        #expect(try await answer.error?.code == 1040)
        #expect(types(client) == ["queued", "cancelled"])
        #expect(try await harness.worker.queue.info()?.queued == 0)
    }

    @Test func `a client that disconnects cancels only its own work`() async throws {
        let harness = try await CoordinatorHarness()
        let leaving = try await harness.client()
        async let lost: Void = { _ = try? await leaving.call("image.load", #"{"url":"http://origin.test/leaving"}"#) }()
        try await leaving.call("image.submit", #"{"url":"http://origin.test/named","receipt":"named"}"#)
        try await leaving.call("image.submit", #"{"url":"http://origin.test/detached","receipt":"detached","detached":true}"#)
        let coordinator = harness.coordinator
        try await harness.until { try await harness.worker.queue.info()?.queued == 3 && coordinator.core.receipts.table.all.allSatisfy(\.isAdmitted) }
        leaving.close()
        await lost
        try await harness.until { try await harness.worker.queue.info()?.queued == 2 }
        #expect(await coordinator.core.receipts.table["named"]?.graceEnd != nil)
        #expect(await coordinator.core.receipts.table["detached"] == nil)
        // The receipt is continued: the events come to the new connection, and the grace period ends.
        let next = try await harness.client()
        #expect(try await next.call("receipt.get", #"{"receipt":"named"}"#).state == "queued")
        #expect(await coordinator.core.receipts.table["named"]?.graceEnd == nil)
        for _ in 0..<2 { try await harness.worker.succeed(try await harness.worker.claim()) }
        _ = await next.notifications { !$0.isEmpty }
        #expect(types(next, "named") == ["succeeded"])
        #expect(try await next.call("receipt.get", #"{"receipt":"detached"}"#).state == "succeeded")
    }

    @Test func `waiting for a receipt returns its end, or its state after the time`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        try await client.call("image.submit", #"{"url":"http://origin.test/a","receipt":"r1"}"#)
        #expect(try await client.call("receipt.get", #"{"receipt":"r1","wait":0.05}"#).state == "queued")
        async let ended = client.call("receipt.get", #"{"receipt":"r1","wait":100}"#)
        try await harness.until { harness.coordinator.core.receipts.table["r1"]?.waiters.count == 2 }
        try await harness.worker.succeed(try await harness.worker.claim())
        #expect(try await ended.state == "succeeded")
        #expect(try await client.call("receipt.get", #"{"receipt":"nobody"}"#).error?.code == 1060)
    }

    @Test func `a deadline ends a waiting request`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let answer = try await client.call("image.load", #"{"url":"http://origin.test/a","deadline":0.05}"#)
        #expect(answer.error?.name == "deadlineExceeded")
        #expect(try await harness.worker.queue.info()?.queued == 0)
    }

    @Test func `bytes are delivered inline when requested, and over HTTP`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        async let load = client.call("image.load", #"{"url":"http://origin.test/a","deliver":"inline","progress":true}"#)
        try await harness.worker.succeed(try await harness.worker.claim(), bytes: Array("hello".utf8))
        let rendition = try #require(try await load.renditions.first)
        #expect(rendition["data"]?.string == "aGVsbG8=")
        // The event leaves the bytes to the answer.
        let event = try #require(client.notifications.last?.params?["result"])
        #expect(event["renditions"]?.array?.first?["data"] == nil)
        let url = await harness.base + (try #require(rendition["url"]?.string))
        let whole = try await HTTP.get(url)
        #expect(whole.status == 200 && whole.body == Data("hello".utf8) && whole.headers["content-type"] == "image/png")
        #expect(try await HTTP.get(url, ["-H", "If-None-Match: \(whole.headers["etag"] ?? "")"]).status == 304)
        let part = try await HTTP.get(url, ["-r", "1-3"])
        #expect(part.status == 206 && part.body == Data("ell".utf8) && part.headers["content-range"] == "bytes 1-3/5")
        let head = try await HTTP.get(url, ["-I"])
        #expect(head.status == 200 && head.headers["content-length"] == "5")
        #expect(try await HTTP.get(await harness.base + "/images/0123").status == 404)
        #expect(try await HTTP.get(url, ["-X", "DELETE"]).status == 405)
    }

    @Test func `JSON-RPC over HTTP is answered by the same methods`() async throws {
        let harness = try await CoordinatorHarness()
        let rpc = await harness.base + "/rpc"
        func post(_ text: String) async throws -> HTTP.Response { try await HTTP.get(rpc, ["-d", text]) }
        #expect(String(decoding: try await post(#"{"jsonrpc":"2.0","id":1,"method":"system.ping"}"#).body, as: UTF8.self).contains("pong"))
        #expect(try await post(#"{"jsonrpc":"2.0","method":"system.ping"}"#).status == 204)
        let wrong = try await post("{")
        #expect(wrong.status == 200 && String(decoding: wrong.body, as: UTF8.self).contains("-32700"))
        #expect(try await HTTP.get(rpc).status == 405)
        // A submit over HTTP belongs to no connection, so the receipt goes on.
        let submitted = try await post(#"{"jsonrpc":"2.0","id":1,"method":"image.submit","params":{"url":"http://origin.test/a","receipt":"h"}}"#)
        #expect(String(decoding: submitted.body, as: UTF8.self).contains("queued"))
        async let waited = post(#"{"jsonrpc":"2.0","id":1,"method":"receipt.get","params":{"receipt":"h","wait":60}}"#)
        try await harness.worker.succeed(try await harness.worker.claim())
        #expect(String(decoding: try await waited.body, as: UTF8.self).contains("succeeded"))
        #expect(try await HTTP.get(await harness.base + "/metrics").status == 200)
        #expect(try await HTTP.get(await harness.base + "/nowhere").status == 404)
    }

    @Test func `subscribers get events of other clients' receipts`() async throws {
        let harness = try await CoordinatorHarness()
        let (client, listener) = (try await harness.client(), try await harness.client())
        let subscription = try await listener.call("events.subscribe", #"{"receipts":["r1"],"queue":"default"}"#)
        let id = try #require(subscription["subscription"]?.string)
        try await client.call("image.submit", #"{"url":"http://origin.test/a","receipt":"r1"}"#)
        try await harness.redis.command("PUBLISH", "tintype:{default}:events:r1", "no json")
        try await harness.redis.command("PUBLISH", "tintype:{default}:events:r1", #"{"receipt":"r1","seq":9,"type":"succeeded","result":{}}"#)
        // A forged message is forwarded, and completes nothing.
        _ = await listener.notifications { $0.contains { $0.params?["seq"]?.int == 9 } }
        #expect(try await client.call("receipt.get", #"{"receipt":"r1"}"#).state == "queued")
        try await harness.worker.succeed(try await harness.worker.claim())
        let events = await listener.notifications { $0.count { $0.params?["worker"] == nil && $0.type == "succeeded" } >= 3 }
        #expect(events.allSatisfy { $0.params?["subscription"]?.string == id })
        #expect(try await listener.call("events.unsubscribe", #"{"subscription":"\#(id)"}"#)["removed"]?.bool == true)
        #expect(try await listener.call("events.unsubscribe", #"{"subscription":"\#(id)"}"#)["removed"]?.bool == false)
    }

    @Test @Loop func `submits are counted by what became of them`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try harness.client()
        func counts() -> [Double] {
            ["queued", "joined", "overloaded"].map { harness.coordinator.core.process.metrics.value(.submits, labels: "full", $0) }
        }
        try await client.call("queue.configure", #"{"queue":"full","maxQueued":1}"#)
        for (name, counted) in [("a", [1, 0, 0]), ("a", [1, 1, 0]), ("b", [1, 1, 1])] as [(String, [Double])] {
            try await client.call("image.submit", #"{"url":"http://origin.test/\#(name)","queue":"full"}"#)
            #expect(counts() == counted)
        }
    }
}
