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
