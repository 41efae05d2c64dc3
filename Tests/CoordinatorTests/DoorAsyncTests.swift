import TestSupport
import Testing
import TintypeCore
import ImgproxyURLs
import TintypeQueue
import TintypeContracts
import TintypeTransport

@testable import Coordinator
@testable import TintypePictureDoor

/// `Prefer: respond-async` at the picture door: 202 at once, and the picture when the client comes back.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct DoorAsyncTests {
    private static let async = ["Prefer: respond-async"]
    private static let cat = "/unsafe/w:10/plain/http://origin.test/cat.png"

    @Test @Loop func `a cold picture is made without its client, once, and is there when the client comes back`() async throws {
        let door = try await DoorHarness()
        let first = try await door.get(Self.cat, Self.async)
        #expect(first.status == 202 && first.description.hasSuffix(#"{"state":"queued","retryAfter":1}"#), "\(first)")
        for line in ["Location: \(Self.cat)", "Retry-After: 1", "Preference-Applied: respond-async", "Cache-Control: no-store", "Vary: Prefer"] {
            #expect(first.description.contains(line + "\r\n"), "\(line) in \(first)")
        }
        let fetch = try await door.harness.worker.claim()
        let head = try await door.get(Self.cat, Self.async, method: "HEAD")
        #expect(head.status == 202 && head.description.hasSuffix("\r\n\r\n"), "\(head)")
        #expect(door.harness.coordinator.core.receipts.table.count == 1, "a repeated request joins the work")
        try await door.harness.worker.succeed(fetch)
        try await door.harness.until { door.harness.coordinator.core.receipts.table.count == 0 }
        let answer = try await door.get(Self.cat, Self.async)
        #expect(answer.status == 200 && answer.description.hasSuffix("\r\n\r\npicture") && !answer.description.contains("Preference-Applied"), "\(answer)")
        #expect(door.count(.accepted) == 2 && door.count(.hit) == 1)
        #expect(door.value(of: #"tintype_door_background_total{kind="async",outcome="made"}"#) == 1)
    }

    @Test @Loop func `the index answers as without the preference`() async throws {
        let door = try await DoorHarness()
        _ = try await door.made(Self.cat)
        _ = door.harness.coordinator.core.storage.memory.clear()
        let answer = try await door.get(Self.cat, Self.async)
        #expect(answer.status == 200 && answer.description.contains("from;desc=\"results\""), "\(answer)")
        #expect(door.count(.kept) == 1 && door.count(.accepted) == 0)
    }

    @Test @Loop func `a client that comes back after a failure waits for the reason`() async throws {
        let door = try await DoorHarness()
        let missing = TintypeError(.httpStatus, .download, "404", retryable: false, details: ["status": 404])
        #expect(try await door.get(Self.cat, Self.async).status == 202)
        try await door.harness.worker.fail(try await door.harness.worker.claim(), missing)
        try await door.harness.until { door.harness.coordinator.core.receipts.table.count == 0 }
        async let again = door.get(Self.cat, Self.async)
        try await door.harness.worker.fail(try await door.harness.worker.claim(), missing)
        #expect(try await again.status == 404)
    }

    @Test @Loop func `what is refused, and what finds no room, is answered as ever`() async throws {
        let door = try await DoorHarness()
        #expect(try await door.get("/unsafe/plain/ftp%3A//h/a", Self.async).status == 403)
        #expect(try await door.get("/unsafe/w:x/plain/http://h/a", Self.async).status == 400)
        let rpc = try door.harness.client()
        _ = try await rpc.call("queue.configure", #"{"queue":"default","maxQueued":1}"#)
        #expect(try await door.get(Self.cat, Self.async).status == 202)
        let full = try await door.get("/unsafe/plain/http://origin.test/dog.png", Self.async)
        #expect(full.status == 503 && full.description.contains("Retry-After: ") && full.description.contains("overloaded"), "\(full)")
    }

    @Test @Loop func `a coordinator has no more of this work than it may have, and one address no more than half`() async throws {
        let door = try await DoorHarness()
        let most = DoorBackground.Kind.async.most
        func asked(_ path: String, by address: String) async throws -> HTTP.Response {
            try await HTTP.get("http://127.0.0.1:\(door.port)\(path)", ["--interface", address, "-H", Self.async[0]])
        }
        var number = 0
        for (address, places) in [("127.0.0.1", most / 2), ("127.0.0.2", most / 4), ("127.0.0.3", most / 4)] {
            for _ in 0..<places {
                number += 1
                #expect(try await asked("/unsafe/plain/http://origin.test/\(number).png", by: address).status == 202)
            }
            let more = try await asked("/unsafe/plain/http://origin.test/more.png", by: address)
            #expect(more.status == 503 && more.headers["retry-after"] == "1" && more.headers["tintype-error"] == "overloaded", "\(more)")
            #expect(try await asked("/unsafe/plain/http://origin.test/\(number).png", by: address).status == 202, "it joins work that is under way")
        }
        #expect(door.value(of: #"tintype_door_background_running{kind="async"}"#) == most)
        #expect(try await asked("/unsafe/plain/http://origin.test/more.png", by: "127.0.0.4").status == 503)
    }

    @Test(arguments: [
        ("10.0.0.1", "10.0.0.1", true), ("2001:db8::1", "2001:db8:0:0:ffff::2", true), ("2001:db8::1", "2001:db8:0:1::1", false),
    ]) @Loop func `an IPv6 network of 64 bits counts as one address`(first: String, second: String, isOne: Bool) async throws {
        let door = try await DoorHarness()
        let background = DoorBackground(.async, door.harness.coordinator.core)
        func begin(_ name: String, by address: String) -> BackgroundJobs.Verdict {
            let request = DoorPlan.unattended(["url": .string("http://origin.test/\(name).png")], priority: 0)
            return background.begin(request, for: name, peer: ConnectionPeer(address: address))
        }
        for number in 0..<DoorBackground.Kind.async.most / 2 { #expect(begin("\(number)", by: first) == .begins) }
        #expect(begin("more", by: first) == .noRoom && begin("other", by: second) == (isOne ? .noRoom : .begins))
        background.close()
    }

    @Test @Loop func `a client whose work Redis has not taken is answered when the coordinator stops`() async throws {
        let door = try await DoorHarness()
        door.harness.redis.freeze()
        let browser = try RawClient(port: door.port)
        browser.send("GET \(Self.cat) HTTP/1.1\r\nHost: 127.0.0.1\r\nPrefer: respond-async\r\n\r\n")
        try await door.harness.until { door.value(of: #"tintype_door_background_running{kind="async"}"#) == 1 }
        async let stopped: Void = door.harness.coordinator.drain(grace: .milliseconds(1))
        let text = String(decoding: await browser.untilClosed(), as: UTF8.self)
        #expect(text.hasPrefix("HTTP/1.1 503 ") && text.contains("shuttingDown"), "\(text)")
        door.harness.redis.thaw()
        await stopped
    }

    @Test @Loop func `with quick pictures first, the client comes back for the quick one`() async throws {
        let door = try await DoorHarness { $0.formats = ["avif", "webp"] }
        let headers = Self.async + ["Accept: image/avif,image/webp"]
        let first = try await door.get(Self.cat, headers)
        #expect(first.status == 202 && first.description.contains("Vary: Accept, Prefer\r\n"), "\(first)")
        let quick = try await door.harness.worker.claim()
        #expect(!quick.renditions[0].json.contains("avif"))
        try await door.harness.worker.succeed(quick)
        try await door.harness.until { door.harness.coordinator.core.receipts.table.count == 0 }
        let second = try await door.get(Self.cat, headers)
        #expect(second.status == 200 && second.description.contains("Tintype-Next: avif\r\n"), "\(second)")
    }
}
