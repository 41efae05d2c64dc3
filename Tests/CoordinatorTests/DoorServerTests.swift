import Foundation
import PNG
import TestSupport
import Testing
import TintypeCore
import ImgproxyURLs
import TintypeImages
import TintypeContracts
import TintypeSettings
import TintypeTransport

@testable import Coordinator
@testable import TintypePictureDoor

/// The port of the picture door, with a worker that does what the test tells it to.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct DoorServerTests {
    private static let cat = "/unsafe/w:10/plain/http://origin.test/cat.png"

    @Test @Loop func `a picture is made once, then it comes from the store without Redis`() async throws {
        let setup = try await DoorHarness()
        let first = try await setup.made(Self.cat)
        #expect(first.status == 200 && first.description.hasSuffix("\r\n\r\npicture"), "\(first)")
        for line in ["Content-Type: image/png", "Content-Disposition: inline; filename=\"cat.png\"", "ETag: \"\(Digest.sha256Hex(Array("picture".utf8)))\""] {
            #expect(first.description.contains(line + "\r\n"), "\(line) in \(first)")
        }
        setup.harness.redis.freeze()
        let second = try await setup.get(Self.cat)
        #expect(second.status == 200 && second.description.hasSuffix("\r\n\r\npicture") && second.description.contains("from;desc=\"memory\""), "\(second)")
        setup.harness.redis.thaw()
        #expect(setup.count(.made) == 1 && setup.count(.hit) == 1)
    }

    @Test @Loop func `the index answers a coordinator that does not know the picture`() async throws {
        let setup = try await DoorHarness()
        _ = try await setup.made(Self.cat)
        _ = setup.harness.coordinator.core.storage.memory.clear()
        let answer = try await setup.get(Self.cat)
        #expect(answer.status == 200 && answer.description.contains("from;desc=\"results\""), "\(answer)")
        #expect(setup.count(.kept) == 1)
    }

    @Test @Loop func `a client that has the picture gets 304, even if its bytes are nowhere`() async throws {
        let setup = try await DoorHarness()
        try await setup.load()
        let tag = "If-None-Match: \"\(Digest.sha256Hex(Array("picture".utf8)))\""
        try setup.harness.loseImages()
        let first = try await setup.get(Self.cat, [tag])
        #expect(first.status == 304 && first.description.contains("ETag: ") && first.description.contains("Cache-Control: public, max-age="), "\(first)")
        #expect(!first.description.contains("\r\nContent-Type:") && first.description.hasSuffix("\r\n\r\n"))
        #expect(setup.count(.unchanged) == 1)
    }

    @Test @Loop func `HEAD, ranges and conditions are those of GET slash images`() async throws {
        let setup = try await DoorHarness()
        let path = Self.cat
        _ = try await setup.made(path, bytes: Array("0123456789".utf8))
        let head = try await setup.get(path, method: "HEAD")
        #expect(head.status == 200 && head.description.contains("Content-Length: 10\r\n") && head.description.hasSuffix("\r\n\r\n"), "\(head)")
        let part = try await setup.get(path, ["Range: bytes=2-4"])
        #expect(part.status == 206 && part.description.contains("Content-Range: bytes 2-4/10\r\n") && part.description.hasSuffix("\r\n\r\n234"), "\(part)")
        let none = try await setup.get(path, ["Range: bytes=10-"])
        #expect(none.status == 416 && none.description.contains("Content-Range: bytes */10\r\n"), "\(none)")
        #expect(none.description.contains("Cache-Control: no-store\r\n") && !none.description.contains("max-age"), "\(none)")
        #expect(try await setup.get(path, ["If-Match: \"other\""]).status == 412)
        #expect(try await setup.get(path, ["Range: bytes=2-4", "If-Range: \"other\""]).status == 200)
    }

    @Test @Loop func `bytes are counted as sent if the body is`() async throws {
        let setup = try await DoorHarness()
        func sent() -> Int { setup.value(of: #"tintype_http_sent_bytes_total{route="door"}"#) }
        _ = try await setup.made(Self.cat)
        #expect(sent() == 7)
        #expect(try await setup.get(Self.cat, method: "HEAD").status == 200 && sent() == 7)
        #expect(try await setup.get(Self.cat).status == 200 && sent() == 14)
    }

    @Test @Loop func `a client that goes withdraws the work, unless others want it too`() async throws {
        let setup = try await DoorHarness()
        let (harness, rpc) = (setup.harness, try setup.harness.client())
        let browser = try RawClient(port: setup.port)
        browser.send("GET \(Self.cat) HTTP/1.1\r\nHost: h\r\n\r\n")
        let fetch = try await harness.worker.claim()
        async let load = rpc.call(
            "image.load", #"{"url":"http://origin.test/cat.png","transform":[{"op":"resize","width":10}],"output":{"metadata":"copyright"}}"#)
        try await harness.until { harness.coordinator.core.receipts.table.count == 2 && harness.coordinator.core.receipts.table.all.allSatisfy(\.isAdmitted) }
        browser.close()
        try await harness.until { harness.coordinator.core.receipts.table.count == 1 }
        #expect(setup.count(.gone) == 1)
        try await harness.worker.succeed(fetch)
        #expect(try await load.state == "succeeded", "the other client keeps the work")

        let other = try RawClient(port: setup.port)
        other.send("GET /unsafe/plain/http://origin.test/dog.png HTTP/1.1\r\nHost: h\r\n\r\n")
        _ = try await harness.worker.claim()
        other.close()
        try await harness.until { harness.coordinator.core.receipts.table.count == 0 }
        #expect(setup.count(.gone) == 2 && setup.harness.coordinator.core.process.scope.count == 0)
        // Both left too soon to judge their answers.
        let metrics = harness.coordinator.core.process.metrics
        #expect(ObjectiveVerdict.allCases.allSatisfy { metrics.value(.objective, labels: "door", $0.rawValue) == 0 })
    }

    @Test @Loop func `a picture whose bytes are gone is made again within the same request`() async throws {
        let setup = try await DoorHarness()
        try await setup.load()
        try setup.harness.loseImages()
        let again = try await setup.made(Self.cat, bytes: Array("again".utf8))
        #expect(again.status == 200 && again.description.hasSuffix("\r\n\r\nagain"), "\(again)")
    }

    @Test @Loop func `failures have their status, and a gray picture for an element of a page`() async throws {
        let setup = try await DoorHarness()
        let missing = TintypeError(.httpStatus, .download, "404", retryable: false, details: ["status": 404])
        async let answer = setup.get(Self.cat, ["Accept: image/avif,image/webp,*/*"])
        try await setup.harness.worker.fail(try await setup.harness.worker.claim(), missing)
        let shown = try await answer
        #expect(shown.status == 404 && shown.description.contains("Content-Type: image/png\r\n") && shown.description.contains("Cache-Control: no-store\r\n"))
        for (path, status) in [
            ("/AAAA/w:1/plain/http://h/a", 403), ("/unsafe/exp:1/plain/http://h/a", 410), ("/", 404), ("/favicon.ico", 404),
            ("/unsafe/w:x/plain/http://h/a", 400),
            ("/unsafe/plain/ftp%3A//h/a", 403), ("/unsafe/plain//relative", 400), ("/unsafe/queue:web/plain/http://h/a", 403),
            ("/unsafe/../plain/http://h/a", 400), ("/unsafe/plain/upload:abc", 403),
        ] {
            let answer = try await setup.get(path)
            #expect(answer.status == status && answer.description.contains("Cache-Control: no-store\r\n"), "\(path): \(answer)")
            #expect(answer.description.contains("{\"error\":{\"name\":"), "\(answer)")
        }
        #expect(setup.count(.failed) == 1)
    }

    @Test @Loop func `other methods, bodies and long targets are refused`() async throws {
        let setup = try await DoorHarness()
        for method in ["POST", "PUT", "DELETE"] {
            let answer = try await setup.get(Self.cat, method: method)
            #expect(answer.status == 405 && answer.allow == "GET, HEAD", "\(answer)")
        }
        for method in ["OPTIONS", "PATCH", "PUT"] { #expect(try await setup.get(Self.cat, method: method).status == 405, "\(method)") }
        #expect(try await RawClient.ask(port: setup.port, "GET", Self.cat, body: [1, 2, 3]).status == 413)
        #expect(try await RawClient.ask(port: setup.port, "POST", Self.cat, body: [UInt8](repeating: 0, count: 100_000)).status == 413)
        let long = try await setup.get("/unsafe/plain/http://h/" + String(repeating: "a", count: 40_000))
        #expect(long.status == 414, "\(long)")
        let smuggled = try await setup.get(Self.cat, ["Content-Length: 5", "Transfer-Encoding: chunked"])
        #expect(smuggled.status == 400, "\(smuggled)")
        let whole = try await setup.made("http://elsewhere" + Self.cat + "?utm=1")
        #expect(whole.status == 200, "a whole URL as the target is that of its path: \(whole)")
    }

    @Test @Loop func `a door without signatures answers to no name that a foreign page may have`() async throws {
        let setup = try await DoorHarness()
        let answer = try await RawClient.ask(port: setup.port, "GET", Self.cat, ["Host: evil.example"])
        #expect(answer.status == 403, "\(answer)")
        let folder = try TemporaryFolder("keys")
        try Data("aa bb\n".utf8).write(to: URL(fileURLWithPath: folder.path + "/keys"))
        let signed = try await DoorHarness { ($0.isUnsigned, $0.keys) = (false, folder.path + "/keys") }
        let pair = try #require(URLSignature.Pair(key: "aa", salt: "bb"))
        let path = URLSignature(pairs: [pair]).signing("/plain/http://origin.test/a.png")
        async let made = RawClient.ask(port: signed.port, "GET", path, ["Host: pictures.example"])
        try await signed.harness.worker.succeed(try await signed.harness.worker.claim())
        #expect(try await made.status == 200)
        #expect(try await RawClient.ask(port: signed.port, "GET", Self.cat, ["Host: pictures.example"]).status == 403)
    }

    @Test @Loop func `no token is needed at the picture door`() async throws {
        let folder = try TemporaryFolder("tokens")
        try Data("sesame-sesame\n".utf8).write(to: URL(fileURLWithPath: folder.path + "/tokens"))
        let setup = try await DoorHarness(core: { $0.tokenFile = folder.path + "/tokens" })
        #expect(try await setup.made(Self.cat).status == 200)
    }

    @Test @Loop func `presets are read again, and a mistake keeps the old ones`() async throws {
        let folder = try TemporaryFolder("presets")
        let file = URL(fileURLWithPath: folder.path + "/presets")
        try Data("small=w:10\n".utf8).write(to: file)
        let setup = try await DoorHarness { $0.presets = file.path }
        #expect(try await setup.get("/unsafe/pr:large/plain/http://h/a").status == 400)
        try Data("large=w:100\n".utf8).write(to: file)
        await setup.harness.coordinator.reload()
        #expect(try await setup.made("/unsafe/pr:large/plain/http://h/a").status == 200)
        try Data("large=no:1\n".utf8).write(to: file)
        await setup.harness.coordinator.reload()
        #expect(try await setup.get("/unsafe/pr:large/plain/http://h/a").status == 200)
    }

    @Test @Loop func `keys are read again, and old URLs pass no longer`() async throws {
        let folder = try TemporaryFolder("keys")
        let file = URL(fileURLWithPath: folder.path + "/keys")
        try Data("aa bb\n".utf8).write(to: file)
        let setup = try await DoorHarness { ($0.isUnsigned, $0.keys) = (false, file.path) }
        let (old, new) = (try #require(URLSignature.Pair(key: "aa", salt: "bb")), try #require(URLSignature.Pair(key: "cc", salt: "dd")))
        func path(_ pair: URLSignature.Pair) -> String { URLSignature(pairs: [pair]).signing("/plain/http://origin.test/a.png") }
        #expect(try await setup.get(path(new)).status == 403)
        try Data("cc dd\n".utf8).write(to: file)
        await setup.harness.coordinator.reload()
        #expect(try await setup.made(path(new)).status == 200)
        #expect(try await setup.get(path(old)).status == 403)
    }

    @Test @Loop func `work goes to the queue of its preset, which must exist`() async throws {
        let folder = try TemporaryFolder("presets")
        try Data("thumb=w:10/queue:nowhere\n".utf8).write(to: URL(fileURLWithPath: folder.path + "/presets"))
        let setup = try await DoorHarness { $0.presets = folder.path + "/presets" }
        let answer = try await setup.get("/unsafe/pr:thumb/plain/http://origin.test/a")
        #expect(answer.status == 500 && answer.description.contains("unknownQueue"), "\(answer)")
    }

    @Test @Loop func `a stopping coordinator answers whoever waits, and shows what it has`() async throws {
        let setup = try await DoorHarness()
        _ = try await setup.made(Self.cat)
        let browser = try RawClient(port: setup.port)
        browser.send("GET /unsafe/plain/http://origin.test/dog.png HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        _ = try await setup.harness.worker.claim()
        setup.harness.coordinator.core.admission.isClosed = true
        #expect(try await setup.get(Self.cat).status == 200)
        let late = try await setup.get("/unsafe/plain/http://origin.test/new.png")
        #expect(late.status == 503 && late.description.contains("Retry-After: 1\r\n"), "\(late)")
        async let stopped: Void = setup.harness.coordinator.drain(grace: .milliseconds(1))
        let text = String(decoding: await browser.untilClosed(), as: UTF8.self)
        #expect(text.hasPrefix("HTTP/1.1 503 ") && text.contains("shuttingDown"), "\(text)")
        await stopped
    }
}
