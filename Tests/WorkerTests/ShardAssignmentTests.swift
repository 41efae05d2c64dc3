import TintypeQueue
import Testing

@testable import Worker

/// The shards that a worker serves, by a clock that the test moves.
@Suite struct ShardAssignmentTests {
    private let start = ContinuousClock.now
    private static let names = ["default"] + ShardNames.all(of: "default", count: 16).dropFirst() + ["bulk"]

    private func assignment(_ worker: String, hosts: [String] = []) -> ShardAssignment {
        var assignment = ShardAssignment(worker: worker, queues: ["default"], preferredHosts: hosts)
        _ = assignment.list(Self.names)
        return assignment
    }

    @Test func `a worker serves the first shard and seven others, and all workers together serve each`() {
        var served: [String: Int] = [:]
        for number in 0..<40 {
            let all = assignment("w\(number)").all
            #expect(all.count == 8 && all[0] == "default" && Set(all).count == 8 && !all.contains("bulk"))
            for name in all { served[name, default: 0] += 1 }
        }
        #expect(served.count == 16 && served.filter { $0.key != "default" }.allSatisfy { (8...32).contains($0.value) }, "\(served)")
    }

    @Test func `a queue with one shard, or one of which nothing is known, is served itself`() {
        var assignment = ShardAssignment(worker: "w", queues: ["default", "bulk"])
        #expect(assignment.all == ["default", "bulk"])
        let isOther = assignment.list(["bulk", "default", "other"])
        #expect(!isOther && assignment.all == ["default", "bulk"])
    }

    @Test func `shards of preferred hosts are among the homes`() throws {
        for number in 0..<30 {
            let host = "host\(number).test"
            let shard = try #require(ShardedQueue.shard(ofHost: host, among: Array(Self.names.dropLast())))
            #expect(assignment("w", hosts: [host]).all.contains(shard))
        }
    }

    @Test func `a worker that is called helps for ten seconds`() throws {
        var assignment = assignment("w")
        let strange = try #require(Self.names.first { $0 != "bulk" && !assignment.all.contains($0) })
        let isNew = assignment.help([strange], oneIn: 1, round: 1, at: start)
        #expect(isNew && assignment.all.contains(strange))
        // The next call prolongs the visit and changes no seat.
        let isNewAgain = assignment.help([strange], oneIn: 1, round: 2, at: start + .seconds(5))
        let (isEarly, isOver) = (assignment.leave(at: start + .seconds(14)), assignment.leave(at: start + .seconds(15)))
        #expect(!isNewAgain && !isEarly && isOver && !assignment.all.contains(strange))
        let isUseful = assignment.help(["bulk", "default"], oneIn: 1, round: 3, at: start)
        #expect(!isUseful, "the one is no queue of its own, the other is a home")
    }

    @Test func `of many workers about as many help as are called`() {
        let called = (0..<1000).count { number in
            var assignment = assignment("w\(number)")
            return assignment.help(Self.names.filter { $0 != "bulk" }, oneIn: 10, round: 1, at: start)
        }
        #expect((60...150).contains(called), "\(called)")
    }
}
