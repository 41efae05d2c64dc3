import Foundation
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Coordinator

/// YTKNetwork's three hooks around a request: `image.hook`, once each and in order for every end of a request.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct HooksTests {
    /// Returns the notifications of a client about a receipt: hooks by name, events by type.
    static func story(_ client: RPCClient, until count: Int) async -> [String] {
        let all = await client.notifications { $0.count { $0.hook == "didStop" } >= count }
        return all.compactMap { $0.hook ?? $0.type }
    }

    @Test func `hooks surround the events of success and failure, once and in order, without numbers`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        async let answer = client.call("image.load", #"{"url":"http://origin.test/a","receipt":"r1","hooks":true,"progress":true,"tag":"t"}"#)
        try await harness.worker.succeed(try await harness.worker.claim())
        #expect(try await answer.error == nil)
        #expect(await Self.story(client, until: 1) == ["willStart", "queued", "started", "rendition", "willStop", "succeeded", "didStop"])
        let hooks = client.notifications.filter { $0.method == "image.hook" }
        for hook in hooks {
            #expect(hook.receipt == "r1" && hook.params?["tag"]?.string == "t" && hook.params?["seq"] == nil)
            #expect(hook.params?["at"]?.double ?? 0 > 0 && hook.params?["requestId"]?.int == 1)
        }
        let numbers = client.notifications.compactMap { $0.params?["seq"]?.int }
        #expect(numbers == Array(1...4))

        // Without progress, a client gets only the hooks, as an accessory of YTKNetwork would.
        let quiet = try await harness.client()
        async let failed = quiet.call("image.load", #"{"url":"http://origin.test/b","hooks":true}"#)
        try await harness.worker.fail(try await harness.worker.claim(), TintypeError(.httpStatus, .download, "404", retryable: false))
        #expect(try await failed.error?.name == "httpStatus")
        #expect(await Self.story(quiet, until: 1) == ["willStart", "willStop", "didStop"])
    }

    @Test func `hooks surround cancellation and superseding`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let expected = ["willStart", "willStop", "cancelled", "didStop"]
        for (number, reason) in ["requested", "superseded"].enumerated() {
            let receipt = "r\(number)"
            try await client.call("image.submit", #"{"url":"http://origin.test/\#(receipt)","receipt":"\#(receipt)","hooks":true}"#)
            if reason == "requested" {
                try await client.call("receipt.cancel", #"{"receipt":"\#(receipt)"}"#)
            } else {
                _ = try await harness.worker.queue.cancel(receipt: receipt, reason: reason)
            }
            #expect(await Self.story(client, until: number + 1).suffix(4) == expected[...])
        }
        // The request is canceled by its id, alone and while another client waits for the same receipt.
        let other = try await harness.client()
        let load = #"{"url":"http://origin.test/c","receipt":"c","hooks":true}"#
        client.send(#"{"jsonrpc":"2.0","id":"mine","method":"image.load","params":\#(load)}"# + "\n")
        try await harness.until { harness.coordinator.core.receipts.table["c"]?.isAdmitted == true }
        async let waited = other.call("image.load", load)
        try await harness.until { harness.coordinator.core.receipts.table["c"]?.waiters.count == 2 }
        client.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"mine"}}"# + "\n")
        #expect(await Self.story(client, until: 3).suffix(3) == ["willStart", "willStop", "didStop"])
        let answer = client.notifications.firstIndex { $0.error?.name == "cancelled" }
        #expect(answer == client.notifications.count - 2, "the answer comes before didStop")
        #expect(await other.notifications { !$0.isEmpty }.map { $0.hook } == ["willStart"])
        try await harness.worker.succeed(try await harness.worker.claim())
        #expect(try await waited.error == nil)
        #expect(await Self.story(other, until: 1) == ["willStart", "willStop", "didStop"])
        #expect(await Self.story(client, until: 3).count == 11)
    }

    @Test func `hooks are sent for answers from memory and the index, and not for refusals`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        async let first = client.call("image.load", #"{"url":"http://origin.test/a"}"#)
        try await harness.worker.succeed(try await harness.worker.claim())
        #expect(try await first.error == nil)
        #expect(client.notifications.isEmpty)

        let memory = try await client.call("image.load", #"{"url":"http://origin.test/a","hooks":true}"#)
        #expect(memory.from == "memory")
        #expect(await Self.story(client, until: 1) == ["willStart", "willStop", "didStop"])
        let index = try await client.call("image.submit", #"{"url":"http://origin.test/a","receipt":"named","hooks":true}"#)
        #expect(index.state == "succeeded")
        #expect(await Self.story(client, until: 2).suffix(4) == ["willStart", "willStop", "succeeded", "didStop"])

        let refused = try await client.call("image.load", #"{"url":"http://origin.test/z","queue":"nowhere","hooks":true}"#)
        #expect(refused.error?.name == "unknownQueue")
        try await client.call("queue.configure", #"{"queue":"default","maxQueued":1}"#)
        try await client.call("image.submit", #"{"url":"http://origin.test/x","receipt":"x"}"#)
        #expect(try await client.call("image.load", #"{"url":"http://origin.test/y","hooks":true}"#).error?.name == "overloaded")
        try await client.call("system.ping")
        #expect(await Self.story(client, until: 2).count == 7)
    }

    @Test func `hooks are sent when the coordinator stops`() async throws {
        let harness = try await CoordinatorHarness()
        let coordinator = harness.coordinator
        let (alone, batch, submitter) = (try await harness.client(), try await harness.client(), try await harness.client())
        func load(_ name: String) -> String {
            #"{"jsonrpc":"2.0","id":"\#(name)","method":"image.load","params":{"url":"http://origin.test/\#(name)","receipt":"\#(name)","hooks":true}}"#
        }
        alone.send(load("a") + "\n")
        batch.send("[\(load("b")),\(load("c"))]\n")
        try await submitter.call("image.submit", #"{"url":"http://origin.test/d","receipt":"d","hooks":true}"#)
        try await harness.until { ["a", "b", "c", "d"].allSatisfy { coordinator.core.receipts.table[$0]?.isAdmitted == true } }
        await harness.coordinator.drain(grace: .milliseconds(1))
        // This waits until the connection is closed, so that every duplicate has arrived by then.
        for client in [alone, batch, submitter] { _ = await client.notifications { _ in false } }
        func told(_ client: RPCClient, _ receipt: String) -> [String] {
            client.notifications.filter { $0.receipt == receipt || $0.json["id"]?.string == receipt }
                .compactMap { $0.hook ?? $0.type ?? $0.error?.name }
        }
        #expect(told(alone, "a") == ["willStart", "willStop", "shuttingDown", "didStop"])
        for receipt in ["b", "c"] {
            #expect(told(batch, receipt).filter { $0 != "shuttingDown" } == ["willStart", "willStop", "didStop"])
            #expect(told(batch, receipt).contains("shuttingDown"))
        }
        #expect(told(submitter, "d") == ["willStart"])
    }

    @Test(arguments: [false, true]) func `a client that continues a receipt gets the remaining hooks`(elsewhere: Bool) async throws {
        let harness = try await CoordinatorHarness()
        let first = try await harness.client()
        try await first.call("image.submit", #"{"url":"http://origin.test/a","receipt":"r1","hooks":true,"detached":true}"#)
        _ = await first.notifications { $0.contains { $0.hook == "willStart" } }
        first.close()
        try await harness.until { harness.coordinator.core.receipts.table["r1"] == nil }
        try await harness.until { try await harness.redis.command("HGET", "tintype:{default}:r:r1", "left") == "1" }
        let second = elsewhere ? try await harness.client(of: try await harness.another()) : try await harness.client()
        #expect(try await second.call("receipt.get", #"{"receipt":"r1"}"#).state == "queued")
        try await harness.worker.succeed(try await harness.worker.claim())
        #expect(await Self.story(second, until: 1) == ["willStop", "succeeded", "didStop"])
        #expect(first.notifications.count == 1)
    }

    /// Redis dies while a request is in flight, with its data and without. No hook is sent twice or left out.
    @Test(arguments: [true, false]) func `hooks are sent once when Redis restarts in between`(keepsData: Bool) async throws {
        let harness = try await CoordinatorHarness(appendOnly: keepsData)
        if keepsData { try await harness.redis.command("CONFIG", "SET", "appendfsync", "always") }
        let client = try await harness.client()
        async let answer = client.call(
            "image.load", #"{"url":"http://origin.test/a","receipt":"r1","hooks":true,"progress":true,"deadline":100}"#)
        let fetch = try await harness.worker.claim()
        _ = await client.notifications { $0.contains { $0.type == "started" } }
        await harness.redis.kill9()
        try await harness.redis.restart()
        try await harness.until { harness.coordinator.readiness.obstacle == nil }
        try await harness.worker.redis.untilConnected(within: .seconds(20))
        try? await harness.worker.succeed(fetch)
        let work = Task { await harness.worker.work() }
        #expect(try await answer.error == nil)
        let story = await Self.story(client, until: 1)
        try await client.call("system.ping")
        let hooks = ["willStart", "willStop", "didStop"]
        #expect(story.filter(hooks.contains) == hooks && story.first == "willStart" && story.suffix(3) == ["willStop", "succeeded", "didStop"], "\(story)")
        #expect(client.notifications.compactMap { $0.params?["seq"]?.int } == Array(1...client.notifications.count - 3))
        work.cancel()
    }

    @Test(arguments: ["ok", "failed", "cancelled", "empty"])
    func `a group has the same three hooks around its events`(end: String) async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let items = end == "empty" ? "" : #"{"url":"http://origin.test/a"},{"url":"http://origin.test/b"}"#
        let started = try await client.call("chain.start", #"{"steps":[\#(items)],"hooks":true}"#)
        let group = try #require(started.group, "\(started)")
        switch end {
        case "ok": for _ in 0..<2 { try await harness.worker.succeed(try await harness.worker.claim()) }
        case "failed":
            try await harness.worker.succeed(try await harness.worker.claim())
            try await harness.worker.fail(try await harness.worker.claim(), TintypeError(.httpStatus, .download, "404", retryable: false))
        case "cancelled": try await client.call("group.cancel", #"{"group":"\#(group)"}"#)
        default: break
        }
        let expected =
            switch end {
            case "ok": ["willStart", "progress", "progress", "willStop", "succeeded", "didStop"]
            case "failed": ["willStart", "progress", "progress", "willStop", "failed", "didStop"]
            case "cancelled": ["willStart", "willStop", "cancelled", "didStop"]
            default: ["willStart", "willStop", "succeeded", "didStop"]
            }
        #expect(await Self.story(client, until: 1) == expected)
        for hook in client.notifications where hook.method == "group.hook" {
            #expect(hook.group == group && hook.params?["kind"]?.string == "chain" && hook.params?["seq"] == nil)
            #expect(hook.params?["at"]?.double ?? 0 > 0)
        }
        // A client that did not request hooks gets none.
        let other = try await client.call("batch.start", #"{"items":[]}"#)
        #expect(other.error == nil, "\(other)")
        _ = await client.notifications { $0.contains { $0.group == other.group } }
        #expect(client.notifications.count { $0.params?["hook"] != nil } == 3)
    }
}
