import TintypeCore
import Foundation
import TestSupport
import Testing

/// Every fault of a client or an origin ends in a typed error, and the next request works.
@Suite(.timeLimit(.minutes(3)), .serialized, .scoped) struct BadInputTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let params: String  // ORIGIN stands for the origin's address
        let code: Int
        let name: String
        var testDescription: String { "\(name): \(params)" }
    }

    static let cases: [Case] = [
        Case(params: #"{}"#, code: -32602, name: "invalidParams"),
        Case(params: #"{"url":7}"#, code: -32602, name: "invalidParams"),
        Case(params: #"{"url":"ORIGIN/picture.png","colour":"red"}"#, code: -32602, name: "invalidParams"),
        Case(params: #"{"url":"ORIGIN/picture.png","transform":[{"op":"resise","width":10}]}"#, code: -32602, name: "invalidParams"),
        Case(params: #"{"url":"ORIGIN/picture.png","transform":[{"op":"resize","width":-10}]}"#, code: -32602, name: "invalidParams"),
        Case(params: #"{"url":"picture.png"}"#, code: 1001, name: "invalidURL"),
        Case(params: #"{"url":"http://"}"#, code: 1001, name: "invalidURL"),
        Case(params: #"{"url":"ftp://example.org/a.png"}"#, code: 1002, name: "denied"),
        Case(params: #"{"url":"file:///etc/passwd"}"#, code: 1002, name: "denied"),
        Case(params: #"{"url":"http://169.254.169.254/latest/meta-data"}"#, code: 1002, name: "denied"),
        Case(params: #"{"url":"http://10.0.0.1/a.png"}"#, code: 1002, name: "denied"),
        Case(params: #"{"url":"ORIGIN/status/404"}"#, code: 1010, name: "httpStatus"),
        Case(params: #"{"url":"ORIGIN/text"}"#, code: 1020, name: "badImageData"),
        Case(params: #"{"url":"ORIGIN/truncated.png"}"#, code: 1020, name: "badImageData"),
        // Drawings are disabled by default. Headers that end early or claim too much, and a RAW without a JPEG.
        Case(
            params: #"{"url":"data:image/svg+xml;base64,PHN2ZyB4bWxucz0naHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmcnIHdpZHRoPSc5JyBoZWlnaHQ9JzknLz4="}"#, code: 1021,
            name: "unsupportedFormat"),
        Case(params: #"{"url":"data:application/pdf;base64,JVBERi0xLjQ="}"#, code: 1021, name: "unsupportedFormat"),
        Case(params: #"{"url":"data:image/jp2;base64,/0//UQ=="}"#, code: 1020, name: "badImageData"),
        Case(
            params: #"{"url":"data:image/jp2;base64,/0//UQAvAAAAAE4gAAAACgAAAAAAAAAAAABOIAAAAAoAAAAAAAAAAAADBwEBBwEBBwEB"}"#, code: 1022, name: "limitExceeded"),
        Case(params: #"{"url":"data:image/jxl;base64,/wo="}"#, code: 1020, name: "badImageData"),
        Case(params: #"{"url":"data:image/x-panasonic-rw2;base64,SUlVAAgAAAAAAAAAAAAAAA=="}"#, code: 1021, name: "unsupportedFormat"),
        Case(params: #"{"url":"ORIGIN/picture.png","fetch":{"maxBytes":1000}}"#, code: 1022, name: "limitExceeded"),
        Case(params: #"{"url":"ORIGIN/big"}"#, code: 1022, name: "limitExceeded"),
        Case(params: #"{"url":"ORIGIN/hang","fetch":{"timeouts":{"idle":1,"total":2},"retry":{"attempts":1}}}"#, code: 1016, name: "timeout"),
        Case(params: #"{"url":"ORIGIN/redirect/20","fetch":{"redirects":{"max":3}}}"#, code: 1019, name: "tooManyRedirects"),
        Case(params: #"{"url":"http://127.0.0.1:1/a.png","fetch":{"retry":{"attempts":1}}}"#, code: 1014, name: "connect"),
        Case(params: #"{"url":"http://nowhere.invalid/a.png","fetch":{"retry":{"attempts":1}}}"#, code: 1013, name: "dns"),
        Case(params: #"{"url":"ORIGIN/picture.png","deadline":0.001}"#, code: 1042, name: "deadlineExceeded"),
        // Not the URL above: its picture may have arrived, though too late.
        Case(params: #"{"url":"ORIGIN/picture.png?size=9x9","cache":{"policy":"only"}}"#, code: 1030, name: "cacheMiss"),
    ]

    @Test func `each kind of bad input has its own error, and the service goes on`() async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        for item in Self.cases {
            let params = item.params.replacingOccurrences(of: "ORIGIN", with: deployment.origin.base)
            let answer = try await client.call("image.load", params)
            #expect(answer.error?.code == item.code, "\(item.params): \(answer)")
            #expect(answer.error?.name == item.name, "\(item.params): \(answer)")
            let data = answer.error?.data
            #expect(data?["retryable"]?.bool != nil && data?["phase"]?.string != nil && data?["message"]?.string != nil, "\(answer)")
            if item.code == -32602 { #expect(data?["path"]?.string != nil && data?["expected"] != nil, "\(answer)") }
        }
        let unknown = try await client.call("image.lod", "{}")
        #expect(unknown.error?.code == -32601)
        let fine = try await client.call("image.load", #"{"url":"\#(deployment.url("/picture.png"))","transform":[{"op":"resize","width":20}]}"#)
        #expect(fine.state == "succeeded", "\(fine)")
        #expect(deployment.coordinators[0].process.exitStatus == nil)
        #expect(deployment.workers[0].process.exitStatus == nil)
    }

    @Test func `the operator limits the size of pictures, and errors name the limit and its value`() async throws {
        let deployment = try await Deployment(workerArguments: ["--max-pixels", "1000000", "--max-side", "1200", "--max-frames", "2"])
        let client = try deployment.client()
        for (size, limit, value, allowed) in [("1100x1000", "maxPixels", 1_100_000, 1_000_000), ("1300x10", "maxSide", 1300, 1200)] {
            let answer = try await client.call("image.load", #"{"url":"\#(deployment.url("/picture.png?size=\(size)"))"}"#)
            let details = answer.error?.data
            #expect(answer.error?.name == "limitExceeded" && details?["limit"]?.string == limit, "\(answer)")
            #expect(details?["value"]?.int == value && details?["allowed"]?.int == allowed, "\(answer)")
        }
        let sheet = deployment.url("/picture.png?size=90x60")
        let moving = try await client.call("image.load", #"{"url":"\#(sheet)","transform":[{"op":"animate","columns":3}],"output":{"format":"gif"}}"#)
        #expect(moving.error?.data["limit"] == "maxFrames", "\(moving)")
        #expect(try await client.call("image.load", #"{"url":"\#(deployment.url("/picture.png?size=1000x1000"))"}"#).state == "succeeded")
    }

    @Test func `no log contains a secret`() async throws {
        let deployment = try await Deployment(coordinatorArguments: ["--log-level", "debug"], workerArguments: ["--log-level", "debug"])
        let client = try deployment.client()
        let address = deployment.origin.base.replacingOccurrences(of: "http://", with: "")
        let params = [
            #"{"url":"http://user:s3cretPassword@\#(address)/picture.png?signature=s3cretQuery","transform":[{"op":"resize","width":20}]}"#,
            #"{"url":"http://\#(address)/status/500?token=s3cretQuery","fetch":{"auth":{"bearer":"s3cretBearer"},"headers":{"X-Key":"s3cretHeader"},"retry":{"attempts":1}}}"#,
            #"{"url":"http://\#(address)/status/401","fetch":{"auth":{"basic":["me","s3cretPassword"]}}}"#,
        ]
        for one in params {
            let answer = try await client.call("image.load", one)
            let text = answer.json.text
            // A result names the URL it came from, with its query. An error names none. Neither shows a password.
            #expect(!text.contains(answer.error == nil ? "s3cretPassword" : "s3cret"), "\(text)")
        }
        await deployment.stop()
        for process in deployment.coordinators + deployment.workers {
            #expect(!process.process.errors.isEmpty)
            for line in process.process.errors.split(separator: "\n") where line.contains("s3cret") { Issue.record("\(line)") }
        }
    }

    @Test func `a coordinator that starts before Redis answers unavailable and then recovers`() async throws {
        let redis = try await RedisServer()
        await redis.kill9()
        let coordinator = try await ServiceProcess.coordinator(redis: redis.url)
        let worker = try await ServiceProcess.worker(redis: redis.url)
        let origin = try await ServiceProcess.origin()
        let client = try RPCClient(port: coordinator.rpcPort)
        #expect(try await client.call("system.ping").result?.string == "pong")
        let answer = try await client.call("image.load", #"{"url":"\#(origin.base)/picture.png","deadline":2}"#)
        #expect(answer.error?.name == "unavailable", "\(answer)")
        #expect(try await HTTP.get(coordinator.base + "/readyz").status == 503)
        #expect(try await HTTP.get(coordinator.base + "/healthz").status == 200)
        try await redis.restart()
        var fine = answer
        while fine.error?.name == "unavailable" {
            fine = try await client.call("image.load", #"{"url":"\#(origin.base)/picture.png","transform":[{"op":"resize","width":9}],"deadline":20}"#)
        }
        #expect(fine.state == "succeeded", "\(fine)")
        let validated = try await client.call("system.validate")
        #expect(validated["violations"]?.array?.isEmpty == true, "\(validated)")
        for process in [worker, coordinator, origin] { await process.stop() }
    }
}
