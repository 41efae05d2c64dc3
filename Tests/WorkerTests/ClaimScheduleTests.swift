import Testing

@testable import Worker

/// The order in which a worker asks its queues, by a clock that the test moves.
@Suite struct ClaimScheduleTests {
    private let start = ContinuousClock.now

    private func moment(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

    @Test func `each queue is first in its turn`() {
        var turns = ClaimSchedule(["a", "b", "c"])
        #expect((0..<4).map { _ in turns.round() } == [[1, 2, 0], [2, 0, 1], [0, 1, 2], [1, 2, 0]])
    }

    @Test func `preferred queues and their shards are first in each round, and each in its turn`() {
        var turns = ClaimSchedule(["a", "b", "c", "c~1.0"], preferred: ["c"])
        #expect((0..<4).map { _ in turns.round() } == [[2, 3, 1, 0], [2, 3, 0, 1], [3, 2, 0, 1], [2, 3, 0, 1]])
    }

    @Test func `an empty queue is not asked again at once`() {
        var turns = ClaimSchedule(["a", "b"])
        turns.claimed("a", hasMore: true, at: moment(0))
        turns.claimed("b", hasMore: false, at: moment(0))
        #expect(turns.isDue("a", at: moment(1)) && !turns.isDue("b", at: moment(1)) && !turns.isPromising("b"))
    }

    @Test func `an empty queue is asked every twenty milliseconds while another keeps the worker busy`() {
        var turns = ClaimSchedule(["a", "b"])
        turns.claimed("b", hasMore: false, at: moment(0))
        #expect(!turns.isDue("b", at: moment(19)) && turns.isDue("b", at: moment(20)))
        turns.claimed("b", hasMore: false, at: moment(20))
        #expect(!turns.isDue("b", at: moment(39)) && turns.isDue("b", at: moment(40)))
        // An empty queue is no reason not to sleep.
        #expect(!turns.isPromising("b"))
    }

    @Test func `a worker that has slept has read all markers`() {
        var turns = ClaimSchedule(["a", "b"])
        for name in ["a", "b"] { turns.claimed(name, hasMore: false, at: moment(0)) }
        #expect(!turns.isAnyPromising)
        turns.woken(by: "a", among: ["a", "b"], at: moment(5000))
        #expect(turns.isPromising("a") && !turns.isDue("b", at: moment(5001)))
        turns.woken(by: nil, among: ["a", "b"], at: moment(15000))
        #expect(turns.isPromising("a") && turns.isPromising("b"))
    }

    @Test func `a failed claim is repeated`() {
        var turns = ClaimSchedule(["a"])
        turns.claimed("a", hasMore: false, at: moment(0))
        turns.failed("a")
        #expect(turns.isPromising("a"))
    }
}
