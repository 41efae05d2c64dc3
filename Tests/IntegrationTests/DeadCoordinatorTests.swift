import Foundation
import TestSupport
import Testing

/// A coordinator ended by SIGKILL, and its clients at another one.
@Suite(.timeLimit(.minutes(2)), .serialized) struct DeadCoordinatorTests {
    private func state(_ answer: RPCClient.Message) -> String { answer.fields["state"] as? String ?? "\(answer.object)" }

    @Test func `another coordinator knows each of a hundred receipts, ended, running and queued`() async throws {
        let deployment = try await Deployment(coordinators: 2)
        let (one, two) = (try deployment.client(0), try deployment.client(1))
        func submit(_ number: Int, _ path: String) async throws {
            let answer = try await one.call(
                "image.submit",
                #"{"url":"\#(deployment.url(path))","as":"bytes","receipt":"r\#(number)","deadline":100,"fetch":{"timeouts":{"idle":100,"total":100}}}"#)
            if let error = answer.error { throw TestFailure("\(error)") }
        }
        for number in 0..<30 { try await submit(number, "/picture.png?size=64x48&n=\(number)") }
        _ = await one.notifications { $0.count { $0.params?["type"] as? String == "succeeded" } == 30 }
        try await deployment.configure(two, #""maxConcurrentPerHost":20"#)
        for number in 30..<50 { try await submit(number, "/hang?n=\(number)") }
        try await Gate.until("twenty run") { try await deployment.atOrigin() == 20 }
        try await two.call("queue.pause", #"{"queue":"default"}"#)
        for number in 50..<100 { try await submit(number, "/picture.png?size=64x48&n=\(number)") }

        await deployment.coordinators[0].kill9()
        for number in 0..<100 {
            let answer = try await two.call("receipt.get", #"{"receipt":"r\#(number)"}"#)
            #expect(state(answer) == (number < 30 ? "succeeded" : number < 50 ? "running" : "queued"), "\(answer.object)")
        }
        // What is still to end does so there.
        let hanging = (30..<50).map { "\"r\($0)\"" }.joined(separator: ",")
        try await two.call("receipt.cancel", #"{"receipts":[\#(hanging)]}"#)
        try await two.call("queue.resume", #"{"queue":"default"}"#)
        for number in 30..<100 {
            let answer = try await two.call("receipt.get", #"{"receipt":"r\#(number)","wait":60}"#)
            #expect(state(answer) == (number < 50 ? "cancelled" : "succeeded"), "\(answer.object)")
        }
        #expect(try await deployment.counts()["total"] as? Int == 100)
        #expect(try await deployment.violations(two) == [])
        await deployment.stop()
    }

    @Test func `whoever asks at another coordinator at once, and does not wait, is told the end`() async throws {
        let deployment = try await Deployment(coordinators: 2)
        let (one, two) = (try deployment.client(0), try deployment.client(1))
        try await two.call("queue.pause", #"{"queue":"default"}"#)
        for number in 0..<20 {
            try await one.call(
                "image.submit", #"{"url":"\#(deployment.url("/picture.png?size=64x48&n=\(number)"))","as":"bytes","receipt":"r\#(number)","deadline":100}"#)
        }
        await deployment.coordinators[0].kill9()
        for number in 0..<20 { #expect(state(try await two.call("receipt.get", #"{"receipt":"r\#(number)"}"#)) == "queued") }
        try await two.call("queue.resume", #"{"queue":"default"}"#)
        let told = await two.notifications { $0.count { $0.params?["type"] as? String == "succeeded" } == 20 }
        #expect(Set(told.compactMap { $0.params?["receipt"] as? String }).count == 20)
        try await two.call("system.ping")
        #expect(two.notifications.count == 20)
        #expect(try await deployment.violations(two) == [])
        await deployment.stop()
    }

    @Test func `a submit whose answer was lost is repeated elsewhere and is one fetch`() async throws {
        let deployment = try await Deployment(coordinators: 2, isProxied: true)
        let proxy = try #require(deployment.proxy)
        let (one, two) = (try deployment.client(0), try deployment.client(1))
        try await two.call("queue.pause", #"{"queue":"default"}"#)
        let params = #"{"url":"\#(deployment.url("/picture.png?size=64x48"))","as":"bytes","receipt":"once","deadline":100}"#
        proxy.loseAnswer(to: "EVALSHA", with: "once")
        one.send(#"{"jsonrpc":"2.0","id":1,"method":"image.submit","params":\#(params)}"# + "\n")
        try await Gate.until("Redis has it") { try await deployment.redis("EXISTS", "r:once") == "1" }
        await deployment.coordinators[0].kill9()
        let again = try await two.call("image.submit", params)
        #expect(state(again) == "queued", "\(again.object)")
        #expect(try await deployment.redis("GET", "seq") == "1")
        try await two.call("queue.resume", #"{"queue":"default"}"#)
        let events = await two.notifications { $0.contains { $0.params?["type"] as? String == "succeeded" } }
        #expect(events.count == 1)
        #expect(try await deployment.counts()["total"] as? Int == 1)
        #expect(try await deployment.violations(two) == [])
        await deployment.stop()
    }
}
