import Foundation
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TintypeStores
import TestSupport
import Testing

@testable import Worker

/// Options of `fetch`, as a server sees them.
@Suite(.timeLimit(.minutes(1)), .scoped) struct FetchOptionTests {
    /// Runs one request to its end and returns the receipt.
    @Loop private func run(_ h: WorkerHarness, _ url: String, _ fetch: JSON, as mode: String = "bytes") async throws -> String {
        let receipt = try await h.submit(["url": .string(url), "as": .string(mode), "fetch": fetch])
        try await h.runOne()
        return receipt
    }

    /// Returns the request as the origin received it.
    @Loop private func echo(_ h: WorkerHarness, _ path: String, _ fetch: JSON) async throws -> JSON {
        let result = try await h.result(try await run(h, h.url(path), fetch))
        return try JSON(parsing: try #require(await h.store.get(result["renditions"]?[0]?["key"]?.string ?? "")).bytes)
    }

    @Test @Loop func `method, parameters, headers and body arrive unchanged`() async throws {
        let h = try await WorkerHarness()
        let json = try await echo(
            h, "/echo?a=1", ["method": "POST", "params": ["b": ["x y", 2], "c": true], "body": ["q": [1, "ü"]], "headers": ["X-One": "1"]])
        #expect(json["method"] == "POST" && json["target"] == "/echo?a=1&b=x%20y&b=2&c=true")
        #expect(json["headers"]?["content-type"] == "application/json" && json["headers"]?["x-one"] == "1")
        #expect(try JSON(parsing: json["body"]?.string ?? "") == ["q": [1, "ü"]])
        let text = try await echo(h, "/echo", ["method": "PUT", "body": "words"])
        #expect(text["method"] == "PUT" && text["body"] == "words" && text["headers"]?["content-type"] == "text/plain; charset=utf-8")
        let form = try await echo(
            h, "/echo", ["method": "PATCH", "body": ["base64": "YT0x"], "headers": ["content-type": "application/x-www-form-urlencoded"]])
        #expect(form["method"] == "PATCH" && form["body"] == "a=1" && form["headers"]?["content-type"] == "application/x-www-form-urlencoded")
        let plain = try await echo(h, "/echo", [:])
        #expect(plain["method"] == "GET" && plain["body"] == "" && plain["headers"]?["content-length"] == nil)
        #expect(plain["headers"]?["accept-encoding"]?.string?.contains("gzip") == true)
        let bearer = try await echo(h, "/echo?bearer", ["auth": ["bearer": "t0ken"]])
        #expect(bearer["headers"]?["authorization"] == "Bearer t0ken")
        let none = try await echo(h, "/echo", ["method": "DELETE"])
        #expect(none["method"] == "DELETE")
    }

    @Test(arguments: ["POST", "PUT", "PATCH"])
    @Loop func `parameters become the form of a method with a body if the request has no body`(method: String) async throws {
        let h = try await WorkerHarness()
        let form = try await echo(h, "/echo?a=1", ["method": .string(method), "params": ["b": ["x y", 2], "c": "é&="]])
        #expect(form["target"] == "/echo?a=1" && form["body"] == "b=x%20y&b=2&c=%C3%A9%26%3D")
        #expect(form["headers"]?["content-type"] == "application/x-www-form-urlencoded")
        let typed = try await echo(h, "/echo", ["method": .string(method), "params": ["b": 1], "headers": ["Content-Type": "text/x-own"]])
        #expect(typed["body"] == "b=1" && typed["headers"]?["content-type"] == "text/x-own")
        for other in ["GET", "DELETE"] {
            let query = try await echo(h, "/echo", ["method": .string(other), "params": ["b": 1]])
            #expect(query["target"] == "/echo?b=1" && query["body"] == "")
        }
    }

    @Test func `parameters of a form are part of the key if they are not in the URL`() throws {
        func key(_ fetch: JSON) throws -> String { try ImageRequest(["url": "http://a.test/", "fetch": fetch]).source.digest }
        let one = try key(["method": "POST", "params": ["a": 1]])
        #expect(try one == key(["method": "POST", "params": ["a": "1"]]))
        #expect(try one != key(["method": "POST", "params": ["a": 2]]))
        #expect(try one != key(["method": "POST"]))
        let source = try ImageRequest(["url": "http://a.test/", "fetch": ["method": "POST", "params": ["a": [1, 2], "b": "x"]]]).source
        #expect(try Source(canonical: source.canonical) == source)
    }

    @Test @Loop func `the origin is asked for pictures if the request names no type`() async throws {
        let h = try await WorkerHarness()
        func accept(_ rest: JSONObject) async throws -> JSON? {
            var request = rest
            request["url"] = .string(h.url("/echo?\(h.url("").count)-\(rest.count)"))
            request["cache"] = ["policy": "reload"]
            let receipt = try await h.submit(.object(request))
            let claimed = try await h.claim()
            let isPicture = claimed.renditions.map(ReadRendition.init).contains(where: \.isPicture)
            let source = try Source(canonical: JSON(parsing: claimed.fetch))
            let reporter = FetchReporter(queue: h.queue, lease: claimed.lease, interval: nil, scope: h.scope, onAnswer: { _ in })
            let loaded = try await h.loader.load(
                source, accepting: Acceptance(), reservation: h.budget.begin(), reporter: reporter, isForPictures: isPicture)
            _ = try await h.queue.cancel(receipt: receipt, reason: "requested")
            return try JSON(parsing: loaded.bytes)["headers"]?["accept"]
        }
        #expect(try await accept([:]) == "image/*,*/*;q=0.8")
        #expect(try await accept(["renditions": [["name": "a", "transform": [["op": "text", "text": "as"]]]]]) == "image/*,*/*;q=0.8")
        #expect(try await accept(["as": "bytes"]) == "*/*")
        #expect(try await accept(["as": "json"]) == "*/*")
        #expect(try await accept(["fetch": ["headers": ["accept": "image/png"]]]) == "image/png")
    }

    @Test @Loop func `a failure names the URL that failed, without its secrets`() async throws {
        let h = try await WorkerHarness()
        let broken = try await h.failure(
            try await {
                let receipt = try await h.submit(["url": .string(h.url("/text?token=hush"))])
                try await h.runOne()
                return receipt
            }())
        #expect(broken.name == .badImageData && broken.details["url"]?.string == h.url("/text?token=***"))
        let once: JSON = ["retry": ["attempts": 1]]
        let unconnected = try await h.failure(try await run(h, "http://u:hush@127.0.0.1:1/x?sig=hush", once))
        #expect(unconnected.name == .connect && unconnected.details["url"] == "http://127.0.0.1:1/x?sig=***")
        let unknown = try await h.failure(try await run(h, "http://nowhere.invalid/x", once))
        #expect(unknown.name == .dns && unknown.details["url"] == "http://nowhere.invalid/x")
        let slow = try await h.failure(try await run(h, h.url("/hang"), ["retry": ["attempts": 1], "timeouts": ["idle": 0.2]]))
        #expect(slow.name == .timeout && slow.details["url"]?.string == h.url("/hang"))
        let refused = try await h.failure(try await run(h, "http://10.1.2.3/x", once))
        #expect(refused.name == .denied && refused.details["url"] == "http://10.1.2.3/x")
    }

    @Test(arguments: ["basic", "digest"])
    @Loop func `credentials are sent to a server that asks for them, and a refusal has its own error`(scheme: String) async throws {
        let h = try await WorkerHarness()
        let right = try await run(h, h.url("/\(scheme)/ann/secret"), ["auth": .object([scheme: ["ann", "secret"]])])
        #expect(try await h.result(right)["source"]?["status"] == 200)
        let wrong = try await h.failure(try await run(h, h.url("/\(scheme)/ann/secret?2"), ["auth": .object([scheme: ["ann", "guessed"]])]))
        #expect(wrong.name == .authFailed && !wrong.isRetryable && wrong.details["status"] == 401)
        #expect(!wrong.json.text.contains("guessed"))
        let nobody = try await h.failure(try await run(h, h.url("/\(scheme)/ann/secret?3"), [:]))
        #expect(nobody.name == .httpStatus && nobody.details["status"] == 401)
        // No trace of the credentials is left once the fetches have ended.
        for key in try await h.server.command("KEYS", "*").split(separator: "\n") {
            let kind = try await h.server.command("TYPE", String(key))
            guard kind == "hash" else { continue }
            #expect(try await !h.server.command("HGETALL", String(key)).contains("guessed"), "\(key)")
        }
    }

    @Test @Loop func `Apache accepts our digests, for odd targets too, and refuses wrong ones`() async throws {
        let picture = try TestPictures.encoded(TestPictures.quarters(200, 100), .png)
        let apache = try await ApacheServer(user: "ann", password: "secret", files: ["a.png": Data(picture), "b.png": Data(picture)])
        let h = try await WorkerHarness()
        for path in ["/a.png", "/b.png", "/a.png?size=1,2&again=\"x\""] {
            let right = try await h.result(try await run(h, apache.url(path), ["auth": ["digest": ["ann", "secret"]]]))
            #expect(right["source"]?["status"] == 200 && right["source"]?["sha256"] == .string(Digest.sha256Hex(picture)))
        }
        for guess in [["ann", "guessed"], ["bob", "secret"]] {
            let wrong = try await h.failure(try await run(h, apache.url("/a.png?\(guess[0])"), ["auth": ["digest": JSON.array(guess.map { .string($0) })]]))
            #expect(wrong.name == .authFailed && !wrong.isRetryable && wrong.details["status"] == 401)
        }
        let nobody = try await h.failure(try await run(h, apache.url("/a.png?nobody"), [:]))
        #expect(nobody.name == .httpStatus && nobody.details["status"] == 401)
    }

    @Test @Loop func `digest for a server with only basic is a refusal, and no broken connection`() async throws {
        let h = try await WorkerHarness()
        let error = try await h.failure(try await run(h, h.url("/basic/ann/secret?4"), ["auth": ["digest": ["ann", "secret"]]]))
        #expect(error.name == .authFailed && !error.isRetryable)
    }

    @Test(arguments: [("image/*", "image/png", true), ("image/webp", "image/png", false), ("image/png", "Image/PNG;q=1", true), ("text/*", "", true)])
    @Loop func `only acceptable types are accepted, and answers without a type`(range: String, type: String, isTaken: Bool) async throws {
        let h = try await WorkerHarness()
        let receipt = try await run(h, h.url("/picture.png?size=64x64&type=\(type)"), ["acceptableTypes": [.string(range)]])
        if isTaken {
            #expect(try await h.result(receipt)["source"]?["status"] == 200)
        } else {
            let error = try await h.failure(receipt)
            #expect(error.name == .contentType && error.details["contentType"] == .string(type) && error.details["acceptable"] == [.string(range)])
        }
    }

    @Test @Loop func `receipts that share a download each get the answer for their own acceptance`() async throws {
        let h = try await WorkerHarness()
        let url = JSON.string(h.url("/status/404?times=1"))
        let plain = try await h.submit(["url": url, "as": "bytes"])
        let lenient = try await h.submit(["url": url, "as": "bytes", "fetch": ["acceptableStatus": ["200", "404"]]])
        let short = try await h.submit(["url": url, "as": "bytes", "fetch": ["acceptableStatus": ["404"], "maxBytes": 3]])
        let typed = try await h.submit(["url": url, "as": "bytes", "fetch": ["acceptableStatus": ["404"], "acceptableTypes": ["image/*"]]])
        try await h.runOne()
        #expect(try await h.result(lenient)["source"]?["status"] == 404)
        #expect(try await h.failure(plain).details["status"] == 404)
        #expect(try await h.failure(plain).details["body"] == "status 404")
        let long = try await h.failure(short)
        #expect(long.name == .limitExceeded && long.details["value"] == 10 && long.details["allowed"] == 3)
        #expect(try await h.failure(typed).name == .contentType)
        #expect(try await h.counts()["total"] == 1)
    }

    @Test(arguments: ["404", "500-599"]) @Loop func `a cached source is refused like a new one`(status: String) async throws {
        let h = try await WorkerHarness()
        let url = JSON.string(h.url("/text"))
        let plain = try await h.submit(["url": url, "as": "bytes"])
        try await h.runOne()
        #expect(try await h.result(plain)["source"]?["status"] == 200)
        let choosy = try await h.submit(["url": url, "as": "bytes", "fetch": ["acceptableStatus": [.string(status)]]])
        try await h.runOne()
        let error = try await h.failure(choosy)
        #expect(error.name == .httpStatus && error.details["status"] == 200 && !error.isRetryable)
        #expect(try await h.counts()["total"] == 1)
    }

    @Test @Loop func `a failure for all is reported to each in its own terms, and a later wider receipt is served`() async throws {
        let h = try await WorkerHarness()
        let origin = try GatedOrigin("HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnone")
        let url = JSON.string(origin.url)
        let first = try await h.submit(["url": url, "as": "bytes"])
        let run = try await h.startOne()
        try await origin.asked.wait()
        let late = try await h.submit(["url": url, "as": "bytes", "fetch": ["acceptableStatus": ["404"]]])
        origin.open()
        await run.value
        origin.close()
        #expect(try await h.failure(first).details["status"] == 404)
        #expect(try await h.result(late)["source"]?["status"] == 404)
        let big = JSON.string(h.url("/picture.png?size=100x100"))
        let small = try await h.submit(["url": big, "as": "bytes", "fetch": ["maxBytes": 100]])
        let smaller = try await h.submit(["url": big, "as": "bytes", "fetch": ["maxBytes": 50]])
        try await h.runOne()
        #expect(try await h.failure(small).details["allowed"] == 100)
        #expect(try await h.failure(smaller).details["allowed"] == 50)
    }

    @Test(arguments: ["bytes", "image"]) @Loop func `the operator's limit holds whatever a request allows`(mode: String) async throws {
        var policy = DownloadPolicy()
        policy.maxSource = 1000
        let h = try await WorkerHarness(policy: policy)
        let big = JSON.string(h.url("/picture.png?size=100x100"))
        let all = try await h.submit(["url": big, "as": .string(mode), "fetch": ["maxBytes": .int(1 << 40)]])
        let few = try await h.submit(["url": big, "as": .string(mode), "fetch": ["maxBytes": 50]])
        try await h.runOne()
        #expect(try await h.failure(all).details["allowed"] == 1000)
        #expect(try await h.failure(few).details["allowed"] == 50)
        #expect(h.budget.used == 0)
    }

    @Test @Loop func `a download uses the longest timeouts of all receipts that joined before it`() async throws {
        let h = try await WorkerHarness()
        let url = JSON.string(h.url("/slow/picture.png?delay=0.6&size=64x64"))
        let hasty = try await h.submit(["url": url, "as": "bytes", "fetch": ["timeouts": ["idle": 0.2, "total": 30]]])
        let patient = try await h.submit(["url": url, "as": "bytes", "fetch": ["timeouts": ["connect": 1, "total": 5]]])
        let claimed = try await h.claim()
        #expect(claimed.timeouts?.connect == 10 && claimed.timeouts?.idle == 15 && claimed.timeouts?.total == 30)
        await FetchRunner(claimed, queue: h.queue, parts: h.parts).run(h.keeper, claimedAt: .now).value
        for receipt in [hasty, patient] { #expect(try await h.result(receipt)["source"]?["status"] == 200) }
    }

    @Test @Loop func `json is validated, and its shape is checked`() async throws {
        let h = try await WorkerHarness()
        let fine = try await h.result(try await run(h, h.url("/json"), ["jsonShape": ["id": "integer", "tags": ["string"], "nothing": "string"]], as: "json"))
        #expect(fine["renditions"]?[0]?["contentType"] == "application/json" && fine["renditions"]?[0]?["validated"] == true)
        let shape = try await h.failure(try await run(h, h.url("/json"), ["jsonShape": ["tags": ["number"]]], as: "json"))
        #expect(shape.name == .jsonInvalid && shape.details["cause"] == "tags[0] is a string, expected number")
        let broken = try await h.failure(try await run(h, h.url("/json?text=%7B%22a%22:"), [:], as: "json"))
        #expect(broken.name == .jsonInvalid && broken.phase == .decode)
        #expect(try await h.failure(try await run(h, h.url("/text"), [:], as: "json")).name == .jsonInvalid)
    }

    @Test(arguments: [(58, true), (59, false), (64, false)]) @Loop
    func `json is accepted as deep as fits into an answer of 64 levels`(levels: Int, isTaken: Bool) async throws {
        let h = try await WorkerHarness()
        let text = String(repeating: "%5B", count: levels) + String(repeating: "%5D", count: levels)
        let receipt = try await run(h, h.url("/json?text=\(text)"), [:], as: "json")
        if isTaken {
            #expect(try await h.result(receipt)["renditions"]?[0]?["bytes"] == JSON(2 * levels))
        } else {
            let failure = try await h.failure(receipt)
            #expect(failure.name == .jsonInvalid && failure.message.contains("nested deeper than 58 levels"), "\(failure)")
        }
    }

    @Test @Loop func `an invalid certificate is forbidden unless the operator permits it`() async throws {
        let h = try await WorkerHarness()
        let error = try await h.failure(try await run(h, "https://127.0.0.1:1/", ["tls": ["allowInvalid": true]]))
        #expect(error.name == .forbidden)
    }
}
