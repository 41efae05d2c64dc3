import Foundation
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Coordinator

/// The JSON-RPC port as clients see it: framings, limits, and clients that misbehave.
@Suite(.timeLimit(.minutes(2)), .serialized, .scoped) struct ConnectionTests {
    private let ping = #"{"jsonrpc":"2.0","id":1,"method":"system.ping"}"#

    private func header(_ text: String) -> [UInt8] { Array("Content-Length: \(text.utf8.count)\r\n\r\n\(text)".utf8) }

    @Test func `both framings work on one port, in one piece or byte by byte`() async throws {
        let harness = try await CoordinatorHarness()
        let lines = try RawClient(port: await harness.port)
        for byte in Array("\(ping)\r\n\n  \n\(ping)\n".utf8) { lines.send([byte]) }
        #expect(await lines.lines(2) == [#"{"jsonrpc":"2.0","id":1,"result":"pong"}"#, #"{"jsonrpc":"2.0","id":1,"result":"pong"}"#])
        let headers = try RawClient(port: await harness.port)
        let broken = header("{nonsense")
        for byte in header(ping) + broken + header(ping) { headers.send([byte]) }
        let expected = String(decoding: header(#"{"jsonrpc":"2.0","id":1,"result":"pong"}"#), as: UTF8.self)
        let answer = String(
            decoding: await headers.received { String(decoding: $0, as: UTF8.self).components(separatedBy: "pong").count > 2 }, as: UTF8.self)
        #expect(answer.hasPrefix(expected) && answer.hasSuffix(expected) && answer.contains("-32700"))
    }

    @Test func `malformed JSON is answered, and the next line is read normally`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try RawClient(port: await harness.port)
        let deep = String(repeating: "[", count: 65) + String(repeating: "]", count: 65)
        client.send("{\"jsonrpc\"\nrubbish\n{\"a\":\"\u{1}\"}\n\(deep)\n\(ping)\n")
        let lines = await client.lines(5)
        #expect(lines.prefix(4).allSatisfy { $0.contains("-32700") && $0.contains(#""id":null"#) && $0.contains("parseError") }, "\(lines)")
        #expect(lines.last == #"{"jsonrpc":"2.0","id":1,"result":"pong"}"#)
    }

    @Test func `a connection with another protocol gets an error and is closed`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try RawClient(port: await harness.port)
        client.send("GET / HTTP/1.1\r\n\r\n")
        let answer = String(decoding: await client.untilClosed(), as: UTF8.self)
        #expect(answer.contains("-32700"))
    }

    @Test func `a message over 4 MiB closes the connection, and one of 4 MiB is read`() async throws {
        let harness = try await CoordinatorHarness()
        let large = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"system.ping\"" + String(repeating: " ", count: (4 << 20) - 47) + "}"
        #expect(large.utf8.count == 4 << 20)
        let fine = try RawClient(port: await harness.port)
        fine.send("\(large)\n")
        #expect(await fine.lines(1) == [#"{"jsonrpc":"2.0","id":1,"result":"pong"}"#])
        let client = try RawClient(port: await harness.port)
        client.send("{\(large)\n\(ping)\n")
        let answer = String(decoding: await client.untilClosed(), as: UTF8.self)
        #expect(answer.contains("-32600") && !answer.contains("pong"))
    }

    @Test func `pipelined requests are all answered and a batch is one array`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try RawClient(port: await harness.port)
        var text = ""
        for id in 0..<5000 { text += "{\"jsonrpc\":\"2.0\",\"id\":\(id),\"method\":\"system.ping\"}\n" }
        text += "[" + (0..<300).map { "{\"jsonrpc\":\"2.0\",\"id\":\($0),\"method\":\"system.ping\"}" }.joined(separator: ",") + "]\n"
        client.send(Array(text.utf8))
        let lines = await client.lines(5001)
        #expect(lines.count == 5001)
        #expect(lines.prefix(5000).enumerated().allSatisfy { $1 == "{\"jsonrpc\":\"2.0\",\"id\":\($0),\"result\":\"pong\"}" })
        #expect(try JSON(parsing: lines.last ?? "").array?.count == 300)
    }

    @Test(arguments: ["1", #"{"jsonrpc":"2.0","id":1,"method":"image.load","params":{"url":"http://origin.test/a"}}"#])
    func `a batch over 1,024 members is one error, on both ports, and the connection goes on`(member: String) async throws {
        let harness = try await CoordinatorHarness()
        let batch = "[\(repeatElement(member, count: (4 << 20) / (member.utf8.count + 1) - 1).joined(separator: ","))]"
        let client = try RawClient(port: await harness.port)
        client.send("\(batch)\n\(ping)\n")
        let lines = await client.lines(2)
        #expect(
            lines.count == 2 && lines[0].contains("-32600") && lines[0].contains(#""id":null"#) && lines[1].contains("pong"), "\(lines.map { $0.prefix(300) })")
        let folder = try TemporaryFolder("batch")
        try batch.write(toFile: folder.path + "/batch", atomically: true, encoding: .utf8)
        let web = try await HTTP.get("\(await harness.base)/rpc", ["-H", "Expect:", "--data-binary", "@\(folder.path)/batch"])
        let text = String(decoding: web.body, as: UTF8.self)
        #expect(web.status == 200 && text.hasPrefix("{") && text.contains("-32600"), "\(text.prefix(300))")
        #expect(await harness.coordinator.core.receipts.table.count == 0)
    }

    @Test func `a closing connection refuses waiting requests over several turns of the loop`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try RawClient(port: await harness.port)
        let (coordinator, count) = (harness.coordinator, 1024 + 500)
        for id in 0..<count {
            client.send(Array(#"{"jsonrpc":"2.0","id":\#(id),"method":"image.load","params":{"url":"http://origin.test/\#(id)","deadline":600}}"#.utf8) + [10])
        }
        try await harness.until { coordinator.core.receipts.table.all.count { $0.isAdmitted } == 1024 }
        // This request is taken before the waiting ones, so all of them have been read when it is answered.
        client.send("\(ping)\n")
        #expect(await client.lines(1).count == 1)
        let watch = await TurnWatch { coordinator.core.process.metrics.value(.rpcRequests, labels: "image.load", ErrorName.shuttingDown.rawValue) }
        await harness.coordinator.stop()
        let lines = await client.lines(1 + count).dropFirst()
        #expect(lines.count == count && lines.allSatisfy { $0.contains("1053") }, "\(lines.count)")
        let seen = await watch.end()
        #expect(seen.contains { $0 > 1024 && $0 < Double(count) }, "others had a turn meanwhile: \(seen)")
    }

    @Test func `only urgent requests are taken while 1,024 are unanswered`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try RawClient(port: await harness.port)
        var text = ""
        for id in 0..<1030 {
            text += "{\"jsonrpc\":\"2.0\",\"id\":\(id),\"method\":\"image.load\",\"params\":{\"url\":\"http://origin.test/\(id)\",\"deadline\":600}}\n"
        }
        client.send(Array(text.utf8))
        client.send(Array(#"{"jsonrpc":"2.0","id":"p","method":"system.ping"}"#.utf8) + [10])
        #expect(await client.lines(1) == [#"{"jsonrpc":"2.0","id":"p","result":"pong"}"#])
        let coordinator = harness.coordinator
        try await harness.until { coordinator.core.receipts.table.all.count { $0.isAdmitted } == 1024 }
        #expect(try await harness.worker.queue.info()?.queued == 1024)
        // One taken and one waiting request are canceled; another request takes the free place.
        client.send(Array(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":7}}"#.utf8) + [10])
        client.send(Array(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1029}}"#.utf8) + [10])
        let lines = await client.lines(3).dropFirst().sorted()
        #expect(lines.count == 2 && lines.allSatisfy { $0.contains("1040") })
        #expect(lines[0].contains(#""id":1029,"#) && lines[1].contains(#""id":7,"#))
        try await harness.until { coordinator.core.receipts.table.count == 1024 }
        client.close()
        // Work that only this client wanted is canceled at once.
        try await harness.until { try await harness.worker.queue.info()?.queued == 0 && coordinator.core.receipts.table.count == 0 }
    }

    @Test func `a waiting member of a batch can be canceled`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try RawClient(port: await harness.port)
        var text = ""
        for id in 0..<1024 {
            text += "{\"jsonrpc\":\"2.0\",\"id\":\(id),\"method\":\"image.load\",\"params\":{\"url\":\"http://origin.test/\(id)\",\"deadline\":600}}\n"
        }
        text += #"[{"jsonrpc":"2.0","id":"b","method":"image.load","params":{"url":"http://origin.test/b"}},{"jsonrpc":"2.0","id":"p","method":"system.ping"}]"#
        text += "\n" + #"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"b"}}"# + "\n"
        client.send(Array(text.utf8))
        let coordinator = harness.coordinator
        try await harness.until { coordinator.core.receipts.table.all.count { $0.isAdmitted } == 1024 }
        client.send(Array(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":7}}"#.utf8) + [10])
        let batch = await client.lines(2).first { $0.hasPrefix("[") } ?? ""
        #expect(batch.contains(#""id":"b","error":{"code":1040"#) && batch.contains(#""id":"p","result":"pong""#), "\(batch)")
    }

    @Test func `a client that does not read is closed, and others are not affected`() async throws {
        let harness = try await CoordinatorHarness()
        let deaf = try RawClient(port: await harness.port, reads: false)
        let other = try await harness.client()
        let request = Array(#"{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}"#.utf8) + [10]
        async let isCut: Bool = {
            // The loop ends when the connection is closed, because sending fails then.
            while deaf.send(request) {}
            return true
        }()
        #expect(try await other.call("system.ping").result?.string == "pong")
        #expect(await isCut)
        #expect(await harness.coordinator.core.process.metrics.value(.rpcCuts, labels: "slow") == 1)
        #expect(try await other.call("system.ping").result?.string == "pong")
    }

    @Test func `a client that reads is not closed, however much it requests at once`() async throws {
        let harness = try await CoordinatorHarness()
        let size = try await harness.client().call("rpc.discover")
        let length = (size.result ?? [:]).bytes().count
        let count = (20 << 20) / max(1, length) + 1
        let client = try RawClient(port: await harness.port)
        let request = Array(#"{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}"#.utf8) + [10]
        client.send(Array(repeatElement(request, count: count).joined()))
        #expect(await client.lines(count).count == count)
        #expect(await harness.coordinator.core.process.metrics.value(.rpcCuts, labels: "slow") == 0)
    }

    /// Requests one large picture from memory this many times. Without turns, all answers would be made at the same moment.
    private func asking(_ count: Int, _ harness: CoordinatorHarness, of client: RawClient) async throws {
        let params = #"{"url":"http://origin.test/large","deliver":"inline","deadline":100}"#
        let first = try await harness.client()
        async let loaded = first.call("image.load", params)
        try await harness.worker.succeed(try await harness.worker.claim(), bytes: [UInt8](repeating: 7, count: ResultDelivery.inlineLimit))
        #expect(try await loaded.error == nil)
        // The requests are sent in one piece: after the first answer is written, no request is taken while that answer waits for the client.
        let requests = (0..<count).map { #"{"jsonrpc":"2.0","id":\#($0),"method":"image.load","params":\#(params)}"# + "\n" }
        client.send(Array(requests.joined().utf8))
    }

    @Test func `a client that reads gets all large answers that it requests at once`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try RawClient(port: await harness.port)
        try await asking(8, harness, of: client)
        let lines = await client.lines(8)
        #expect(lines.count == 8 && lines.allSatisfy { $0.utf8.count > 11_000_000 && $0.hasSuffix("}") }, "\(lines.map { $0.suffix(100) })")
        #expect(await harness.coordinator.core.process.metrics.value(.rpcCuts, labels: "slow") == 0)
    }

    @Test func `a client that does not read its large answers is closed with all its waiting answers`() async throws {
        let harness = try await CoordinatorHarness()
        let coordinator = harness.coordinator
        let deaf = try RawClient(port: await harness.port, reads: false)
        try await asking(8, harness, of: deaf)
        try await harness.until { coordinator.core.process.metrics.value(.rpcCuts, labels: "slow") == 1 }
        try await harness.until {
            coordinator.core.receipts.table.count == 0 && coordinator.core.process.metrics.value(.rpcRequests, labels: "image.load", "ok") == 9
        }
    }

    @Test func `a client that reads slowly gets every answer`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try RawClient(port: await harness.port, reads: false)
        let size = try await harness.client().call("rpc.discover")
        let length = (size.result ?? [:]).bytes().count
        let count = (6 << 20) / max(1, length) + 1
        let request = Array(#"{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}"#.utf8) + [10]
        for _ in 0..<count { client.send(request) }
        client.startReading()
        #expect(await client.lines(count).count == count)
        #expect(await harness.coordinator.core.process.metrics.value(.rpcCuts, labels: "slow") == 0)
    }

    @Test func `a client that closes its sending side gets the answers that are ready soon`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try RawClient(port: await harness.port)
        client.send("\(ping)\n")
        client.send(Array(#"{"jsonrpc":"2.0","id":2,"method":"queue.get","params":{"queue":"default"}}"#.utf8) + [10])
        client.send(Array(#"{"jsonrpc":"2.0","id":3,"method":"image.submit","params":{"url":"http://origin.test/a","receipt":"r"}}"#.utf8) + [10])
        client.finishSending()
        let lines = String(decoding: await client.untilClosed(), as: UTF8.self).split(separator: "\n").sorted()
        #expect(lines.count == 3, "\(lines)")
        #expect(lines.contains { $0.contains("\"id\":2,\"result\"") } && lines.contains { $0.contains("\"receipt\":\"r\"") })
    }

    @Test func `an image is canceled when its only client closes the sending side, and the client is told`() async throws {
        let harness = try await CoordinatorHarness()
        let coordinator = harness.coordinator
        let client = try RawClient(port: await harness.port)
        client.send(Array(#"{"jsonrpc":"2.0","id":1,"method":"image.load","params":{"url":"http://origin.test/a"}}"#.utf8) + [10])
        try await harness.until { coordinator.core.receipts.table.all.contains { $0.isAdmitted } }
        client.finishSending()
        let answer = String(decoding: await client.untilClosed(), as: UTF8.self)
        #expect(answer.contains("\"id\":1,\"error\"") && answer.contains("1040") && answer.contains("disconnected"), "\(answer)")
        try await harness.until { try await harness.worker.queue.info()?.queued == 0 }
    }
}

/// Checks a value in every turn of the loop.
@Loop private final class TurnWatch {
    private var seen: Set<Double> = []
    private var isOver = false
    private let figure: @Loop () -> Double

    init(_ figure: @escaping @Loop () -> Double) {
        self.figure = figure
        look()
    }

    private func look() {
        seen.insert(figure())
        Loop.execute { [weak self] in if let self, !isOver { look() } }
    }

    func end() -> Set<Double> {
        isOver = true
        return seen
    }
}
