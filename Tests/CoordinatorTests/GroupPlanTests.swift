import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Coordinator
@testable import TintypeGroups

/// The next requests of a group, and its end.
@Suite(.tags(.optimized), .timeLimit(.minutes(1))) struct GroupPlanTests {
    private func plan(
        _ kind: GroupRecord.Kind = .batch, total: Int, concurrency: Int = 2, begun: [Int] = [], ended: [Int] = [],
        state: GroupRecord.State = .running
    ) -> GroupPlan {
        var plan = GroupPlan()
        plan.take(Self.record(kind, total: total, concurrency: concurrency, begun: begun, ended: ended, state: state))
        return plan
    }

    static func record(
        _ kind: GroupRecord.Kind, total: Int, concurrency: Int = 2, begun: [Int] = [], ended: [Int] = [], state: GroupRecord.State = .running
    ) -> GroupRecord {
        var record = GroupRecord(id: "g", kind: kind)
        (record.state, record.total, record.concurrency, record.finished, record.readTo) = (state, total, concurrency, ended.count, total)
        record.ended = Set(ended)
        for index in begun { record.begun[index] = .init(queue: "default", receipt: "g.\(index)") }
        for index in ended { record.outcomes[index] = ["state": "succeeded", "result": ["source": ["finalURL": .string("http://a/\(index)")]]] }
        for index in 0..<total where !ended.contains(index) { record.requests[index] = ["url": .string("http://a/\(index)")] }
        return record
    }

    static let beginnings: [(total: Int, concurrency: Int, begun: [Int], ended: [Int], next: [Int])] = [
        (5, 2, [], [], [0, 1]), (5, 9, [], [], [0, 1, 2, 3, 4]), (0, 3, [], [], []), (3, 2, [], [0, 2], [1]),
        // Requests that the previous coordinator started come first, because they may have ended.
        (5, 2, [3], [0], [3, 1]), (5, 3, [1, 2], [0, 4], [1, 2, 3]),
    ]

    @Test(arguments: beginnings)
    func `as many items start as may run, in order`(total: Int, concurrency: Int, begun: [Int], ended: [Int], next: [Int]) {
        var plan = plan(total: total, concurrency: concurrency, begun: begun, ended: ended)
        #expect(plan.next() == next)
        #expect(plan.next() == [])
    }

    @Test func `each end lets the next item start`() {
        var plan = plan(total: 4)
        #expect(plan.next() == [0, 1])
        plan.ended(1, nil, state: .running, total: 4)
        #expect(plan.next() == [2])
        plan.ended(1, nil, state: .running, total: 4)
        #expect(plan.next() == [])
        plan.ended(0, nil, state: .running, total: 4)
        plan.ended(2, nil, state: .running, total: 4)
        #expect(plan.next() == [3])
        plan.ended(3, nil, state: .succeeded, total: 4)
        #expect(plan.isOver && plan.next() == [])
    }

    @Test(arguments: [GroupRecord.State.succeeded, .failed, .cancelled])
    func `no item of an ended group starts`(state: GroupRecord.State) {
        var loaded = plan(total: 3, state: state)
        #expect(loaded.isOver && loaded.next() == [])
        var running = plan(total: 3, concurrency: 1)
        #expect(running.next() == [0])
        running.ended(0, nil, state: state, total: 3)
        #expect(running.isOver && running.next() == [])
        var ended = plan(total: 3, concurrency: 1)
        ended.end()
        #expect(ended.next() == [])
    }

    private func came(_ index: Int) -> JSON { ["source": ["finalURL": .string("http://a/\(index)")]] }

    @Test func `a chain runs one step at a time, and each step knows the earlier results`() throws {
        var plan = GroupPlan()
        var record = Self.record(.chain, total: 3, concurrency: 9, ended: [0])
        record.requests[1] = ["url": "${steps[0].source.finalURL}?1"]
        record.requests[2] = ["url": "${steps[1].source.finalURL}"]
        plan.take(record)
        #expect(plan.next() == [1])
        // Another coordinator drove the first step, so its result must be read.
        #expect(plan.unknownSteps(of: 1) == [0])
        #expect(try plan.request(1, [0: came(0)]) == ["url": "http://a/0?1"])
        plan.ended(1, ["source": ["finalURL": "http://b/"]], state: .running, total: 3)
        #expect(plan.next() == [2] && plan.unknownSteps(of: 2).isEmpty)
        #expect(try plan.request(2) == ["url": "http://b/"])
    }

    @Test func `the results of the last steps are remembered, and others are read`() throws {
        var plan = GroupPlan()
        var record = Self.record(.chain, total: 30)
        record.requests[29] = ["url": "${steps[28].source.finalURL}", "userInfo": ["${steps[3].source.finalURL}", "${steps[29].x}"]]
        plan.take(record)
        for index in 0..<29 {
            #expect(plan.next() == [index])
            plan.ended(index, came(index), state: .running, total: 30)
        }
        #expect(plan.next() == [29] && plan.unknownSteps(of: 29) == [3])
        record.requests[29] = ["url": "${steps[28].source.finalURL}", "userInfo": ["${steps[3].source.finalURL}"]]
        plan.take(record)
        #expect(try plan.request(29, [3: came(3)]) == ["url": "http://a/28", "userInfo": ["http://a/3"]])
    }

    @Test func `a group that is read in pages starts when all pages are read`() {
        var plan = GroupPlan()
        var record = Self.record(.batch, total: 5, concurrency: 3, begun: [4], ended: [1])
        record.readTo = 2
        record.requests = record.requests.filter { $0.key < 2 }
        record.ended = [1]
        plan.take(record)
        #expect(plan.isIncomplete && plan.known == 2)
        record = Self.record(.batch, total: 5, concurrency: 3, begun: [4])
        record.requests = record.requests.filter { $0.key >= 2 }
        plan.take(record, from: 2)
        #expect(!plan.isIncomplete && plan.next() == [4, 0, 2])
    }

    @Test func `added steps are read once`() {
        var plan = plan(.chain, total: 1)
        #expect(plan.next() == [0] && !plan.isIncomplete)
        plan.ended(0, [:], state: .running, total: 3)
        #expect(plan.isIncomplete && plan.known == 1 && plan.next() == [])
        var added = Self.record(.chain, total: 3)
        added.requests[0] = nil
        plan.take(added, from: 1)
        #expect(!plan.isIncomplete && plan.next() == [1])
    }

    @Test func `running items go on when the group is read again`() {
        var plan = plan(total: 3)
        #expect(plan.next() == [0, 1])
        plan.take(Self.record(.batch, total: 3, begun: [0, 1]))
        #expect(plan.next() == [])
        plan.ended(0, nil, state: .running, total: 3)
        #expect(plan.next() == [2])
    }

    @Test func `earlier and new outcomes count against the limit`() {
        var plan = GroupPlan()
        var record = Self.record(.batch, total: 3, ended: [0])
        record.size = GroupView.maxNoted - 10
        plan.take(record)
        #expect(plan.room == 10)
        plan.note(["a": 1])
        #expect(plan.room == 3)
        plan.note(["a": "bcd"])
        #expect(plan.room == 0)
    }

    static let refusals: [(name: ErrorName, details: JSONObject, tries: Int, seconds: ClosedRange<Double>?)] = [
        (.overloaded, ["retryAfter": 2], 0, 2...3), (.overloaded, ["retryAfter": 2], 9, 2...3), (.unavailable, ["retryAfter": 900], 0, 900...1350),
        (.overloaded, ["retryAfter": 0.01], 0, 0.1...0.1 * 1.5), (.overloaded, [:], 0, 0.5...0.75), (.unavailable, [:], 3, 4...6),
        (.overloaded, [:], 99, 30...45),
        (.denied, [:], 0, nil), (.invalidURL, [:], 0, nil), (.unknownQueue, [:], 0, nil), (.dns, ["retryAfter": 1], 0, nil),
    ]

    @Test(arguments: refusals)
    func `a full queue is retried, and other refusals fail the item`(name: ErrorName, details: JSONObject, tries: Int, seconds: ClosedRange<Double>?) {
        let error = TintypeError(name, .queue, "no", details: details)
        #expect(GroupDriver.waitingTime(after: error, tries: tries, jitter: 0) == seconds?.lowerBound)
        #expect(GroupDriver.waitingTime(after: error, tries: tries, jitter: 1) == seconds?.upperBound)
    }
}
