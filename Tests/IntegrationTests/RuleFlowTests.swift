import Foundation
import TestSupport
import Testing

/// Rules with whole processes.
@Suite(.timeLimit(.minutes(2)), .serialized) struct RuleFlowTests {
    private func write(_ text: String, _ path: String) throws { try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic) }

    /// What the origin says that it was sent.
    private func echo(_ deployment: Deployment, _ client: RPCClient, _ request: String) async throws -> (target: String, headers: [String: String]) {
        let answer = try await client.call("image.load", request)
        let json = answer.fields["json"] as? [String: Any]
        if json == nil { Issue.record("\(answer.object)") }
        return (json?["target"] as? String ?? "", json?["headers"] as? [String: String] ?? [:])
    }

    @Test func `a download goes by the rules, by new ones after SIGHUP, and by the old ones when the new are wrong`() async throws {
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
        #expect(try await client.call("image.load", #"{"url":"\#(deployment.url("/x/../%73ecret"))"}"#).errorName == "denied")
        // The keys of cache.* are those of the rules too.
        #expect(try await client.call("cache.contains", request).fields["tiers"] as? [String] != [])
        #expect(try await client.call("image.load", #"{"url":"secret/1","fetch":{"base":"site"}}"#).errorName == "denied")
        #expect(try await client.call("image.load", #"{"url":"x","fetch":{"base":"other"}}"#).errorName == "invalidParams")

        let coordinator = deployment.coordinators[0].process
        try write("{\n\"rules\": [\n{\"acess\": \"deny\"}]}", file)
        coordinator.signal(SIGHUP)
        #expect(await coordinator.errorText(containing: "rules.json:3: rules[0].acess: unknown parameter"))
        #expect(try await echo(deployment, client, #"{"url":"\#(deployment.url("/echo?2"))","as":"json"}"#).target == "/echo?2&rule=1")

        try write(#"{"rules":[{"headers":{"X-Rule":"two"}}]}"#, file)
        coordinator.signal(SIGHUP)
        #expect(await coordinator.errorText(containing: "rules read"))
        // The same words as before: what was remembered of them is forgotten.
        let second = try await echo(deployment, client, request)
        #expect(second.target == "/echo" && second.headers["x-rule"] == "two")
        await deployment.stop()
    }

    @Test func `the limit that a rule sets a host holds for all coordinators, in queues made later too, and changes with SIGHUP`() async throws {
        let folder = try TemporaryFolder("rules")
        let file = folder.path + "/rules.json"
        try write(#"{"rules":[{"hosts":["127.0.0.1"],"maxConcurrentPerHost":1}]}"#, file)
        let deployment = try await Deployment(
            coordinators: 2, workers: 2, coordinatorArguments: ["--rules", file], workerArguments: ["--queues", "default,bulk"])
        let (one, two) = (try deployment.client(0), try deployment.client(1))
        func most() async throws -> Int? { try await deployment.counts()["maxConcurrent"] as? Int }
        func limits(_ queue: String) async throws -> [String: Int]? {
            (try await two.call("queue.get", #"{"queue":"\#(queue)"}"#).fields["limits"] as? [String: Any])?["ruleLimits"] as? [String: Int]
        }
        try await Gate.until("the rule is said") { try await limits("default") == ["127.0.0.1": 1] }
        for (number, client) in [one, two, one, two].enumerated() {
            // However the host is spelt.
            let url = deployment.url("/hang?n=\(number)").replacingOccurrences(
                of: "127.0.0.1", with: ["127.0.0.1", "0x7f.1", "2130706433", "%3127.0.0.1"][number])
            #expect(try await client.call("image.submit", #"{"url":"\#(url)","as":"bytes","deadline":100,"receipt":"h\#(number)"}"#).error == nil)
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
        await deployment.stop()
    }

    @Test func `a file of rules that is wrong is refused at start with its line`() async throws {
        let folder = try TemporaryFolder("rules")
        try write("{\n\"rules\": [\n{\"hosts\": \"a.test\"}]}", folder.path + "/rules.json")
        for file in ["/rules.json", "/none.json"] {
            let process = try ChildProcess(
                ServiceProcess.path("tintype-coordinator"), ["--rules", folder.path + file, "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0"])
            #expect(await process.finished() == 2)
            #expect(process.errors.contains(file == "/rules.json" ? "/rules.json:3: rules[0].hosts: expected an array" : "cannot read"))
        }
    }
}
