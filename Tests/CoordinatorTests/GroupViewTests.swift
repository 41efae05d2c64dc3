import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import Testing

@testable import Coordinator
@testable import TintypeGroups

/// The form in which clients see groups.
@Suite(.timeLimit(.minutes(1))) struct GroupViewTests {
    private static let failure = TintypeError(.httpStatus, .download, "404").json

    private func record(_ kind: GroupRecord.Kind, _ state: GroupRecord.State, failing: [Int] = [], ended: [Int], total: Int = 4) -> GroupRecord {
        var record = GroupPlanTests.record(kind, total: total, ended: ended, state: state)
        for index in failing { record.outcomes[index] = ["state": "failed", "receipt": .string("g.\(index)"), "error": Self.failure] }
        (record.finished, record.failures, record.readTo) = (record.outcomes.count, failing.count, total)
        (record.seq, record.at) = (5, state == .running ? "" : "12.500")
        return record
    }

    @Test func `results are in the order of the requests with the state of each`() {
        var running = record(.batch, .running, ended: [2])
        running.begun = [0: .init(queue: "default", receipt: "g.0")]
        let json = GroupView(running).json
        #expect(json["results"]?.array?.map { $0["state"]?.string } == ["running", "queued", "succeeded", "queued"])
        #expect(json["results"]?.array?.map { $0["index"]?.int } == [0, 1, 2, 3])
        #expect(json["state"] == "running" && json["finished"] == 1 && json["total"] == 4 && json["failed"] == nil && json["skipped"] == nil)
        #expect(json["results"]?[2]?["result"]?["source"] != nil)
    }

    @Test func `a failed group names the item, the error and the canceled items`() {
        var failed = record(.batch, .failed, failing: [1], ended: [0])
        failed.failed = 1
        let json = GroupView(failed).json
        #expect(json["failed"] == ["index": 1, "error": Self.failure])
        #expect(json["results"]?.array?.map { $0["state"]?.string } == ["succeeded", "failed", "cancelled", "cancelled"])
        let event = GroupView(failed).event
        #expect(event["type"] == "failed" && event["failed"]?["index"] == 1 && event["results"] == nil && event["seq"] == 5 && event["at"] == 12.5)
    }

    @Test func `a prefetch counts as SDWebImage's does`() {
        let all = GroupView(record(.prefetch, .succeeded, failing: [1, 3], ended: [0, 2]))
        #expect(all.event["finished"] == 4 && all.event["skipped"] == 2)
        #expect(all.event["errors"] == [["index": 1, "error": Self.failure], ["index": 3, "error": Self.failure]])
        // The answer contains the errors in its results.
        #expect(all.json["skipped"] == 2 && all.json["errors"] == nil && all.json["results"]?[1]?["error"] == Self.failure)
        let cancelled = GroupView(record(.prefetch, .cancelled, failing: [1], ended: [0])).event
        #expect(cancelled["finished"] == 2 && cancelled["skipped"] == 3 && cancelled["results"] == nil)
    }

    @Test(arguments: [(4, true), (1001, false)])
    func `the last event of a batch carries its results, unless there are too many`(total: Int, carries: Bool) {
        let event = GroupView(record(.batch, .succeeded, ended: Array(0..<total), total: total)).event
        #expect((event["results"] != nil) == carries && event["finished"] == JSON(total) && event["type"] == "succeeded")
        #expect(GroupView(record(.batch, .running, ended: [0])).event["type"] == "progress")
    }

    @Test func `the last event has the errors of a prefetch or the results of a batch if they fit`() {
        let long = TintypeError(.httpStatus, .download, String(repeating: "x", count: 100_000)).json
        var prefetch = record(.prefetch, .succeeded, ended: [], total: 200)
        for index in 0..<200 { prefetch.outcomes[index] = ["state": "failed", "error": long] }
        (prefetch.finished, prefetch.failures) = (200, 200)
        let event = GroupView(prefetch).event
        let told = event["errors"]?.array?.count ?? 0
        #expect(event["skipped"] == 200 && told > 10 && told < 50 && event["next"] == JSON(told))
        var batch = record(.batch, .succeeded, ended: Array(0..<100), total: 100)
        for index in 0..<100 { batch.outcomes[index] = ["state": "succeeded", "result": ["text": .string(String(repeating: "x", count: 100_000))]] }
        #expect(GroupView(batch).event["results"] == nil && GroupView(batch).event["type"] == "succeeded")
    }

    @Test func `results that the last event does not contain are not read`() {
        func limit(_ record: GroupRecord) -> Int? { if case .results(0, let limit) = GroupView(record).extentOfEvent { limit } else { nil } }
        #expect(limit(record(.batch, .succeeded, ended: [])) == .max && limit(record(.prefetch, .cancelled, ended: [])) == .max)
        #expect(limit(record(.batch, .failed, ended: [])) == 0 && limit(record(.batch, .succeeded, ended: [], total: 1001)) == 0)
        // The results of a batch are sent completely or not at all; the errors of a prefetch as far as they fit.
        var batch = record(.batch, .succeeded, ended: [0, 1, 2, 3])
        var prefetch = record(.prefetch, .succeeded, failing: [1, 3], ended: [0, 2])
        (batch.readTo, prefetch.readTo) = (3, 3)
        #expect(GroupView(batch).event["results"] == nil && GroupView(batch).page() == 0..<3)
        #expect(GroupView(prefetch).event["errors"] == [["index": 1, "error": Self.failure]] && GroupView(prefetch).event["next"] == 3)
    }

    @Test func `long members of a result are recorded while there is room`() {
        let words = #""userInfo":{"a":"\#(String(repeating: "x", count: 70_000))"},"json":{"b":"\#(String(repeating: "y", count: 60_000))"}"#
        let outcome = Outcome(ReceiptEvent(type: .succeeded, sequence: 1, at: "1.000", body: #""result":{"tag":"t",\#(words)}"#))
        func members(room: Int) -> [String]? {
            GroupView.outcome(outcome, receipt: "r", kind: .batch, room: room)["result"]?.object?.members.map(\.key)
        }
        #expect(members(room: GroupView.maxNoted) == ["tag", "userInfo", "json"] && members(room: 65_000) == ["tag", "json"] && members(room: 4) == ["tag"])
    }

    @Test func `a prefetch records no results, and no group records bytes`() {
        let outcome = Outcome(ReceiptEvent(type: .succeeded, sequence: 1, at: "1.000", body: #""result":{"renditions":[{"key":"k"}]}"#))
        #expect(GroupView.outcome(outcome, receipt: "r", kind: .prefetch) == ["state": "succeeded", "receipt": "r"])
        let noted = GroupView.outcome(outcome, receipt: "r", kind: .batch, isInline: true)
        #expect(noted["deliver"] == "inline" && noted["result"]?["renditions"] == [["key": "k"]])
    }
}
