import Shared
import Testing

@testable import Coordinator

/// How groups are shown.
@Suite(.timeLimit(.minutes(1))) struct GroupViewTests {
    private static let failure = TintypeError(.httpStatus, .download, "404").json

    private func record(_ kind: GroupRecord.Kind, _ state: GroupRecord.State, failing: [Int] = [], ended: [Int], total: Int = 4) -> GroupRecord {
        var record = GroupPlanTests.record(kind, total: total, ended: ended, state: state)
        for index in failing { record.outcomes[index] = ["state": "failed", "receipt": .string("g.\(index)"), "error": Self.failure] }
        record.finished = record.outcomes.count
        (record.seq, record.at) = (5, state == .running ? "" : "12.500")
        return record
    }

    @Test func `results are in the order of the requests, and say of each how it stands`() {
        var running = record(.batch, .running, ended: [2])
        running.begun = [0: .init(queue: "default", receipt: "g.0")]
        let json = GroupView(running).json
        #expect(json["results"]?.array?.map { $0["state"]?.string } == ["running", "queued", "succeeded", "queued"])
        #expect(json["results"]?.array?.map { $0["index"]?.int } == [0, 1, 2, 3])
        #expect(json["state"] == "running" && json["finished"] == 1 && json["total"] == 4 && json["failed"] == nil && json["skipped"] == nil)
        #expect(json["results"]?[2]?["result"]?["source"] != nil)
    }

    @Test func `a failed group says which item and why, and what was withdrawn with it`() {
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
        // The answer has them in its results.
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

    @Test func `the errors of a prefetch and the results of a batch go into its event as far as they fit`() {
        let long = TintypeError(.httpStatus, .download, String(repeating: "x", count: 100_000)).json
        var prefetch = record(.prefetch, .succeeded, ended: [], total: 200)
        for index in 0..<200 { prefetch.outcomes[index] = ["state": "failed", "error": long] }
        prefetch.finished = 200
        let event = GroupView(prefetch).event
        let told = event["errors"]?.array?.count ?? 0
        #expect(event["skipped"] == 200 && told > 10 && told < 50 && event["next"] == JSON(told))
        var batch = record(.batch, .succeeded, ended: Array(0..<100), total: 100)
        for index in 0..<100 { batch.outcomes[index] = ["state": "succeeded", "result": ["text": .string(String(repeating: "x", count: 100_000))]] }
        #expect(GroupView(batch).event["results"] == nil && GroupView(batch).event["type"] == "succeeded")
    }

    @Test func `of a prefetch no results are kept, and no bytes of anything`() {
        let outcome = Outcome(ReceiptEvent(type: "succeeded", sequence: 1, at: "1.000", body: #""result":{"renditions":[{"key":"k"}]}"#))
        #expect(GroupView.outcome(outcome, receipt: "r", kind: .prefetch) == ["state": "succeeded", "receipt": "r"])
        let noted = GroupView.outcome(outcome, receipt: "r", kind: .batch, isInline: true)
        #expect(noted["deliver"] == "inline" && noted["result"]?["renditions"] == [["key": "k"]])
    }
}
