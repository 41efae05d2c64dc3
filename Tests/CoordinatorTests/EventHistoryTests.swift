import TintypeCore
import TintypeTransport
import Testing

@testable import Coordinator
@testable import TintypeStreams

/// The parts of streams that need no connection: their questions, messages, texts and histories.
@Suite(.timeLimit(.minutes(1))) struct EventHistoryTests {
    private func event(_ number: Int, size: Int = 2) -> StreamEvent {
        StreamEvent(id: "\(number)", type: "progress", data: String(repeating: "1", count: size), number: number)
    }

    @Test func `a client gets exactly the events behind its place`() {
        var history = EventHistory(start: "3")
        for number in 4...6 { history.append(event(number)) }
        #expect(history.events(after: "3")?.map(\.id) == ["4", "5", "6"])
        #expect(history.events(after: "5")?.map(\.id) == ["6"])
        #expect(history.events(after: "6")?.isEmpty == true && history.position == "6")
        #expect(history.events(after: "2") == nil && history.events(after: "7") == nil)
    }

    @Test func `a full history moves its begin, and keeps the newest event whatever its length`() {
        var history = EventHistory(start: "0")
        for number in 1...(EventHistory.most + 10) { history.append(event(number)) }
        #expect(history.events.count == EventHistory.most && history.start == "10")
        #expect(history.events(after: "10")?.count == EventHistory.most && history.events(after: "9") == nil)
        history.append(event(1000, size: EventHistory.mostBytes + 1))
        #expect(history.events.map(\.id) == ["1000"] && history.start == "\(EventHistory.most + 10)")
    }

    static let questions: [(query: [String: String], header: String?, path: String?)] = [
        (["receipt": "r"], nil, nil), (["queue": "default"], nil, nil), (["receipt": "r", "lastEventId": "7"], nil, nil), (["receipt": "r"], "0", nil),
        (["receipt": "r", "lastEventId": "7"], "8", nil), (["queue": "default"], "r:3", nil), (["receipt": "r"], "", nil),
        (["receipt": "r", "lastEventId": ""], nil, nil), ([:], nil, "receipt"), (["receipt": "r", "queue": "q"], nil, "queue"),
        (["receipt": "a b"], nil, "receipt"), (["receipt": ""], nil, "receipt"), (["queue": "a/b"], nil, "queue"), (["recept": "r"], nil, "recept"),
        (["receipt": "r", "lastEventId": "x"], nil, "lastEventId"), (["receipt": "r"], "-1", "Last-Event-ID"), (["receipt": "r"], "1.0", "Last-Event-ID"),
        (["receipt": "r"], "99999999999999999999", "Last-Event-ID"), (["receipt": "r", "lastEventId": String(repeating: "1", count: 300)], nil, "lastEventId"),
    ]

    @Test(arguments: questions)
    func `a wrong parameter is named`(query: [String: String], header: String?, path: String?) {
        do throws(TintypeError) {
            let question = try EventQuestion(query, header: header)
            #expect(path == nil && question.lastEventID == [header ?? query["lastEventId"] ?? ""].first { !$0.isEmpty })
        } catch {
            #expect(error.name == .invalidParams && error.details["path"]?.string == path, "\(error)")
        }
    }

    static let foreign = [
        "", "[]", "{}", #"{"receipt":"r","type":"queued"}"#, #"{"receipt":"r","seq":0,"type":"queued"}"#, #"{"receipt":"s","seq":1,"type":"queued"}"#,
        #"{"receipt":"r","seq":1,"type":"a\nb"}"#, #"{"receipt":"r","seq":1,"type":""}"#, #"{"receipt":"r","seq":"1","type":"queued"}"#,
    ]

    @Test(arguments: foreign)
    func `a message that is no event of the receipt is dropped`(text: String) {
        #expect(StreamEvent(Array(text.utf8), of: .receipt("r", queue: "default")) == nil)
    }

    @Test func `an event is written as one line, even if its text has several`() throws {
        let text = "{\"receipt\":\"r\",\r\n\"seq\":4,\"type\":\"failed\"}\n"
        let event = try #require(StreamEvent(Array(text.utf8), of: .receipt("r", queue: "default")))
        #expect(event.isLast)
        let lines = { (event: StreamEvent) in String(decoding: EventText.bytes(of: event), as: UTF8.self) }
        #expect(lines(event) == "id: 4\nevent: failed\ndata: {\"receipt\":\"r\",\"seq\":4,\"type\":\"failed\"}\n\n")
        #expect(lines(.gap(after: "3")) == "event: gap\ndata: {\"lastEventId\":\"3\"}\n\n")
    }
}
