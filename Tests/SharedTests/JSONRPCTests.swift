import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@Suite(.tags(.optimized), .timeLimit(.minutes(1))) struct JSONRPCTests {
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
            (#"{"jsonrpc":"2.0","id":12345678901234567890,"method":"m"}"#, nil, .invalidRequest),
            (#"{"jsonrpc":"2.0","id":1,"method":"m","params":7}"#, 1, .invalidRequest), (#"{"jsonrpc":"2.0","id":1,"result":7}"#, 1, .invalidRequest),
        ] as [(String, JSON, ErrorName)])
    func `A message that is no request is answered under its id if it has one`(text: String, id: JSON, name: ErrorName) throws {
        guard case .single(.invalid(let found, let error)) = RPCMessage.read(text.utf8) else {
            Issue.record("\(text) was taken")
            return
        }
        #expect(found == id && error.name == name && !error.message.isEmpty)
    }

    @Test func `A message of sixty-five levels is refused`() {
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

    @Test(arguments: ["1", #"{"jsonrpc":"2.0","id":1,"method":"image.load"}"#]) func `A batch over the limit is refused by one error`(member: String) {
        func read(_ count: Int) -> RPCMessage.Content { RPCMessage.read("[\(repeatElement(member, count: count).joined(separator: ","))]".utf8) }
        guard case .batch(let members) = read(1024), members.count == 1024 else {
            Issue.record("1,024 members were refused")
            return
        }
        guard case .single(.invalid(.null, let error)) = read(1025) else {
            Issue.record("1,025 members were taken")
            return
        }
        #expect(error.name == .invalidRequest && error.message.contains("1024"), "\(error.message)")
    }

    @Test func `Answers are JSON-RPC`() throws {
        func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
        #expect(text(RPCAnswer.notification("image.event", params: Array("{}".utf8))) == #"{"jsonrpc":"2.0","method":"image.event","params":{}}"#)
        let failure = try JSON(parsing: RPCAnswer.failure(id: nil, TintypeError(.parseError, .admission, "no\n")))
        #expect(failure["id"] == .some(.null) && failure["error"]?["code"] == -32700 && failure["error"]?["data"]?["name"] == "parseError")
        #expect(failure["error"]?["message"] == "no\n" && failure["result"] == nil)
    }
}
