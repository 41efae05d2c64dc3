import Shared
import Testing

@Suite(.timeLimit(.minutes(1))) struct JSONRPCTests {
    @Test(arguments: [
        (#"{"jsonrpc":"2.0","id":1,"method":"m"}"#, RPCMessage.request(id: 1, method: "m", params: nil)),
        (#"{"jsonrpc":"2.0","id":"x","method":"m","params":{"a":1}}"#, .request(id: "x", method: "m", params: ["a": 1])),
        (#"{"jsonrpc":"2.0","id":null,"method":"m","params":[1]}"#, .request(id: nil, method: "m", params: [1])),
        (#"{"jsonrpc":"2.0","id":1.5,"method":"m"}"#, .request(id: 1.5, method: "m", params: nil)),
        (#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"#, .notification(method: "$/cancelRequest", params: ["id": 1])),
    ])
    func `A message is a request with an id or a notification`(text: String, message: RPCMessage) {
        #expect(RPCMessage.read(text.utf8) == .single(message))
    }

    @Test(
        arguments: [
            ("{", JSON.null, ErrorName.parseError), ("{]", nil, .parseError), ("", nil, .parseError), (#"{"a":1} {"#, nil, .parseError),
            ("[]", nil, .invalidRequest),
            ("1", nil, .invalidRequest), ("\"x\"", nil, .invalidRequest), ("{}", nil, .invalidRequest), (#"{"id":1,"method":"m"}"#, 1, .invalidRequest),
            (#"{"jsonrpc":"1.0","id":1,"method":"m"}"#, 1, .invalidRequest), (#"{"jsonrpc":2.0,"id":1,"method":"m"}"#, 1, .invalidRequest),
            (#"{"jsonrpc":"2.0","id":1}"#, 1, .invalidRequest), (#"{"jsonrpc":"2.0","id":"a","method":7}"#, "a", .invalidRequest),
            (#"{"jsonrpc":"2.0","id":{},"method":"m"}"#, nil, .invalidRequest), (#"{"jsonrpc":"2.0","id":true,"method":"m"}"#, nil, .invalidRequest),
            (#"{"jsonrpc":"2.0","id":1,"method":"m","params":7}"#, 1, .invalidRequest), (#"{"jsonrpc":"2.0","id":1,"result":7}"#, 1, .invalidRequest),
        ] as [(String, JSON, ErrorName)])
    func `What is no request is answered under its id if it has one`(text: String, id: JSON, name: ErrorName) throws {
        guard case .single(.invalid(let found, let error)) = RPCMessage.read(text.utf8) else {
            Issue.record("\(text) was taken")
            return
        }
        #expect(found == id && error.name == name && !error.message.isEmpty)
    }

    @Test func `Sixty-five levels are no message`() {
        func message(_ levels: Int) -> String {
            #"{"jsonrpc":"2.0","id":1,"method":"m","params":"# + String(repeating: "[", count: levels - 1) + String(repeating: "]", count: levels - 1) + "}"
        }
        guard case .single(.request) = RPCMessage.read(message(64).utf8) else {
            Issue.record("64 levels were refused")
            return
        }
        guard case .single(.invalid(.null, let error)) = RPCMessage.read(message(65).utf8) else {
            Issue.record("65 levels were taken")
            return
        }
        #expect(error.name == .parseError)
    }

    @Test func `A batch is read member by member`() {
        guard case .batch(let members) = RPCMessage.read(#"[{"jsonrpc":"2.0","id":1,"method":"a"},7,{"jsonrpc":"2.0","method":"b"}]"#.utf8) else {
            Issue.record("no batch")
            return
        }
        #expect(members.count == 3 && members[0] == .request(id: 1, method: "a", params: nil) && members[2] == .notification(method: "b", params: nil))
        guard case .invalid(.null, let error) = members[1] else {
            Issue.record("7 was taken")
            return
        }
        #expect(error.name == .invalidRequest)
    }

    @Test func `Answers are JSON-RPC`() throws {
        func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
        #expect(text(RPCAnswer.success(id: "a\"", result: Array("[1]".utf8))) == #"{"jsonrpc":"2.0","id":"a\"","result":[1]}"#)
        #expect(text(RPCAnswer.notification("image.event", params: Array("{}".utf8))) == #"{"jsonrpc":"2.0","method":"image.event","params":{}}"#)
        let failure = try JSON(parsing: RPCAnswer.failure(id: nil, TintypeError(.parseError, .admission, "no\n")))
        #expect(failure["id"] == .some(.null) && failure["error"]?["code"] == -32700 && failure["error"]?["data"]?["name"] == "parseError")
        #expect(failure["error"]?["message"] == "no\n" && failure["result"] == nil)
    }

    // MARK: Outstanding

    @Test func `A request is answered once`() {
        var outstanding = Outstanding()
        let one = outstanding.begin(id: 1)
        let other = outstanding.begin(id: "1")
        #expect(outstanding.count == 2 && outstanding.ticket(of: 1) == one && outstanding.ticket(of: "1") == other && outstanding.ticket(of: 2) == nil)
        #expect(outstanding.end(one, with: [1]) == [1])
        #expect(outstanding.end(one, with: [2]) == nil)
        #expect(outstanding.count == 1 && outstanding.ticket(of: 1) == nil && outstanding.id(of: one) == nil && outstanding.id(of: other) == "1")
    }

    @Test func `Two requests of one id are two requests`() {
        var outstanding = Outstanding()
        let one = outstanding.begin(id: 7)
        let other = outstanding.begin(id: 7)
        #expect(outstanding.ticket(of: 7) == one)
        #expect(outstanding.end(one, with: [1]) == [1])
        #expect(outstanding.ticket(of: 7) == other)
        #expect(outstanding.end(other, with: [2]) == [2])
    }

    @Test func `A batch is one array when its last member has ended`() {
        var outstanding = Outstanding()
        let batch = outstanding.beginBatch(of: 3)
        let tickets = (1...3).map { outstanding.begin(id: JSON($0), batch: batch) }
        let single = outstanding.begin(id: 1)
        #expect(outstanding.count == 4)
        #expect(outstanding.end(tickets[2], with: Array("3".utf8)) == nil)
        #expect(outstanding.end(single, with: Array("0".utf8)) == Array("0".utf8))
        #expect(outstanding.end(tickets[0], with: Array("1".utf8)) == nil)
        #expect(outstanding.end(tickets[0], with: Array("1".utf8)) == nil)
        #expect(outstanding.end(tickets[1], with: Array("2".utf8)) == Array("[3,1,2]".utf8))
        #expect(outstanding.count == 0)
    }

    @Test func `Whatever the order, every request is answered exactly once`() throws {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<200 {
            var outstanding = Outstanding()
            var open: [(ticket: Outstanding.Ticket, id: Int)] = []
            var expected: Set<Int> = []
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let size = Int.random(in: 1...5, using: &random)
                let batch = Bool.random(using: &random) ? outstanding.beginBatch(of: size) : nil
                for _ in 0..<size {
                    open.append((outstanding.begin(id: JSON(expected.count), batch: batch), expected.count))
                    expected.insert(expected.count)
                }
            }
            open.shuffle(using: &random)
            var answered: [Int] = []
            for (ticket, id) in open {
                for _ in 0..<2 {
                    guard let bytes = outstanding.end(ticket, with: JSON(id).bytes()) else { continue }
                    let json = try JSON(parsing: bytes)
                    answered += (json.array ?? [json]).compactMap(\.int)
                }
            }
            #expect(answered.sorted() == expected.sorted() && outstanding.count == 0)
        }
    }
}
