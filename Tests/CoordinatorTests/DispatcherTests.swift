import TintypeContracts
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Coordinator

/// Every request is answered exactly once.
@Suite(.timeLimit(.minutes(1)), .scoped) @Loop struct DispatcherTests {
    /// A method that does what the test tells it to.
    private struct Method: RPCMethod {
        let name: String
        let body: @Loop (Call, JSON) throws(TintypeError) -> Void
        func begin(_ call: Call, _ params: JSON) throws(TintypeError) { try body(call, params) }
    }

    private final class Sink: AnswerSink {
        var answers: [String] = []
        func answered(_ response: [UInt8]) { answers.append(String(decoding: response, as: UTF8.self)) }
    }

    private func description(_ name: String) -> MethodDescription { MethodCatalog.method(name)! }

    private func dispatcher(_ methods: [Method]) throws -> Dispatcher {
        try Dispatcher(methods, catalog: methods.map { description($0.name) }, access: .open, metrics: Metrics())
    }

    private let session = Session(peer: "test", ownsReceipts: true, send: nil)

    private func take(_ dispatcher: Dispatcher, _ text: String) -> Sink {
        let sink = Sink()
        dispatcher.take(RPCMessage.read(Array(text.utf8)), from: session, to: sink)
        return sink
    }

    @Test func `the coordinator does not start when methods and descriptions differ`() {
        let ping = Method(name: "system.ping") { call, _ in call.succeed("pong") }
        let stray = Method(name: "system.stray") { call, _ in call.succeed(.null) }
        #expect(throws: MethodMismatch(undescribed: ["system.stray"], unhandled: ["system.info"])) {
            try Dispatcher([ping, stray], catalog: [description("system.ping"), description("system.info")], access: .open, metrics: Metrics())
        }
    }

    @Test func `a call has a place in a trace if its client or its HTTP request names one`() throws {
        var contexts: [String?] = []
        let dispatcher = try dispatcher([
            Method(name: "system.ping") { call, params in
                #expect(params.object?["_meta"] == nil && TraceContext.current == call.trace?.context)
                contexts.append(call.trace?.context.parent)
                call.succeed("pong")
            }
        ])
        let (own, outer) = ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
        for session in [Session(peer: "test", ownsReceipts: true, send: nil), Session(peer: "http", ownsReceipts: false, send: nil)] {
            if !session.ownsReceipts { session.trace = TraceContext(parent: outer) }
            for params in ["", #","params":{"_meta":{}}"#, #","params":{"_meta":{"traceparent":"\#(own)"}}"#] {
                let message = #"{"jsonrpc":"2.0","id":1,"method":"system.ping"\#(params)}"#
                dispatcher.take(RPCMessage.read(Array(message.utf8)), from: session, to: Sink())
            }
        }
        #expect(contexts == [nil, nil, own, outer, outer, own])
    }

    @Test func `an answer given twice is sent once`() throws {
        let dispatcher = try dispatcher([
            Method(name: "system.ping") { call, _ in
                call.succeed("pong")
                call.succeed("again")
                call.fail(TintypeError(.internalError, .deliver, "late"))
            }
        ])
        #expect(take(dispatcher, #"{"jsonrpc":"2.0","id":"a","method":"system.ping"}"#).answers == [#"{"jsonrpc":"2.0","id":"a","result":"pong"}"#])
        #expect(dispatcher.inFlight == 0 && session.callsInFlight == 0)
    }

    @Test func `a thrown error is the answer`() throws {
        let dispatcher = try dispatcher([Method(name: "system.ping") { _, _ throws(TintypeError) in throw TintypeError(.unavailable, .queue, "no") }])
        #expect(take(dispatcher, #"{"jsonrpc":"2.0","id":1,"method":"system.ping"}"#).answers.first?.contains("1054") == true)
    }

    @Test func `a notification ends without an answer`() throws {
        let dispatcher = try dispatcher([Method(name: "system.ping") { call, _ in call.succeed("pong") }])
        #expect(take(dispatcher, #"{"jsonrpc":"2.0","method":"system.ping"}"#).answers == [""])
        #expect(take(dispatcher, #"{"jsonrpc":"2.0","method":"no.such"}"#).answers == [""])
    }

    @Test func `a batch is answered as one array after its last member`() throws {
        var pending: [Call] = []
        let dispatcher = try dispatcher([Method(name: "system.ping") { call, _ in pending.append(call) }])
        let sink = take(
            dispatcher,
            #"[{"jsonrpc":"2.0","id":1,"method":"system.ping"},{"jsonrpc":"2.0","method":"system.ping"},5,{"jsonrpc":"2.0","id":2,"method":"system.ping"}]"#)
        #expect(sink.answers.isEmpty && dispatcher.inFlight == 3)
        pending[2].succeed("two")
        pending[1].succeed("nothing")
        #expect(sink.answers.isEmpty)
        pending[0].succeed("one")
        #expect(sink.answers.count == 1)
        let array = try JSON(parsing: sink.answers[0]).array ?? []
        #expect(array.map { $0["id"] } == [.null, 2, 1])
        #expect(take(dispatcher, #"[{"jsonrpc":"2.0","method":"no.such"}]"#).answers == [""])
    }

    nonisolated static let errors: [(text: String, code: Int)] = [
        (#"{"jsonrpc":"2.0","id":1,"method":"no.such"}"#, -32601), (#"{"jsonrpc":"2.0","id":1,"method":"system.ping","params":[1]}"#, -32602),
        (#"{"jsonrpc":"2.0","id":1,"method":"system.ping","params":{"x":1}}"#, -32602), (#"{"id":1,"method":"system.ping"}"#, -32600),
        (#"{"jsonrpc":"2.0","id":1}"#, -32600), (#"[]"#, -32600), (#"{"#, -32700), (#"7"#, -32600),
    ]

    @Test(arguments: errors)
    func `an invalid request gets a standard error`(text: String, code: Int) throws {
        let dispatcher = try dispatcher([Method(name: "system.ping") { call, _ in call.succeed("pong") }])
        let sink = take(dispatcher, text)
        #expect(sink.answers.count == 1)
        let error = try JSON(parsing: sink.answers[0])["error"]
        #expect(error?["code"]?.int == code && error?["data"]?["name"]?.string != nil)
    }

    @Test func `a canceled request is answered at once, and its later answer is dropped`() throws {
        var pending: [Call] = []
        let dispatcher = try dispatcher([Method(name: "system.ping") { call, _ in pending.append(call) }])
        let sink = take(dispatcher, #"{"jsonrpc":"2.0","id":9,"method":"system.ping"}"#)
        session.cancel(8)
        #expect(sink.answers.isEmpty)
        session.cancel(9)
        #expect(sink.answers.count == 1 && sink.answers[0].contains("1040"))
        pending[0].succeed("late")
        #expect(sink.answers.count == 1)
    }

    @Test func `only image.load counts for the objective, once, and a client that leaves at once does not`() throws {
        var pending: [Call] = []
        let metrics = Metrics()
        let methods = ["image.load", "image.submit"].map { Method(name: $0) { call, _ in pending.append(call) } }
        let dispatcher = try Dispatcher(methods, catalog: methods.map { description($0.name) }, access: .open, metrics: metrics)
        func begin(_ method: String) -> Call {
            _ = take(dispatcher, #"{"jsonrpc":"2.0","id":\#(pending.count),"method":"\#(method)","params":{"url":"http://a.test/"}}"#)
            return pending[pending.count - 1]
        }
        func counts() -> [Double] { ObjectiveVerdict.allCases.map { metrics.value(.objective, labels: "load", $0.rawValue) } }
        begin("image.load").succeed("picture")
        #expect(counts() == [1, 0, 0])
        begin("image.load").fail(TintypeError(.httpStatus, .download, "404"))
        #expect(counts() == [2, 0, 0])
        let refused = begin("image.load")
        refused.fail(TintypeError(.overloaded, .queue, "full"))
        refused.fail(TintypeError(.overloaded, .queue, "again"))
        #expect(counts() == [2, 0, 1])
        begin("image.load").abandon()
        begin("image.load").cancel()
        begin("image.submit").fail(TintypeError(.overloaded, .queue, "full"))
        #expect(counts() == [2, 0, 1] && dispatcher.inFlight == 0)
    }
}
