import TestSupport
import Testing
import TintypeCore
import TintypeQueue
import TintypeContracts
import TintypeTransport

@testable import Coordinator
@testable import TintypePictureDoor

/// Quick pictures first, and better ones behind them, with a worker that does what the test tells it to.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct DoorQuickTests {
    private static let both = ["Accept: image/avif,image/webp,*/*;q=0.8"]
    private static let cat = "/unsafe/w:10/plain/http://origin.test/cat.png"

    @Loop private static func door() async throws -> DoorHarness { try await DoorHarness { $0.formats = ["avif", "webp"] } }

    private static func isBetter(_ fetch: ClaimedFetch) -> Bool { fetch.renditions.contains { $0.json.contains("avif") } }

    @Test @Loop func `a cold picture is quick and short-lived, and the better one follows`() async throws {
        let door = try await Self.door()
        let worker = door.harness.worker
        let first = try await door.made(Self.cat, Self.both, bytes: Array("quick".utf8))
        #expect(first.status == 200 && first.description.hasSuffix("\r\n\r\nquick"), "\(first)")
        for line in ["Tintype-Next: avif", "Cache-Control: public, max-age=10, stale-if-error=86400", "Vary: Accept"] {
            #expect(first.description.contains(line + "\r\n"), "\(line) in \(first)")
        }
        let better = try await worker.claim()
        #expect(Self.isBetter(better) && better.renditions.count == 1, "\(better)")
        let priority = try await worker.queue.node.command(["HGET", .string(worker.queue.keys.fetch(better.lease.fetch)), "priority"]).string
        #expect(priority == "-5")
        #expect(door.value(of: #"tintype_door_background_running{kind="better"}"#) == 1)

        // The quick one is in memory.
        door.harness.redis.freeze()
        let second = try await door.get(Self.cat, Self.both)
        #expect(
            second.status == 200 && second.description.contains("Tintype-Next: avif\r\n") && second.description.contains("from;desc=\"memory\""), "\(second)")
        let quick = "\"\(Digest.sha256Hex(Array("quick".utf8)))\""
        let unchanged = try await door.get(Self.cat, Self.both + ["If-None-Match: \(quick)"])
        #expect(
            unchanged.status == 304 && unchanged.description.contains("max-age=10,") && unchanged.description.contains("ETag: \(quick)\r\n"), "\(unchanged)")
        door.harness.redis.thaw()

        try await worker.succeed(better, bytes: Array("better".utf8))
        try await door.harness.until { door.harness.coordinator.core.receipts.table.count == 0 }
        let third = try await door.get(Self.cat, Self.both + ["If-None-Match: \(quick)"])
        #expect(third.status == 200 && third.description.hasSuffix("\r\n\r\nbetter"), "\(third)")
        #expect(!third.description.contains("Tintype-Next") && third.description.contains("max-age=3600, stale-while-revalidate=3600"), "\(third)")
        door.harness.redis.freeze()
        let head = try await door.get(Self.cat, Self.both, method: "HEAD")
        #expect(head.status == 200 && head.description.contains("Content-Length: 6\r\n") && head.description.hasSuffix("\r\n\r\n"), "\(head)")
        let part = try await door.get(Self.cat, Self.both + ["Range: bytes=0-2", "If-Range: \(quick)"])
        #expect(part.status == 200, "the tag of the quick one is not that of the better one: \(part)")
        door.harness.redis.thaw()
        #expect(door.value(of: #"tintype_door_quick_total{next="begun"}"#) == 1 && door.value(of: #"tintype_door_quick_total{next="joined"}"#) == 2)
        #expect(door.value(of: #"tintype_door_background_total{kind="better",outcome="made"}"#) == 1)
        #expect(door.value(of: #"tintype_door_background_running{kind="better"}"#) == 0)
    }

    @Test @Loop func `clients of a quick format never wait for a better one`() async throws {
        let door = try await Self.door()
        let answer = try await door.made(Self.cat, ["Accept: image/webp"])
        #expect(answer.status == 200 && !answer.description.contains("Tintype-Next") && answer.description.contains("max-age=3600"), "\(answer)")
        #expect(door.harness.coordinator.core.receipts.table.count == 0)
        async let named = door.get(Self.cat + "@avif", Self.both)
        let fetch = try await door.harness.worker.claim()
        #expect(Self.isBetter(fetch), "a URL that names a format gets that one")
        try await door.harness.worker.succeed(fetch)
        #expect(try await named.status == 200)
    }

    @Test @Loop func `a better picture of another coordinator is found in the index, and the quick one is not made first`() async throws {
        let door = try await Self.door()
        _ = try await door.made(Self.cat, Self.both, bytes: Array("quick".utf8))
        try await door.harness.worker.succeed(try await door.harness.worker.claim(), bytes: Array("better".utf8))
        let other = try await door.harness.another(features: DoorHarness.features { $0.formats = ["avif", "webp"] })
        guard case .tcp(_, let port)? = other.addresses["images"] else { throw TestFailure("no picture door") }
        for from in ["results", "memory"] {
            let answer = try await RawClient.ask(port: port, "GET", Self.cat, ["Host: 127.0.0.1"] + Self.both)
            #expect(answer.status == 200 && answer.description.hasSuffix("\r\n\r\nbetter") && answer.description.contains("from;desc=\"\(from)\""), "\(answer)")
        }
    }

    @Test @Loop func `a better picture that fails is left alone, and the quick one is shown until it may be tried again`() async throws {
        let door = try await Self.door()
        _ = try await door.made(Self.cat, Self.both, bytes: Array("quick".utf8))
        let failure = TintypeError(.limitExceeded, .encode, "too large", retryable: false)
        try await door.harness.worker.fail(try await door.harness.worker.claim(), failure)
        try await door.harness.until { door.harness.coordinator.core.receipts.table.count == 0 }
        door.harness.redis.freeze()
        let answer = try await door.get(Self.cat, Self.both)
        #expect(answer.status == 200 && answer.description.hasSuffix("\r\n\r\nquick") && !answer.description.contains("Tintype-Next"), "\(answer)")
        let age = answer.description.split(separator: "max-age=").dropFirst().first.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
        #expect((11...60).contains(age), "caches come back when it may be tried again: \(answer)")
        door.harness.redis.thaw()
        #expect(door.harness.coordinator.core.receipts.table.count == 0)
        #expect(door.value(of: #"tintype_door_background_total{kind="better",outcome="failed"}"#) == 1)
        #expect(door.value(of: #"tintype_door_quick_total{next="rests"}"#) == 1)
    }

    @Test @Loop func `too many better pictures are dropped, and their quick ones are shown all the same`() async throws {
        let door = try await Self.door()
        let most = DoorBackground.Kind.better.most
        var waiting: [ClaimedFetch] = []
        // Runs of one host are few.
        for index in 0...most {
            let answer = try await door.made("/unsafe/w:10/plain/http://origin\(index).test/cat.png", Self.both)
            let comes = answer.description.contains("Tintype-Next: avif\r\n")
            #expect(answer.status == 200 && answer.description.contains("max-age=10,") && comes == (index < most), "\(index): \(answer)")
            if comes { waiting.append(try await door.harness.worker.claim()) }
        }
        #expect(door.harness.coordinator.core.receipts.table.count == most && door.value(of: #"tintype_door_quick_total{next="dropped"}"#) == 1)
        try await door.harness.worker.succeed(waiting[0])
        try await door.harness.until { door.harness.coordinator.core.receipts.table.count == most - 1 }
        let later = try await door.get("/unsafe/w:10/plain/http://origin\(most).test/cat.png", Self.both)
        #expect(later.description.contains("Tintype-Next: avif\r\n"), "a later request begins it: \(later)")
    }

    @Test @Loop func `a fallback is followed by no better picture`() async throws {
        let door = try await Self.door()
        let fallback = Base64.text(of: Array("http://origin.test/other.png".utf8)).replacing("=", with: "")
        async let answer = door.get("/unsafe/w:10/fiu:\(fallback)/plain/http://origin.test/cat.png", Self.both)
        let worker = door.harness.worker
        try await worker.fail(try await worker.claim(), TintypeError(.httpStatus, .download, "404", retryable: false, details: ["status": 404]))
        try await worker.succeed(try await worker.claim(), bytes: Array("other".utf8))
        let shown = try await answer
        #expect(shown.status == 200 && shown.description.contains("Tintype-From: fallback\r\n") && !shown.description.contains("Tintype-Next"), "\(shown)")
        #expect(door.harness.coordinator.core.receipts.table.count == 0)
    }

    @Test @Loop func `a better picture goes on when its coordinator stops`() async throws {
        let door = try await Self.door()
        _ = try await door.made(Self.cat, Self.both, bytes: Array("quick".utf8))
        let better = try await door.harness.worker.claim()
        let other = try await door.harness.another(features: DoorHarness.features { $0.formats = ["avif", "webp"] })
        await door.harness.coordinator.drain()
        try await door.harness.worker.succeed(better, bytes: Array("better".utf8))
        guard case .tcp(_, let port)? = other.addresses["images"] else { throw TestFailure("no picture door") }
        let answer = try await RawClient.ask(port: port, "GET", Self.cat, ["Host: 127.0.0.1"] + Self.both)
        #expect(answer.status == 200 && answer.description.hasSuffix("\r\n\r\nbetter"), "\(answer)")
    }
}
