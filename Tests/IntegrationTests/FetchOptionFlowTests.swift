import Foundation
import TintypeCore
import TestSupport
import Testing

/// Options of `fetch` with whole processes.
@Suite(.timeLimit(.minutes(2)), .serialized, .scoped) struct FetchOptionFlowTests {
    @Test func `no credentials are left once a fetch has succeeded or failed`() async throws {
        let deployment = try await Deployment(coordinatorArguments: ["--log-level", "debug"], workerArguments: ["--log-level", "debug"])
        let client = try deployment.client()
        func load(_ path: String, _ fetch: String) async throws -> RPCClient.Message {
            try await client.call("image.load", #"{"url":"\#(deployment.url(path))","as":"bytes","progress":true,"fetch":\#(fetch)}"#)
        }
        #expect(try await load("/digest/ann/hushhush", #"{"auth":{"digest":["ann","hushhush"]}}"#).error == nil)
        #expect(try await load("/basic/ann/other", #"{"auth":{"basic":["ann","hushhush"]}}"#).error?.name == "authFailed")
        #expect(try await load("/status/503", #"{"auth":{"bearer":"hushhush"},"retry":{"attempts":1}}"#).error?.name == "httpStatus")
        #expect(try await load("/status/500", #"{"headers":{"X-Key":"hushhush"},"retry":{"attempts":2,"base":0}}"#).error?.name == "httpStatus")
        let digest = Data("ann:hushhush".utf8).base64EncodedString()
        for key in try await deployment.redis.command("KEYS", "*").split(separator: "\n").map(String.init) {
            let text =
                switch try await deployment.redis.command("TYPE", key) {
                case "hash": try await deployment.redis.command("HGETALL", key)
                case "string": try await deployment.redis.command("GET", key)
                default: ""
                }
            // The origin needs the password in the path of the first request.
            let rest = text.replacingOccurrences(of: "/digest/ann/hushhush", with: "")
            #expect(!rest.contains("hushhush") && !rest.contains(digest), "\(key): \(text)")
        }
        let told = client.notifications.map { "\($0)" }.joined().replacingOccurrences(of: "/digest/ann/hushhush", with: "")
        #expect(!told.contains("hushhush"))
        for service in deployment.workers + deployment.coordinators {
            let log = service.process.errors.replacingOccurrences(of: "/digest/ann/hushhush", with: "")
            #expect(!log.contains("hushhush") && !log.contains(digest))
        }
    }

    @Test func `workers share a cookie jar`() async throws {
        let deployment = try await Deployment(workers: 2)
        let client = try deployment.client()
        let names = deployment.workers.map { $0.ready["worker"] ?? "" }
        /// Loads with one of the workers, and returns the name of the worker and the status.
        func load(_ path: String, by number: Int) async throws -> [String] {
            for (index, name) in names.enumerated() {
                let answer = try await client.call("workers.quiet", #"{"worker":"\#(name)","quiet":\#(index != number)}"#)
                #expect(answer.error == nil, "\(answer)")
            }
            try await Gate.until("only one takes work") {
                let list = try await client.call("workers.list").result?.array ?? []
                return list.allSatisfy { $0["state"]?.string == ($0["id"]?.string == names[number] ? "running" : "quiet") } && list.count == 2
            }
            let answer = try await client.call(
                "image.load", #"{"url":"\#(deployment.url(path))","as":"bytes","fetch":{"cookies":"jar","acceptableStatus":["200","403"]}}"#)
            let status = answer["source"]?["status"]?.int
            return ["\(status ?? 0)", answer["worker"]?.string ?? "\(answer)"]
        }
        #expect(try await load("/cookie?need=id%3D7&1", by: 1) == ["403", names[1]])
        #expect(try await load("/cookie?set=id%3D7;%20Path%3D/", by: 0) == ["200", names[0]])
        #expect(try await load("/cookie?need=id%3D7&2", by: 1) == ["200", names[1]])
    }

    @Test func `a fallback replaces a picture that fails, with the same operations`() async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        let answer = try await client.call(
            "image.load",
            #"{"url":"\#(deployment.url("/status/404"))","fallback":{"url":"\#(deployment.url("/picture.png?size=64x48"))"},"transform":[{"op":"resize","width":16}]}"#
        )
        let picture = try #require(answer.renditions.first, "\(answer)")
        #expect(answer.from == "fallback" && picture["width"]?.int == 16 && picture["height"]?.int == 12, "\(answer)")
        #expect(answer["error"]?["data"]?["status"]?.int == 404, "\(answer)")
        let path = try #require(picture["url"]?.string)
        #expect(try await HTTP.get(deployment.coordinators[0].base + path).body.count == picture["bytes"]?.int)
    }

    @Test func `options that the operator does not permit are refused, and permitted ones work`() async throws {
        let strict = try await Deployment()
        let client = try strict.client()
        let loose = #"{"url":"https://127.0.0.1:1/","fetch":{"tls":{"allowInvalid":true}}}"#
        #expect(try await client.call("image.load", loose).error?.name == "forbidden")
        #expect(try await client.call("image.submit", #"{"url":"file:///etc/passwd","as":"bytes"}"#).error?.name == "denied")
        await strict.stop()

        let folder = try TemporaryFolder("files")
        try Data(#"{"a":[1,2]}"#.utf8).write(to: URL(fileURLWithPath: folder.path + "/a.json"))
        let switches = ["--allow-invalid-tls", "--file-root", folder.path]
        let open = try await Deployment(coordinatorArguments: switches, workerArguments: switches)
        let other = try open.client()
        let json = try await other.call("image.load", #"{"url":"file:///a.json","as":"json","fetch":{"jsonShape":{"a":["integer"]}}}"#)
        #expect(json["json"] == ["a": [1, 2]], "\(json)")
        #expect(try await other.call("image.load", #"{"url":"file:///../etc/passwd","as":"bytes"}"#).error?.name == "denied")
        let nginx = try await NginxServer(
            "listen PORT ssl http2; ssl_certificate FOLDER/cert.pem; ssl_certificate_key FOLDER/key.pem; location / { return 200 hello; }", isTLS: true)
        let url = "https://127.0.0.1:\(nginx.port)/"
        #expect(try await other.call("image.load", #"{"url":"\#(url)","as":"bytes"}"#).error?.name == "tls")
        #expect(try await other.call("image.load", #"{"url":"\#(url)","as":"bytes","fetch":{"tls":{"allowInvalid":true}}}"#).error == nil)
    }
}
