import Foundation
import TintypeCore
import TestSupport
import Testing

/// A coordinator ended by SIGKILL, and its clients at another one.
@Suite(.tags(.realTimes), .timeLimit(.minutes(2)), .serialized, .scoped) struct DeadCoordinatorTests {
    private func state(_ answer: RPCClient.Message) -> String { answer.state ?? "\(answer)" }

    @Test func `another coordinator knows each of a hundred ended, running and queued receipts`() async throws {
        let deployment = try await Deployment(coordinators: 2)
        let (one, two) = (try deployment.client(0), try deployment.client(1))
        func submit(_ number: Int, _ path: String) async throws {
            let answer = try await one.call(
                "image.submit",
                #"{"url":"\#(deployment.url(path))","as":"bytes","receipt":"r\#(number)","deadline":100,"fetch":{"timeouts":{"idle":100,"total":100}}}"#)
            if let error = answer.error { throw TestFailure("\(error)") }
        }
        for number in 0..<30 { try await submit(number, "/picture.png?size=64x48&n=\(number)") }
        _ = await one.notifications { $0.count { $0.type == "succeeded" } == 30 }
        try await deployment.configure(two, #""maxConcurrentPerHost":20"#)
        for number in 30..<50 { try await submit(number, "/hang?n=\(number)") }
        try await Gate.until("twenty run") { try await deployment.atOrigin() == 20 }
        try await two.call("queue.pause", #"{"queue":"default"}"#)
        for number in 50..<100 { try await submit(number, "/picture.png?size=64x48&n=\(number)") }

        await deployment.coordinators[0].kill9()
        for number in 0..<100 {
            let answer = try await two.call("receipt.get", #"{"receipt":"r\#(number)"}"#)
            #expect(state(answer) == (number < 30 ? "succeeded" : number < 50 ? "running" : "queued"), "\(answer)")
        }
        // The remaining receipts end at the other coordinator.
        let hanging = (30..<50).map { "\"r\($0)\"" }.joined(separator: ",")
        try await two.call("receipt.cancel", #"{"receipts":[\#(hanging)]}"#)
        try await two.call("queue.resume", #"{"queue":"default"}"#)
        for number in 30..<100 {
            let answer = try await two.call("receipt.get", #"{"receipt":"r\#(number)","wait":60}"#)
            #expect(state(answer) == (number < 50 ? "cancelled" : "succeeded"), "\(answer)")
        }
        #expect(try await deployment.counts()["total"]?.int == 100)
        #expect(try await deployment.violations(two) == [])
    }

    @Test func `a client that asks another coordinator without waiting gets the end`() async throws {
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
        let told = await two.notifications { $0.count { $0.type == "succeeded" } == 20 }
        #expect(Set(told.compactMap { $0.receipt }).count == 20)
        try await two.call("system.ping")
        #expect(two.notifications.count == 20)
        #expect(try await deployment.violations(two) == [])
    }

    /// No process knows yet that the coordinators are dead, and none will.
    @Test func `a receipt of a dead coordinator is cancelled at another one at once, and ends once`() async throws {
        let deployment = try await Deployment(coordinators: 3)
        let (one, two, three) = (try deployment.client(0), try deployment.client(1), try deployment.client(2))
        func params(_ receipt: String) -> String {
            #"{"url":"\#(deployment.url("/hang?n=\(receipt)"))","as":"bytes","receipt":"\#(receipt)","deadline":100,"fetch":{"timeouts":{"idle":100,"total":100}}}"#
        }
        try await one.call("image.submit", params("own"))
        one.send(#"{"jsonrpc":"2.0","id":"load","method":"image.load","params":\#(params("given"))}"# + "\n")
        try await Gate.until("both run") { try await deployment.atOrigin() == 2 }
        // Its clients want the receipt at the second coordinator, which is killed. Then the clients of the first one no longer want it, so it belongs
        // to the second.
        two.send(#"{"jsonrpc":"2.0","id":"get","method":"receipt.get","params":{"receipt":"given","wait":90}}"# + "\n")
        try await Gate.until("it is waited for") { try await deployment.redis("HEXISTS", "r:given", "followers") == "1" }
        await deployment.coordinators[1].kill9()
        let first = try await deployment.redis("HGET", "r:given", "coordinator")
        one.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"load"}}"# + "\n")
        try await Gate.until("it is handed over") { try await deployment.redis("HGET", "r:given", "coordinator") != first }
        await deployment.coordinators[0].kill9()
        for name in [first, try await deployment.redis("HGET", "r:given", "coordinator")] {
            #expect(try await deployment.redis("ZADD", "co", "XX", "CH", "9999999999999", name) == "1")
        }
        for receipt in ["own", "given"] { #expect(state(try await three.call("receipt.get", #"{"receipt":"\#(receipt)"}"#)) == "running") }
        for receipt in ["own", "given"] {
            #expect(try await three.call("receipt.cancel", #"{"receipt":"\#(receipt)"}"#)["cancelled"]?.bool == true)
            #expect(try await three.call("receipt.cancel", #"{"receipt":"\#(receipt)"}"#)["reason"]?.string == "finished")
        }
        try await Gate.until("their downloads are stopped") { try await deployment.atOrigin() == 0 }
        let told = await three.notifications { $0.count { $0.type == "cancelled" } == 2 }
        #expect(Set(told.compactMap { $0.receipt }) == ["own", "given"])
        try await three.call("system.ping")
        #expect(three.notifications.count { $0.type == "cancelled" } == 2)
        for receipt in ["own", "given"] { #expect(state(try await three.call("receipt.get", #"{"receipt":"\#(receipt)"}"#)) == "cancelled") }
    }

    @Test func `a submit repeated elsewhere after a lost answer makes one fetch`() async throws {
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
        #expect(state(again) == "queued", "\(again)")
        #expect(try await deployment.redis("GET", "seq") == "1")
        try await two.call("queue.resume", #"{"queue":"default"}"#)
        let events = await two.notifications { $0.contains { $0.type == "succeeded" } }
        #expect(events.count == 1)
        #expect(try await deployment.counts()["total"]?.int == 1)
        #expect(try await deployment.violations(two) == [])
    }

    /// The test makes forty seconds of silence by hand. It waits until checks that prove nothing have run.
    @Test func `receipts of a dead coordinator's clients are cancelled, and detached ones go on`() async throws {
        let deployment = try await Deployment(coordinators: 2, workers: 2)
        let (one, two) = (try deployment.client(0), try deployment.client(1))
        try await deployment.configure(two, #""maxConcurrentPerHost":20,"maxConcurrent":9"#)
        func submit(_ client: RPCClient, _ receipt: String, _ url: String, _ more: String = "") async throws {
            let answer = try await client.call(
                "image.submit",
                #"{"url":"\#(url)","as":"bytes","receipt":"\#(receipt)","deadline":110,"fetch":{"timeouts":{"idle":100,"total":100}}\#(more)}"#)
            if let error = answer.error { throw TestFailure("\(error)") }
        }
        func held(_ name: String) -> String { deployment.url("/picture.png?size=16x16&gate=\(name)") }
        for number in 0..<4 { try await submit(one, "own-\(number)", held("own-\(number)")) }
        for number in 0..<4 { try await submit(one, "detached-\(number)", held("detached-\(number)"), #","detached":true"#) }
        try await submit(one, "shared", held("shared"))
        try await submit(two, "other", held("shared"))
        try await Gate.until("all slots are taken") { try await deployment.atOrigin() == 9 }
        for number in 4..<8 {
            try await submit(one, "own-\(number)", held("own-\(number)"))
            try await submit(one, "detached-\(number)", held("detached-\(number)"), #","detached":true"#)
        }
        let dead = try await deployment.redis("HGET", "r:own-0", "coordinator")
        await deployment.coordinators[0].kill9()
        // The coordinator is known from its first moment on: it was killed before its first heartbeat.
        #expect(try await deployment.redis("ZADD", "co", "XX", "CH", "1", dead) == "1")
        let own = (0..<8).map { "own-\($0)" } + ["shared"]
        try await Gate.until("its clients' receipts have ended", within: .seconds(60)) {
            for receipt in own where try await deployment.redis("HGET", "r:" + receipt, "state").isEmpty { return false }
            return true
        }
        for receipt in own {
            let end = try await two.call("receipt.get", #"{"receipt":"\#(receipt)"}"#)
            #expect(state(end) == "cancelled", "\(end)")
            #expect((end["error"]).map { "\($0)".contains("disconnected") } ?? false, "\(end)")
        }
        // Fetches that only its clients wanted are stopped. Their permits go to the others: eight detached ones, and one that another client wants too.
        try await Gate.until("the others run") {
            let left = try await deployment.redis("ZCARD", "dl")
            return try await deployment.atOrigin() == 9 && left == "9"
        }
        let asked = try await deployment.counts()["counts"]?.integers ?? [:]
        #expect(asked.keys.contains { $0.contains("own-0") } && !asked.keys.contains { $0.contains("own-7") }, "\(asked)")
        for name in (0..<8).map({ "detached-\($0)" }) + ["shared"] { try await deployment.open(gate: name) }
        for receipt in (0..<8).map({ "detached-\($0)" }) + ["other"] {
            #expect(state(try await two.call("receipt.get", #"{"receipt":"\#(receipt)","wait":60}"#)) == "succeeded")
        }
        #expect(asked.values.allSatisfy { $0 == 1 })
        #expect(try await deployment.violations(two) == [])
    }

    /// A request with the same supersede key that came before the repetition counts as newer, whenever the second request is repeated.
    @Test(arguments: [false, true])
    func `a submit with a supersede key has its effect though its answer is lost and it is repeated elsewhere`(isSuperseded: Bool) async throws {
        let deployment = try await Deployment(coordinators: 2, isProxied: true)
        let proxy = try #require(deployment.proxy)
        let (one, two) = (try deployment.client(0), try deployment.client(1))
        func params(_ receipt: String) -> String {
            let url = deployment.url("/picture.png?size=16x16&gate=\(receipt)")
            return #"{"url":"\#(url)","as":"bytes","receipt":"\#(receipt)","slot":"avatar","deadline":100,"fetch":{"timeouts":{"idle":100,"total":100}}}"#
        }
        #expect(try await one.call("image.submit", params("first")).error == nil)
        try await Gate.until("it runs") { try await deployment.atOrigin() == 1 }
        proxy.loseAnswer(to: "EVALSHA", with: "second")
        one.send(#"{"jsonrpc":"2.0","id":"a","method":"image.submit","params":\#(params("second"))}"# + "\n")
        try await Gate.until("Redis has it") { try await deployment.redis("EXISTS", "r:second") == "1" }
        await deployment.coordinators[0].kill9()
        if isSuperseded { #expect(try await two.call("image.submit", params("third")).error == nil) }
        let again = try await two.call("image.submit", params("second"))
        let last = isSuperseded ? "third" : "second"
        #expect(isSuperseded ? again.state == "cancelled" : ["queued", "running"].contains(state(again)), "\(again)")
        #expect(try await deployment.redis("GET", "sl:avatar") == last)
        try await deployment.open(gate: last)
        for receipt in ["first", "second", "third"].prefix(isSuperseded ? 3 : 2) {
            let end = try await two.call("receipt.get", #"{"receipt":"\#(receipt)","wait":60}"#)
            #expect(state(end) == (receipt == last ? "succeeded" : "cancelled"), "\(end)")
            if receipt != last { #expect("\(end)".contains("superseded"), "\(end)") }
        }
        try await Gate.until("what was superseded is stopped") { try await deployment.atOrigin() == 0 }
        let counts = try await deployment.counts()["counts"]?.integers ?? [:]
        #expect(counts.values.allSatisfy { $0 == 1 }, "\(counts)")
        #expect(try await deployment.violations(two) == [])
    }
}
