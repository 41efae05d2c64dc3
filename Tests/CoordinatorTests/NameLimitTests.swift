import Foundation
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TintypeSettings
import TestSupport
import Testing

@testable import Coordinator
@testable import TintypeGroups

/// The limits of names, on a whole coordinator with Redis.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct NameLimitTests {
    /// A clock that the test moves.
    @Loop final class Clock {
        var now = 1000.0
    }

    @Loop struct Setup {
        let h: CoordinatorHarness
        let clock = Clock()
        let folder: TemporaryFolder

        init(_ text: String, _ change: (inout CoordinatorSettings) -> Void = { _ in }) async throws {
            folder = try TemporaryFolder("limits")
            let file = folder.path + "/tokens"
            try Data(text.utf8).write(to: URL(fileURLWithPath: file))
            h = try await CoordinatorHarness {
                ($0.tokenFile, $0.metricsNames) = (file, true)
                change(&$0)
            }
            h.coordinator.core.access.clients.clock = { [clock] in clock.now }
        }

        /// Replaces the token file, as an operator does.
        func reload(_ text: String) async throws {
            try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path + "/tokens"))
            await h.coordinator.reload()
        }

        func client(_ token: String, of other: Coordinator? = nil) async throws -> RPCClient {
            let client = try other.map { try h.client(of: $0) } ?? h.client()
            #expect(try await client.call("session.authenticate", #"{"token":"\#(token)"}"#).error == nil)
            return client
        }

        /// The open receipts that count for a name.
        func open(_ name: String) -> Int { h.coordinator.core.access.clients[AccessGrant(role: .load, client: .named(name))]?.openCount ?? 0 }
        func waiting(_ name: String) -> Int { h.coordinator.core.access.clients[AccessGrant(role: .load, client: .named(name))]?.waitingCount ?? 0 }
    }

    private func url(_ name: String, _ more: String = "") -> String { #"{"url":"http://origin.test/\#(name)"\#(more)}"# }

    // MARK: Requests a second

    @Test @Loop func `a burst passes, then requests keep the rate, and what is left is told`() async throws {
        let s = try await Setup("shop-shop-shop role=load name=shop perSecond=2 burst=3\nblog-blog-blog role=load name=blog")
        let (shop, again, blog) = (try await s.client("shop-shop-shop"), try await s.client("shop-shop-shop"), try await s.client("blog-blog-blog"))
        let ask = #"{"url":"http://origin.test/a"}"#
        for left in [3, 2, 1] {
            let identity = try await shop.call("system.info")["identity"]
            #expect(
                identity == ["name": "shop", "role": "load", "limits": ["perSecond": 2, "burst": 3], "left": ["burst": JSON(left)]], "\(identity ?? .null)")
            #expect(try await shop.call("cache.contains", ask).error == nil)
        }
        // Another connection of the name is the same client.
        for client in [shop, again] {
            let refused = try await client.call("cache.contains", ask).error
            #expect(refused?.name == "overloaded" && refused?.code == 1050 && refused?.data["limit"]?.string == "perSecond", "\(String(describing: refused))")
            #expect(refused?.data["retryAfter"]?.double == 0.5 && refused?.data["allowed"]?.double == 2 && refused?.data["client"]?.string == "shop")
        }
        // Calls that name a receipt count too. Others do not, and other clients are not concerned.
        #expect(try await shop.call("receipt.pause", #"{"receipt":"x"}"#).error?.data["limit"]?.string == "perSecond")
        #expect(try await shop.call("system.ping").error == nil)
        for _ in 0..<5 { #expect(try await blog.call("cache.contains", ask).error == nil) }
        s.clock.now += 0.5
        #expect(try await shop.call("cache.contains", ask).error == nil)
        #expect(try await shop.call("cache.contains", ask).error?.data["limit"]?.string == "perSecond")
        let metrics = s.h.coordinator.core.process.metrics
        #expect(metrics.value(.clientRequests, labels: "shop") == 8 && metrics.value(.clientRequests, labels: "blog") == 5)
        #expect(metrics.value(.clientRefused, labels: "shop", "perSecond") == 4)
        #expect(try await blog.call("system.info")["identity"] == ["name": "blog", "role": "load"])
    }

    @Test @Loop func `over HTTP a request beyond the rate is answered 429 with Retry-After, and the service's own limits 503`() async throws {
        let s = try await Setup("shop-shop-shop role=put name=shop perSecond=0.25 burst=3")
        let bearer = ["-H", "Authorization: Bearer shop-shop-shop"]
        let put = try await HTTP.get(s.h.base + "/images/mine", ["-X", "PUT", "--data-binary", "picture"] + bearer)
        #expect(put.status == 201)
        #expect(try await HTTP.get(s.h.base + "/images/mine", bearer).status == 200)
        func rpc(_ body: String) async throws -> HTTP.Response { try await HTTP.get(s.h.base + "/rpc", ["-d", body] + bearer) }
        let ask = #"{"jsonrpc":"2.0","id":1,"method":"cache.contains","params":{"key":"mine"}}"#
        #expect(try await rpc(ask).status == 200)
        let refused = try await HTTP.get(s.h.base + "/images/mine", bearer)
        #expect(refused.status == 429 && refused.headers["retry-after"] == "4", "\(refused)")
        #expect(try JSON(parsing: refused.body)["error"]?["data"]?["limit"]?.string == "perSecond")
        let lone = try await rpc(ask)
        #expect(lone.status == 429 && lone.headers["retry-after"] == "4", "\(lone)")
        #expect(try JSON(parsing: lone.body)["error"]?["data"]?["limit"]?.string == "perSecond" && JSON(parsing: lone.body)["id"]?.int == 1)
        // A batch has an answer for each of its requests, so its status is 200. So is that of a request that does not count.
        let batch = try await rpc("[\(ask),\(#"{"jsonrpc":"2.0","id":2,"method":"system.ping"}"#)]")
        #expect(batch.status == 200 && String(decoding: batch.body, as: UTF8.self).contains("perSecond"))
        #expect(try await rpc(#"{"jsonrpc":"2.0","id":2,"method":"system.ping"}"#).status == 200)
        s.clock.now += 4
        #expect(try await HTTP.get(s.h.base + "/images/mine", bearer).status == 200)
    }

    @Test @Loop func `over HTTP images and uploads count for the rate, and other routes do not`() async throws {
        let s = try await Setup("shop-shop-shop role=put name=shop perSecond=0.25 burst=2")
        try await s.h.until { s.h.coordinator.readiness.obstacle == nil }
        let bearer = ["-H", "Authorization: Bearer shop-shop-shop"]
        let upload = ["-X", "PUT", "--data-binary", "picture"] + bearer
        func others() async throws -> [Int] {
            let events = try await HTTP.get(s.h.base + "/events?receipt=none", bearer)
            let removal = try await HTTP.get(s.h.base + "/uploads/none", ["-X", "DELETE"] + bearer)
            return [events.status, removal.status]
        }
        for _ in 0..<3 { #expect(try await others() == [404, 404]) }
        #expect(try await HTTP.get(s.h.base + "/uploads", upload).status == 201)
        #expect(try await HTTP.get(s.h.base + "/images/none", bearer).status == 404)
        #expect(try await HTTP.get(s.h.base + "/uploads", upload).status == 429)
        #expect(try await HTTP.get(s.h.base + "/images/none", bearer).status == 429)
        #expect(try await others() == [404, 404])
    }

    @Test @Loop func `answers from memory count for the rate alone`() async throws {
        let s = try await Setup("shop-shop-shop name=shop perSecond=1 burst=4 running=1")
        let client = try await s.client("shop-shop-shop")
        async let first = client.call("image.load", url("a"))
        try await s.h.worker.succeed(try await s.h.worker.claim())
        #expect(try await first.error == nil)
        // The only place is taken.
        #expect(try await client.call("image.submit", url("b", #","receipt":"b""#)).error == nil)
        #expect(s.open("shop") == 1)
        #expect(try await client.call("image.load", url("a")).from == "memory")
        #expect(try await client.call("image.load", url("c")).error?.data["limit"]?.string == "running")
        #expect(try await client.call("image.load", url("a")).error?.data["limit"]?.string == "perSecond")
    }

    // MARK: Places

    @Test @Loop func `requests beyond the running ones wait in order, and further ones are refused`() async throws {
        let s = try await Setup("shop-shop-shop role=load name=shop running=2 queued=1")
        let client = try await s.client("shop-shop-shop")
        for receipt in ["a", "b"] { #expect(try await client.call("image.submit", url(receipt, #","receipt":"\#(receipt)""#)).error == nil) }
        #expect(s.open("shop") == 2)
        async let waiting = client.call("image.submit", url("c", #","receipt":"c""#))
        try await s.h.until { s.waiting("shop") == 1 }
        let refused = try await client.call("image.submit", url("d", #","receipt":"d""#)).error
        #expect(refused?.name == "overloaded" && refused?.data["limit"]?.string == "queued" && refused?.data["retryAfter"]?.double == 1)
        let identity = try await client.call("system.info")["identity"]
        #expect(identity?["limits"] == ["running": 2, "queued": 1] && identity?["left"] == ["running": 0, "queued": 0], "\(identity ?? .null)")
        let text = String(decoding: try await HTTP.get(s.h.base + "/metrics").body, as: UTF8.self)
        #expect(text.contains(#"tintype_client_running{name="shop"} 2"#) && text.contains(#"tintype_client_queued{name="shop"} 1"#))
        #expect(text.contains(#"tintype_client_refused_total{name="shop",limit="queued"} 1"#))
        // Repeating a request that has its place takes no other.
        #expect(try await client.call("image.submit", url("a", #","receipt":"a""#)).error == nil)
        #expect(try await client.call("receipt.cancel", #"{"receipt":"a"}"#)["cancelled"]?.bool == true)
        #expect(try await waiting.error == nil)
        #expect(s.open("shop") == 2 && s.waiting("shop") == 0)
        for _ in 0..<2 { try await s.h.worker.succeed(try await s.h.worker.claim()) }
        try await s.h.until { s.open("shop") == 0 }
    }

    @Test @Loop func `a request beyond a limit of its name gets no fallback`() async throws {
        let s = try await Setup("shop-shop-shop role=load name=shop running=1")
        let client = try await s.client("shop-shop-shop")
        #expect(try await client.call("image.submit", url("a", #","receipt":"a""#)).error == nil)
        for fallback in [#"{"url":"http://origin.test/c"}"#, #"{"color":"red","width":2,"height":2}"#] {
            let refused = try await client.call("image.load", url("b", #","fallback":\#(fallback)"#)).error
            #expect(refused?.name == "overloaded" && refused?.data["limit"]?.string == "running", "\(String(describing: refused))")
        }
        #expect(s.open("shop") == 1)
        let queue = try #require(try await s.h.worker.queue.info())
        #expect(queue.queued == 1)
    }

    @Test @Loop func `a request that waits can be canceled, and ends with its connection or its deadline`() async throws {
        let s = try await Setup("shop-shop-shop role=load name=shop running=1 queued=5")
        let (client, other) = (try await s.client("shop-shop-shop"), try await s.client("shop-shop-shop"))
        #expect(try await client.call("image.submit", url("a", #","receipt":"a""#)).error == nil)
        client.send(#"{"jsonrpc":"2.0","id":"w","method":"image.load","params":\#(url("b"))}"# + "\n")
        try await s.h.until { s.waiting("shop") == 1 }
        client.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"w"}}"# + "\n")
        let answers = await client.notifications { $0.contains { $0.json["id"]?.string == "w" } }
        #expect(answers.first { $0.json["id"]?.string == "w" }?.error?.name == "cancelled" && s.waiting("shop") == 0)
        let gone = Task { try await other.call("image.load", url("c")) }
        try await s.h.until { s.waiting("shop") == 1 }
        other.close()
        try await s.h.until { s.waiting("shop") == 0 }
        _ = await gone.result
        #expect(try await client.call("image.load", url("d", #","deadline":0.2"#)).error?.name == "deadlineExceeded")
        #expect(s.waiting("shop") == 0 && s.open("shop") == 1)
        // No fetch was made for any of them.
        try await s.h.worker.succeed(try await s.h.worker.claim())
        try await s.h.until { s.open("shop") == 0 }
        let queue = try #require(try await s.h.worker.queue.info())
        #expect(queue.queued == 0)
    }

    @Test @Loop func `a place is free again after each end: success, failure, refusal, cancellation and disconnect`() async throws {
        let s = try await Setup("shop-shop-shop name=shop running=1\nother-other name=other")
        let (client, admin) = (try await s.client("shop-shop-shop"), try await s.client("other-other"))
        async let good = client.call("image.load", url("good"))
        try await s.h.worker.succeed(try await s.h.worker.claim())
        #expect(try await good.error == nil && s.open("shop") == 0)
        async let bad = client.call("image.load", url("bad"))
        try await s.h.worker.fail(try await s.h.worker.claim(), TintypeError(.httpStatus, .download, "404", retryable: false))
        #expect(try await bad.error?.name == "httpStatus" && s.open("shop") == 0)
        #expect(try await client.call("image.load", url("a", #","queue":"nowhere""#)).error?.name == "unknownQueue")
        #expect(s.open("shop") == 0)
        #expect(try await admin.call("queue.configure", #"{"queue":"full","maxQueued":1}"#).error == nil)
        #expect(try await admin.call("image.submit", url("x", #","queue":"full","receipt":"x","detached":true"#)).error == nil)
        #expect(try await client.call("image.load", url("y", #","queue":"full""#)).error?.name == "overloaded")
        #expect(s.open("shop") == 0)
        #expect(try await client.call("image.load", url("late", #","deadline":0.3"#)).error?.name == "deadlineExceeded")
        try await s.h.until { s.open("shop") == 0 }
        // A client that goes while its request runs.
        let leaving = try await s.client("shop-shop-shop")
        let lost = Task { try await leaving.call("image.load", url("lost")) }
        try await s.h.until { s.open("shop") == 1 }
        leaving.close()
        _ = await lost.result
        try await s.h.until { s.open("shop") == 0 }
        #expect(try await client.call("image.submit", url("again", #","receipt":"again""#)).error == nil)
    }

    @Test @Loop func `a receipt that two admins ask for counts for the latter`() async throws {
        let s = try await Setup("one-one-one name=one running=1\ntwo-two-two name=two running=1")
        let (one, two) = (try await s.client("one-one-one"), try await s.client("two-two-two"))
        let request = url("a", #","receipt":"a""#)
        #expect(try await one.call("image.submit", request).error == nil && s.open("one") == 1)
        #expect(try await two.call("image.submit", request).error == nil)
        #expect(s.open("one") == 0 && s.open("two") == 1)
        try await s.h.worker.succeed(try await s.h.worker.claim())
        try await s.h.until { s.open("two") == 0 }
        #expect(s.open("one") == 0)
    }

    @Test @Loop func `a detached receipt counts until its end, also without its client and over HTTP`() async throws {
        let s = try await Setup("shop-shop-shop role=load name=shop running=2")
        let client = try await s.client("shop-shop-shop")
        #expect(try await client.call("image.submit", url("a", #","receipt":"a","detached":true"#)).error == nil)
        client.close()
        let submit = #"{"jsonrpc":"2.0","id":1,"method":"image.submit","params":\#(url("b", #","receipt":"b""#))}"#
        let web = ["-H", "Authorization: Bearer shop-shop-shop", "-d", submit]
        #expect(try await HTTP.get(s.h.base + "/rpc", web).status == 200)
        // Neither has a client here any more.
        try await s.h.until { s.h.coordinator.core.receipts.table.count == 0 }
        #expect(s.open("shop") == 2)
        let refused = try await HTTP.get(s.h.base + "/rpc", ["-H", "Authorization: Bearer shop-shop-shop", "-d", submit.replacing("\"b\"", with: "\"c\"")])
        #expect(refused.status == 429 && String(decoding: refused.body, as: UTF8.self).contains(#""limit":"running""#))
        try await s.h.worker.succeed(try await s.h.worker.claim())
        try await s.h.until { s.open("shop") == 1 }
        try await s.h.worker.succeed(try await s.h.worker.claim())
        try await s.h.until { s.open("shop") == 0 }
    }

    @Test @Loop func `a receipt whose end is lost counts until its deadline is well over`() async throws {
        let s = try await Setup("shop-shop-shop role=load name=shop running=1")
        let client = try await s.client("shop-shop-shop")
        #expect(try await client.call("image.submit", url("a", #","receipt":"a","detached":true,"deadline":600"#)).error == nil)
        client.close()
        try await s.h.until { s.h.coordinator.core.receipts.table.count == 0 }
        s.clock.now += 600
        s.h.coordinator.core.access.clients.sweep()
        #expect(s.open("shop") == 1)
        s.clock.now += 61
        s.h.coordinator.core.access.clients.sweep()
        #expect(s.open("shop") == 0)
    }

    @Test @Loop func `items of a group count one by one and wait for their places in the group`() async throws {
        let s = try await Setup("shop-shop-shop role=load name=shop running=2")
        let client = try await s.client("shop-shop-shop")
        let items = (0..<6).map { url("\($0)") }.joined(separator: ",")
        let answer = try await client.call("batch.start", #"{"items":[\#(items)]}"#)
        let group = try #require(answer.group, "\(answer)")
        var most = 0
        for _ in 0..<6 {
            let fetch = try await s.h.worker.claim()
            most = max(most, s.open("shop"))
            #expect(s.waiting("shop") == 0)
            try await s.h.worker.succeed(fetch)
        }
        _ = await client.notifications { $0.contains { $0.method == "group.event" && $0.group == group && $0.type != "progress" } }
        let ended = try await client.call("group.get", #"{"group":"\#(group)"}"#)
        #expect(ended.state == "succeeded" && most == 2, "\(ended)")
        try await s.h.until { s.open("shop") == 0 }
        // The start, and each item.
        #expect(s.h.coordinator.core.process.metrics.value(.clientRequests, labels: "shop") == 7)
    }

    @Test @Loop func `an item that is refused leaves its place`() async throws {
        let s = try await Setup("shop-shop-shop role=load name=shop running=1")
        let client = try await s.client("shop-shop-shop")
        let item = url("0", #","queue":"nowhere""#)
        let group = try #require(try await client.call("batch.start", #"{"items":[\#(item)]}"#).group)
        _ = await client.notifications { $0.contains { $0.method == "group.event" && $0.group == group && $0.type != "progress" } }
        #expect(s.open("shop") == 0)
    }

    @Test @Loop func `items that wait for a place end with their group`() async throws {
        let s = try await Setup("shop-shop-shop role=load name=shop running=1")
        let client = try await s.client("shop-shop-shop")
        #expect(try await client.call("image.submit", url("a", #","receipt":"a""#)).error == nil)
        let answer = try await client.call("batch.start", #"{"items":[\#(url("0")),\#(url("1"))]}"#)
        let group = try #require(answer.group, "\(answer)")
        try await s.h.until { s.h.coordinator.core.process.metrics.value(.clientRequests, labels: "shop") == 4 }
        #expect(try await client.call("group.cancel", #"{"group":"\#(group)"}"#)["cancelled"]?.bool == true)
        // The driver has nothing more to do, though no place has become free.
        try await s.h.until { s.h.coordinator.part(Groups.self).count == 0 }
        #expect(s.open("shop") == 1)
        let fetch = try await s.h.worker.claim()
        try await s.h.worker.succeed(fetch)
        try await s.h.until { s.open("shop") == 0 }
        let queue = try #require(try await s.h.worker.queue.info())
        #expect(queue.queued == 0)
    }

    // MARK: Reload, and several coordinators

    @Test @Loop func `new limits hold for open connections at once, and what was used stays used`() async throws {
        let s = try await Setup("shop-shop-shop role=load name=shop perSecond=1 burst=5 running=1 queued=2")
        let client = try await s.client("shop-shop-shop")
        #expect(try await client.call("image.submit", url("a", #","receipt":"a""#)).error == nil)
        async let waiting = client.call("image.submit", url("b", #","receipt":"b""#))
        try await s.h.until { s.waiting("shop") == 1 }
        try await s.reload("shop-shop-shop role=load name=shop perSecond=1 burst=10 running=2")
        // The request that waited has a place now, and none is left.
        #expect(try await waiting.error == nil)
        #expect(try await client.call("system.info")["identity"]?["left"] == ["burst": 8, "running": 0, "queued": 0])
        #expect(try await client.call("image.submit", url("c", #","receipt":"c""#)).error?.data["limit"]?.string == "running")
        // A mistake in the file changes nothing.
        try await s.reload("shop-shop-shop role=load name=shop running=none")
        #expect(try await client.call("image.submit", url("c", #","receipt":"c""#)).error?.data["limit"]?.string == "running")
        try await s.reload("shop-shop-shop role=load name=shop running=3")
        #expect(s.open("shop") == 2)
        #expect(try await client.call("image.submit", url("c", #","receipt":"c""#)).error == nil)
        try await s.reload("shop-shop-shop role=load name=shop")
        #expect(try await client.call("image.submit", url("d", #","receipt":"d""#)).error == nil)
        #expect(try await client.call("system.info")["identity"] == ["name": "shop", "role": "load"])
    }

    @Test @Loop func `coordinators share the rate of a name, and one that has stopped leaves its part`() async throws {
        let s = try await Setup("shop-shop-shop role=load name=shop perSecond=4 burst=8 running=1")
        let other = try await s.h.another { $0.tokenFile = s.folder.path + "/tokens" }
        other.core.access.clients.clock = { [clock = s.clock] in clock.now }
        let (here, there) = (try await s.client("shop-shop-shop"), try await s.client("shop-shop-shop", of: other))
        try await s.h.until {
            let counts = (try await here.call("system.info")["coordinators"]?.int, try await there.call("system.info")["coordinators"]?.int)
            return counts == (2, 2)
        }
        for client in [here, there] {
            for _ in 0..<4 { #expect(try await client.call("cache.contains", url("a")).error == nil) }
            let refused = try await client.call("cache.contains", url("a")).error
            #expect(refused?.data["retryAfter"]?.double == 0.5 && refused?.data["allowed"]?.double == 4, "\(String(describing: refused))")
        }
        await other.stop()
        try await s.h.until { try await here.call("system.info")["coordinators"]?.int == 1 }
        // Four of eight are used.
        #expect(try await here.call("system.info")["identity"]?["left"]?["burst"]?.int == 4)
    }

    @Test @Loop func `without limits in the file nothing is counted`() async throws {
        let s = try await Setup("shop-shop-shop role=load name=shop")
        let client = try await s.client("shop-shop-shop")
        #expect(try await client.call("image.submit", url("a", #","receipt":"a""#)).error == nil)
        #expect(s.h.coordinator.core.access.clients.isEmpty && s.open("shop") == 0)
        #expect(try await !String(decoding: HTTP.get(s.h.base + "/metrics").body, as: UTF8.self).contains("tintype_client_"))
    }

    @Test @Loop func `metrics show no name without the setting, and count all names together`() async throws {
        let s = try await Setup("shop-shop-shop role=load name=shop running=1\nblog-blog-blog role=load name=blog running=1") { $0.metricsNames = false }
        for (token, name) in [("shop-shop-shop", "a"), ("blog-blog-blog", "b")] {
            let client = try await s.client(token)
            #expect(try await client.call("image.submit", url(name)).error == nil)
            #expect(try await client.call("image.submit", url("more")).error?.data["limit"]?.string == "running")
        }
        let text = String(decoding: try await HTTP.get(s.h.base + "/metrics").body, as: UTF8.self)
        for line in [#"requests_total{name="*"} 4"#, #"running{name="*"} 2"#, #"queued{name="*"} 0"#, #"refused_total{name="*",limit="running"} 2"#] {
            #expect(text.contains("tintype_client_\(line)\n"), "\(line): \(text)")
        }
        #expect(!text.contains("shop") && !text.contains("blog"))
    }
}
