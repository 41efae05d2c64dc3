import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import Testing

@testable import Coordinator

/// Waiting messages are taken in order, once, whatever is canceled meanwhile.
@Suite(.timeLimit(.minutes(1))) struct WaitingListTests {
    private let error = TintypeError(.cancelled, .admission, "withdrawn")

    private func request(_ id: Int) -> RPCMessage { .request(id: JSON(id), method: "m", params: nil) }

    private func ids(_ content: RPCMessage.Content?) -> [String] {
        func id(_ message: RPCMessage) -> String {
            switch message {
            case .request(let id, _, _): id.text
            case .invalid(let id, let error): "\(id.text) \(error.message)"
            case .notification: "-"
            }
        }
        return switch content {
        case .single(let message): [id(message)]
        case .batch(let messages): messages.map(id)
        case nil: []
        }
    }

    @Test(arguments: [
        (single: 2, batch: 0, bytes: 2, counted: 256), (single: 2, batch: 0, bytes: 300, counted: 300), (single: 0, batch: 10, bytes: 21, counted: 2560),
        (single: 0, batch: 10, bytes: 4000, counted: 4000),
    ])
    func `a waiting message counts its cost, not only its bytes`(single: Int, batch: Int, bytes: Int, counted: Int) {
        var list = WaitingList()
        #expect(list.isEmpty && list.bytes == 0)
        list.append(batch > 0 ? .batch((0..<batch).map(request)) : .single(request(single)), bytes: bytes)
        #expect(!list.isEmpty && list.bytes == counted)
        let (first, second) = (list.popFirst(), list.popFirst())
        #expect(first != nil && second == nil && list.isEmpty && list.bytes == 0)
    }

    @Test(arguments: [
        (withdrawn: 1, isAlone: true, left: [["2", "3"], ["4"], ["3"]]), (4, true, [["1"], ["2", "3"], ["3"]]),
        (2, false, [["1"], ["2 withdrawn", "3"], ["4"], ["3"]]), (9, false, [["1"], ["2", "3"], ["4"], ["3"]]),
        // A single request is preferred to a member of the same id.
        (3, true, [["1"], ["2", "3"], ["4"]]),
    ])
    func `a canceled single request is removed, and a member of a batch is answered in its place`(withdrawn: Int, isAlone: Bool, left: [[String]]) {
        var list = WaitingList()
        for content in [.single(request(1)), .batch([request(2), request(3)]), .single(request(4)), .single(request(3))] as [RPCMessage.Content] {
            list.append(content, bytes: 10)
        }
        let found = list.withdraw(JSON(withdrawn), with: error)
        #expect(found == isAlone)
        #expect(list.bytes == (isAlone ? 4 : 5) * WaitingList.least)
        var rest: [[String]] = []
        while let next = list.popFirst() { rest.append(ids(next)) }
        #expect(rest == left && list.isEmpty)
    }

    @Test func `many requests pass in order while others arrive or are canceled`() {
        var list = WaitingList()
        var (expected, found): ([String], [String]) = ([], [])
        for id in 0..<20_000 {
            list.append(.single(request(id)), bytes: 2)
            if id % 7 == 3 {
                // One of the last requests is canceled, so that those before it stay.
                let isAlone = list.withdraw(JSON(id), with: error)
                #expect(isAlone)
            } else {
                expected.append("\(id)")
            }
            if id % 3 != 0 { found += ids(list.popFirst()) }
        }
        while let next = list.popFirst() { found += ids(next) }
        #expect(found == expected && list.bytes == 0)
        let isLate = list.withdraw(5, with: error)
        #expect(!isLate)
    }
}
