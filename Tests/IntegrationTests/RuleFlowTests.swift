import TintypeCore
import Foundation
import TestSupport
import Testing

/// Rules with whole processes.
@Suite(.tags(.cluster), .timeLimit(.minutes(2)), .serialized, .scoped) struct RuleFlowTests {
    private func write(_ text: String, _ path: String) throws { try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic) }

    /// Returns the request that the origin has received.
    private func echo(_ deployment: Deployment, _ client: RPCClient, _ request: String) async throws -> (target: String, headers: [String: String]) {
        let answer = try await client.call("image.load", request)
        let json = answer["json"]
        if json == nil { Issue.record("\(answer)") }
        return (
            json?["target"]?.string ?? "", Dictionary(uniqueKeysWithValues: (json?["headers"]?.object?.members ?? []).map { ($0.key, $0.value.string ?? "") })
        )
    }

    @Test func `downloads follow the rules, new ones after SIGHUP, and the old ones if the new are invalid`() async throws {
        let folder = try TemporaryFolder("rules")
        let file = folder.path + "/rules.json"
        try write(
            #"{"bases":{"site":"http://origin.test/"},"rules":[{"headers":{"X-Rule":"one"},"filters":[{"addParams":{"rule":"1"}}]},"#
                + #"{"paths":["/secret"],"access":"deny"}]}"#, file)
        let deployment = try await Deployment(coordinatorArguments: ["--rules", file])
        let client = try deployment.client()
        let request = #"{"url":"\#(deployment.url("/echo"))","as":"json"}"#
        let first = try await echo(deployment, client, request)
        #expect(first.target == "/echo?rule=1" && first.headers["x-rule"] == "one")
        #expect(try await client.call("image.load", #"{"url":"\#(deployment.url("/x/../%73ecret"))"}"#).error?.name == "denied")
        // The keys of cache.* include the changes of rules too.
        #expect(try await client.call("cache.contains", request)["tiers"]?.strings != [])
        #expect(try await client.call("image.load", #"{"url":"secret/1","fetch":{"base":"site"}}"#).error?.name == "denied")
        #expect(try await client.call("image.load", #"{"url":"x","fetch":{"base":"other"}}"#).error?.name == "invalidParams")

        let coordinator = deployment.coordinators[0].process
        try write("{\n\"rules\": [\n{\"acess\": \"deny\"}]}", file)
        coordinator.signal(SIGHUP)
        #expect(await coordinator.errorText(containing: "rules.json:3: rules[0].acess: unknown parameter"))
        #expect(try await echo(deployment, client, #"{"url":"\#(deployment.url("/echo?2"))","as":"json"}"#).target == "/echo?2&rule=1")

        try write(#"{"rules":[{"headers":{"X-Rule":"two"}}]}"#, file)
        coordinator.signal(SIGHUP)
        #expect(await coordinator.errorText(containing: "rules read"))
        // The same text as before: the remembered answer is forgotten.
        let second = try await echo(deployment, client, request)
        #expect(second.target == "/echo" && second.headers["x-rule"] == "two")
    }

    @Test func `redirects cannot reach denied URLs`() async throws {
        let folder = try TemporaryFolder("rules")
        let file = folder.path + "/rules.json"
        try write(#"{"rules":[{"hosts":["localhost"],"access":"deny"},{"paths":["/redirect/1"],"access":"deny","headers":{"X-Key":"hush"}}]}"#, file)
        let deployment = try await Deployment(coordinatorArguments: ["--rules", file])
        let client = try deployment.client()
        func load(_ more: String) async throws -> RPCClient.Message { try await client.call("image.load", "{\(more)}") }
        func url(_ path: String) -> String { #""url":"\#(deployment.url(path))""# }
        // On the same host by its path, at the second hop; on another host by its name.
        let led = "/redirect/2"
        let away = "/status/302?with=Location:+" + deployment.url("/echo").replacingOccurrences(of: "127.0.0.1", with: "localhost")
        for (path, target) in [(led, "/redirect/1"), (away, "/echo")] {
            let answer = try await load(url(path))
            let data = answer.error?.data
            #expect(answer.error?.name == "denied" && data?["which"]?.string == "rule" && data?["phase"]?.string == "download", "\(answer)")
            #expect(data?["url"]?.string?.hasSuffix(target) == true && data?["retryable"]?.bool == false, "\(answer)")
            #expect(try await client.call("image.probe", "{\(url(path + (path == led ? "?" : "&") + "probe"))}").error?.name == "denied")
        }
        // Allowed redirects are followed.
        let fine = "/status/302?with=Location:+/picture.png?size=64x48"
        #expect(try await load(url(fine)).state == "succeeded")
        // Overlay pictures, fallbacks and mirrors.
        let layer = try await load(url("/picture.png?size=65x48") + #","transform":[{"op":"composite",\#(url(led + "?layer"))}]"#)
        #expect(layer.error?.name == "transformFailed" && layer.error?.data["cause"]?.string == "denied", "\(layer)")
        let fallback = try await load(url("/status/403") + #","fallback":{\#(url(led + "?fallback"))}"#)
        #expect(fallback.error?.name == "httpStatus", "\(fallback)")
        #expect(try await load(#""urls":["\#(deployment.url(led + "?mirror"))","\#(deployment.url("/picture.png?size=66x48"))"]"#).error == nil)
        let mirrors = try await load(#""urls":["\#(deployment.url("/status/403?2"))","\#(deployment.url(led + "?mirror2"))"]"#)
        #expect(mirrors.error?.name == "denied", "\(mirrors)")
        #expect(try await load(#""urls":["\#(deployment.url("/picture.png"))","\#(deployment.url("/redirect/1"))"]"#).error?.name == "denied")
        let asked = try #require(try await deployment.counts()["counts"]?.integers)
        #expect(!asked.keys.contains { $0.hasPrefix("/redirect/1") || $0.hasPrefix("/echo") }, "\(asked)")
        let list = try await deployment.redis.command("HVALS", "tintype:{rules}:access")
        #expect(list.contains("/redirect/1") && !list.contains("hush"))

        // New rules apply to redirects too.
        try write(#"{"rules":[{"paths":["/picture.png"],"access":"deny"}]}"#, file)
        let coordinator = deployment.coordinators[0].process
        coordinator.signal(SIGHUP)
        #expect(await coordinator.errorText(containing: "rules read"))
        #expect(try await load(url(fine + "&2")).error?.name == "denied")
        let last = try await load(url(led + "?3"))
        #expect(last.error?.name == "denied")
        #expect(last.error?.data["url"]?.string?.hasSuffix("/picture.png") == true, "\(last)")
    }

    @Test func `rules drop signatures from keys, send requests to a CDN, and set default options`() async throws {
        let folder = try TemporaryFolder("rules")
        let file = folder.path + "/rules.json"
        let cdn = try await ServiceProcess.origin()
        try write(
            #"{"rules":[{"key":{"drop":["sig"]},"transform":[{"op":"resize","width":20}],"cdn":"\#(cdn.base)"}]}"#, file)
        let deployment = try await Deployment(coordinatorArguments: ["--rules", file])
        let client = try deployment.client()
        func load(_ path: String, _ more: String = "") async throws -> JSON {
            try await client.call("image.load", #"{"url":"\#(deployment.url(path))"\#(more)}"#).body
        }
        let first = try await load("/picture.png?size=64x48&sig=one")
        #expect(first["renditions"]?.array?.first?["width"]?.int == 20, "\(first)")
        #expect(try await load("/picture.png?size=64x48&sig=two")["from"]?.string == "memory")
        #expect(try await load("/picture.png?size=64x48&sig=three", #","transform":[{"op":"resize","width":30}]"#)["from"]?.string == "sources")
        #expect(try await deployment.asked() == 1)
        let other = try await load("/picture.png?size=64x49", #","fetch":{"cdn":true}"#)
        #expect(other["from"]?.string == "remote", "\(other)")
        let seen = try JSON(parsing: try await HTTP.get(cdn.base + "/_counts").body)
        #expect(try await deployment.asked() == 1 && seen["counts"]?.integers == ["/picture.png?size=64x49": 1], "\(seen)")
    }

    @Test func `a rule's host limit applies to all coordinators and later queues, and changes with SIGHUP`() async throws {
        let folder = try TemporaryFolder("rules")
        let file = folder.path + "/rules.json"
        try write(#"{"rules":[{"hosts":["127.0.0.1"],"maxConcurrentPerHost":1}]}"#, file)
        let deployment = try await Deployment(
            coordinators: 2, workers: 2, coordinatorArguments: ["--rules", file], workerArguments: ["--queues", "default,bulk"])
        let (one, two) = (try deployment.client(0), try deployment.client(1))
        func most() async throws -> Int? { try await deployment.counts()["maxConcurrent"]?.int }
        func limits(_ queue: String) async throws -> [String: Int]? {
            try await two.call("queue.get", #"{"queue":"\#(queue)"}"#)["limits"]?["ruleLimits"]?.integers
        }
        try await Gate.until("the rule is said") { try await limits("default") == ["127.0.0.1": 1] }
        for (number, client) in [one, two, one, two].enumerated() {
            // In any spelling of the host.
            let url = deployment.url("/hang?n=\(number)").replacingOccurrences(
                of: "127.0.0.1", with: ["127.0.0.1", "0x7f.1", "2130706433", "%3127.0.0.1"][number])
            #expect(
                try await client.call(
                    "image.submit", #"{"url":"\#(url)","as":"bytes","deadline":100,"receipt":"h\#(number)","fetch":{"timeouts":{"idle":100,"total":100}}}"#
                ).error == nil)
        }
        try await Gate.until("one runs") { try await deployment.atOrigin() == 1 }
        for number in 0..<2 {
            try await one.call("receipt.cancel", #"{"receipt":"h\#(number)"}"#)
            try await Gate.until("the next one runs") { try await deployment.asked() == number + 2 }
        }
        #expect(try await most() == 1)
        #expect(try await one.call("queue.configure", #"{"queue":"bulk"}"#).error == nil)
        #expect(try await limits("bulk") == ["127.0.0.1": 1])

        try write(#"{"rules":[{"maxConcurrentPerHost":2}]}"#, file)
        for coordinator in deployment.coordinators {
            coordinator.process.signal(SIGHUP)
            #expect(await coordinator.process.errorText(containing: "rules read"))
        }
        try await Gate.until("two run") { try await deployment.atOrigin() == 2 }
        try await Gate.until("the other queue knows") { try await limits("bulk") == ["*": 2] }
        try await two.call("queue.cancelAll", #"{"queue":"default"}"#)
        try await Gate.until("all are stopped") { try await deployment.atOrigin() == 0 }
        #expect(try await deployment.violations(one) == [])
    }

    @Test func `options, removed headers and changed answers of rules reach the worker, and are shown`() async throws {
        let folder = try TemporaryFolder("rules")
        let file = folder.path + "/rules.json"
        try write(
            #"{"rules":[{"paths":["/echo"],"headers":{"Accept":null,"User-Agent":null,"X-One":"1"},"options":{"as":"json","fetch":{"auth":{"bearer":"hush"}}}},"#
                + #"{"paths":["/text"],"response":{"type":"image/png"},"options":{"fetch":{"acceptableTypes":["image/*"]},"as":"bytes","deliver":"inline"}},"#
                + #"{"paths":["/status/"],"response":{"status":{"500-599":404}},"options":{"fetch":{"retry":{"attempts":9,"base":0}}}},"#
                + #"{"paths":["/picture.png"],"response":{"length":{"min":10000000,"status":410},"headers":{"Cache-Control":"no-store"}}},"#
                + #"{"paths":["/files/","/json"],"options":{"as":"json"},"ttl":{"min":1000,"max":2000}}]}"#, file)
        let deployment = try await Deployment(coordinatorArguments: ["--rules", file])
        let client = try deployment.client()
        func load(_ path: String, _ more: String = "") async throws -> RPCClient.Message {
            try await client.call("image.load", #"{"url":"\#(deployment.url(path))"\#(more)}"#)
        }
        let seen = try await load("/echo")["json"]?["headers"]
        #expect(
            seen?["authorization"]?.string == "Bearer hush" && seen?["x-one"]?.string == "1" && seen?["accept"] == nil && seen?["user-agent"] == nil,
            "\(seen ?? .null)")
        let own = try await load("/echo?2", #","fetch":{"auth":{"basic":["u","p"]}}"#)["json"]?["headers"]
        #expect(own?["authorization"]?.string?.hasPrefix("Basic ") == true)
        // The rule sets the type, and the request's own conditions apply to that.
        let text = try await load("/text")
        #expect(text.error == nil && text["renditions"]?[0]?["contentType"]?.string == "image/png", "\(text)")
        let failed = try await load("/status/503")
        #expect(failed.error?.name == "httpStatus" && failed.error?.data["status"]?.int == 404 && failed.error?.data["retryable"]?.bool == false, "\(failed)")
        let short = try await load("/picture.png?size=64x48")
        #expect(short.error?.name == "httpStatus" && short.error?.data["status"]?.int == 410 && short.error?.data["bytes"]?.int ?? 0 > 0, "\(short)")
        #expect(try await deployment.counts()["counts"]?["/status/503"]?.int == 1)
        // The rule replaces an origin's hour and its minute.
        for (number, control) in ["max-age=3600000", "max-age=1"].enumerated() {
            let answer = try await load("/json?\(number)&with=Cache-Control:+\(control)")
            let left = (answer["source"]?["expiresAt"]?.double ?? 0) - Date().timeIntervalSince1970
            #expect(number == 0 ? (1500...2001).contains(left) : (500...1001).contains(left), "\(answer)")
        }

        let told = try await client.call("request.explain", #"{"url":"\#(deployment.url("/echo"))"}"#)
        let auth = told["options"]?.array?.first { $0["name"]?.string == "fetch.auth" }
        #expect(auth?["by"]?.string == "rules[0]" && told["omittedHeaders"]?.array?.count == 2 && told["urls"]?[0]?["rules"] == ["rules[0]"], "\(told)")
        #expect(told["renditions"]?[0]?["key"]?.string == (try await load("/echo"))["renditions"]?[0]?["key"]?.string)
        #expect(!"\(told)".contains("hush"))
        #expect(!deployment.coordinators[0].process.errors.contains("hush") && !deployment.workers[0].process.errors.contains("hush"))
    }

    @Test func `a rule for cached results only delivers them and downloads nothing`() async throws {
        let folder = try TemporaryFolder("rules")
        let file = folder.path + "/rules.json"
        try write(#"{"rules":[]}"#, file)
        let deployment = try await Deployment(coordinatorArguments: ["--rules", file])
        let client = try deployment.client()
        func load(_ path: String, _ more: String = "") async throws -> RPCClient.Message {
            try await client.call("image.load", #"{"url":"\#(deployment.url(path))"\#(more)}"#)
        }
        #expect(try await load("/picture.png?size=64x48").error == nil)
        try write(#"{"rules":[{"access":"cached"}]}"#, file)
        deployment.coordinators[0].process.signal(SIGHUP)
        #expect(await deployment.coordinators[0].process.errorText(containing: "rules read"))
        for policy in ["default", "reload", "refresh"] {
            #expect(try await load("/picture.png?size=64x48", #","cache":{"policy":"\#(policy)"}"#).error == nil)
        }
        // Another picture of the same source, and a source that no cache has.
        #expect(try await load("/picture.png?size=64x48", #","transform":[{"op":"resize","width":9}]"#)["from"]?.string == "sources")
        let missing = try await load("/picture.png?size=64x49")
        #expect(missing.error?.name == "cacheMiss" && missing.error?.data["reason"]?.string == "absent", "\(missing)")
        let layered = try await load("/picture.png?size=64x48", #","transform":[{"op":"composite","url":"\#(deployment.url("/picture.png?size=9x9"))"}]"#)
        #expect(layered.error?.data["cause"]?.string == "cacheMiss", "\(layered)")
        #expect(try await deployment.asked() == 1)
    }

    @Test func `rules cannot set options that the operator does not permit`() async throws {
        let folder = try TemporaryFolder("rules")
        let file = folder.path + "/rules.json"
        for (options, message) in [
            (#"{\n"deadline":4000}"#, "rules.json:2: rules[0].options.deadline: expected at most"),
            (#"{"fetch":{"timeouts":{\n"idle":4000}}}"#, "rules.json:2: rules[0].options.fetch.timeouts.idle: expected at most"),
            (#"{"fetch":{"tls":{\n"allowInvalid":true}}}"#, "rules.json:2: rules[0].options.fetch.tls.allowInvalid: expected false"),
        ] {
            try write(#"{"rules":[{"options":\#(options.replacingOccurrences(of: "\\n", with: "\n"))}]}"#, file)
            let process = try ChildProcess(
                ServiceProcess.path("tintype-coordinator"), ["--rules", file, "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0"])
            #expect(await process.finished() == 2)
            #expect(process.errors.contains(message), "\(process.errors)")
        }
    }

    @Test func `a request chooses the failures to retry`() async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        func load(_ path: String, _ on: String) async throws -> RPCClient.Message {
            try await client.call("image.load", #"{"url":"\#(deployment.url(path))","fetch":{"retry":{"base":0,"attempts":3,"on":\#(on)}}}"#)
        }
        // The picture comes after this many failures.
        #expect(try await load("/status/404?times=2", #"["404"]"#).error == nil)
        let once = try await load("/status/503?times=2", #"["timeout"]"#)
        #expect(once.error?.name == "httpStatus" && once.error?.data["retryable"]?.bool == false, "\(once)")
        let counts = try #require(try await deployment.counts()["counts"]?.integers)
        #expect(counts == ["/status/404?times=2": 3, "/status/503?times=2": 1], "\(counts)")
    }

    @Test func `an invalid rules file is refused at start with its line`() async throws {
        let folder = try TemporaryFolder("rules")
        try write("{\n\"rules\": [\n{\"hosts\": \"a.test\"}]}", folder.path + "/rules.json")
        for file in ["/rules.json", "/none.json"] {
            let process = try ChildProcess(
                ServiceProcess.path("tintype-coordinator"), ["--rules", folder.path + file, "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0"])
            #expect(await process.finished() == 2)
            #expect(process.errors.contains(file == "/rules.json" ? "/rules.json:3: rules[0].hosts: expected an array" : "cannot open"))
        }
    }
}
