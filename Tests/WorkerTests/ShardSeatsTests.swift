import TintypeQueue
import Testing

@testable import Worker

/// The shards that a worker serves, by a clock that the test moves.
@Suite struct ShardSeatsTests {
    private let start = ContinuousClock.now
    private static let names = ["default"] + ShardNames.all(of: "default", count: 16).dropFirst() + ["bulk"]

    private func seats(_ worker: String, hosts: [String] = []) -> ShardSeats {
        var seats = ShardSeats(worker: worker, queues: ["default"], preferredHosts: hosts)
        _ = seats.list(Self.names)
        return seats
    }

    @Test func `a worker serves the first shard and seven others, and all workers together serve each`() {
        var served: [String: Int] = [:]
        for number in 0..<40 {
            let all = seats("w\(number)").all
            #expect(all.count == 8 && all[0] == "default" && Set(all).count == 8 && !all.contains("bulk"))
            for name in all { served[name, default: 0] += 1 }
        }
        #expect(served.count == 16 && served.filter { $0.key != "default" }.allSatisfy { (8...32).contains($0.value) }, "\(served)")
    }

    @Test func `a queue with one shard, or one of which nothing is known, is served itself`() {
        var seats = ShardSeats(worker: "w", queues: ["default", "bulk"])
        #expect(seats.all == ["default", "bulk"])
        let isOther = seats.list(["bulk", "default", "other"])
        #expect(!isOther && seats.all == ["default", "bulk"])
    }

    @Test func `shards of preferred hosts are among the homes`() throws {
        for number in 0..<30 {
            let host = "host\(number).test"
            let shard = try #require(ShardedQueue.shard(ofHost: host, among: Array(Self.names.dropLast())))
            #expect(seats("w", hosts: [host]).all.contains(shard))
        }
    }

    @Test func `a worker that is called helps for ten seconds`() throws {
        var seats = seats("w")
        let strange = try #require(Self.names.first { $0 != "bulk" && !seats.all.contains($0) })
        let isNew = seats.help([strange], oneIn: 1, round: 1, at: start)
        #expect(isNew && seats.all.contains(strange))
        // The next call prolongs the visit and changes no seat.
        let isNewAgain = seats.help([strange], oneIn: 1, round: 2, at: start + .seconds(5))
        let (isEarly, isOver) = (seats.leave(at: start + .seconds(14)), seats.leave(at: start + .seconds(15)))
        #expect(!isNewAgain && !isEarly && isOver && !seats.all.contains(strange))
        let isUseful = seats.help(["bulk", "default"], oneIn: 1, round: 3, at: start)
        #expect(!isUseful, "the one is no queue of its own, the other is a home")
    }

    @Test func `of many workers about as many help as are called`() {
        let called = (0..<1000).count { number in
            var seats = seats("w\(number)")
            return seats.help(Self.names.filter { $0 != "bulk" }, oneIn: 10, round: 1, at: start)
        }
        #expect((60...150).contains(called), "\(called)")
    }
}
