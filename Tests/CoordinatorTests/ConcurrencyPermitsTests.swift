import TestSupport
import Testing
import TintypeImages

@testable import Coordinator

/// The open receipts of a name, and the requests that wait for a place.
@Suite(.timeLimit(.minutes(1))) struct ConcurrencyPermitsTests {
    /// A value that expectations may change.
    private final class Subject {
        var permits: ConcurrencyPermits
        init(running: Int? = nil, queued: Int = 0) { permits = ConcurrencyPermits(running: running, queued: queued) }
        func ask(_ request: ConcurrencyPermits.Waiting, at now: Double) -> ConcurrencyPermits.Verdict { permits.ask(request, at: now) }
        func hold(_ receipt: String, until: Double) { permits.hold(receipt, until: until) }
        func leave(_ receipt: String) -> [Int] { permits.leave(receipt) }
        func withdraw(_ number: Int) -> Bool { permits.withdraw(number) }
        func change(running: Int?, queued: Int) -> [Int] { permits.change(running: running, queued: queued) }
        func sweep(at now: Double) -> [Int] { permits.sweep(at: now) }
        var openCount: Int { permits.openCount }
        var waitingCount: Int { permits.waitingCount }
    }

    private func request(_ receipt: String, until: Double = 100, isCounted: Bool = true) -> ConcurrencyPermits.Waiting {
        ConcurrencyPermits.Waiting(receipt: receipt, until: until, isCounted: isCounted)
    }

    @Test func `places are given in order, and what comes beyond the waiting ones is refused`() {
        let permits = Subject(running: 2, queued: 2)
        #expect(["a", "b"].map { permits.ask(request($0), at: 0) } == [.entered, .entered])
        #expect(["c", "d"].map { permits.ask(request($0), at: 0) } == [.waits(1), .waits(2)])
        #expect(permits.ask(request("e"), at: 0) == .refused(.queued) && permits.openCount == 2 && permits.waitingCount == 2)
        #expect(permits.leave("a") == [1] && permits.waitingCount == 1)
        #expect(permits.ask(request("e"), at: 0) == .waits(3))
        #expect(permits.leave("c") == [2] && permits.leave("b") == [3] && permits.leave("d") == [] && permits.leave("e") == [])
        #expect(permits.openCount == 0 && permits.waitingCount == 0)
    }

    @Test func `without places to wait, a request beyond the running ones is refused for them`() {
        let permits = Subject(running: 1)
        #expect(permits.ask(request("a"), at: 0) == .entered && permits.ask(request("b"), at: 0) == .refused(.running))
        // Items of groups wait, whatever the limit is, and take the place of nobody who waits.
        #expect(permits.ask(request("i", isCounted: false), at: 0) == .waits(1) && permits.waitingCount == 0)
        #expect(permits.leave("a") == [1])
    }

    @Test func `free places go in turn to requests and to items of groups`() {
        let permits = Subject(running: 1, queued: 3)
        #expect(permits.ask(request("a"), at: 0) == .entered)
        #expect(["i", "j", "k"].map { permits.ask(request($0, isCounted: false), at: 0) } == [.waits(1), .waits(2), .waits(3)])
        #expect(["b", "c", "d"].map { permits.ask(request($0), at: 0) } == [.waits(4), .waits(5), .waits(6)])
        #expect(permits.leave("a") == [4] && permits.leave("b") == [1] && permits.leave("i") == [5] && permits.waitingCount == 1)
        // One that has left its line is passed over.
        #expect(permits.withdraw(2) && permits.leave("c") == [3] && permits.leave("k") == [6])
        #expect(permits.ask(request("l", isCounted: false), at: 0) == .waits(7) && permits.ask(request("m", isCounted: false), at: 0) == .waits(8))
        // A line alone does not wait for the other one.
        #expect(permits.leave("d") == [7] && permits.leave("l") == [8] && permits.leave("m") == [])
    }

    @Test func `a receipt counts once, and is freed once`() {
        let permits = Subject(running: 2)
        for _ in 0..<5 { #expect(permits.ask(request("a"), at: 0) == .entered) }
        permits.hold("a", until: 100)
        #expect(permits.openCount == 1)
        #expect(permits.ask(request("b"), at: 0) == .entered)
        for _ in 0..<5 { #expect(permits.leave("a") == [] && permits.leave("unknown") == []) }
        #expect(permits.openCount == 1 && permits.ask(request("c"), at: 0) == .entered && permits.ask(request("d"), at: 0) == .refused(.running))
    }

    @Test func `whoever waits may withdraw, and the next one gets the place`() {
        let permits = Subject(running: 1, queued: 2)
        #expect(["a", "b", "c"].map { permits.ask(request($0), at: 0) } == [.entered, .waits(1), .waits(2)])
        #expect(permits.withdraw(1) && !permits.withdraw(1) && permits.waitingCount == 1)
        #expect(permits.ask(request("d"), at: 0) == .waits(3) && permits.leave("a") == [2] && permits.leave("c") == [3])
        // A number that has entered cannot withdraw.
        #expect(!permits.withdraw(3))
    }

    @Test func `a receipt whose end is never heard of counts until its time is over`() {
        let permits = Subject(running: 2, queued: 1)
        #expect(permits.ask(request("a", until: 10), at: 0) == .entered && permits.ask(request("b", until: 20), at: 0) == .entered)
        #expect(permits.ask(request("c"), at: 5) == .waits(1) && permits.sweep(at: 9.9) == [] && permits.sweep(at: 10) == [1])
        #expect(permits.ask(request("d"), at: 19) == .waits(2) && permits.ask(request("e"), at: 20) == .refused(.queued))
        // The place of `b` belongs to the one that waits, and the next sweep is due.
        #expect(permits.permits.earliest == 20)
        #expect(permits.sweep(at: 20) == [2] && permits.openCount == 2)
    }

    @Test func `other limits hold at once`() {
        let permits = Subject(running: 1, queued: 3)
        #expect(["a", "b", "c", "d"].map { permits.ask(request($0), at: 0) } == [.entered, .waits(1), .waits(2), .waits(3)])
        #expect(permits.change(running: 3, queued: 3) == [1, 2] && permits.openCount == 3)
        // Fewer places end nothing that runs.
        #expect(permits.change(running: 1, queued: 0) == [] && permits.openCount == 3 && permits.waitingCount == 1)
        #expect(permits.leave("a") == [] && permits.leave("b") == [] && permits.leave("c") == [3])
        #expect(permits.ask(request("e"), at: 0) == .refused(.running))
        #expect(permits.change(running: nil, queued: 0) == [] && permits.ask(request("e"), at: 0) == .entered)
    }

    /// A model that is too simple to be wrong: the sets themselves, whatever the order of events.
    @Test(arguments: 0..<20) func `the counts never drift from the sets`(seed: Int) {
        var dice = Dice(UInt64(seed))
        let permits = Subject(running: 5, queued: 4)
        var (open, waiting): (Set<String>, [(number: Int, receipt: String)]) = ([], [])
        for step in 0..<2000 {
            let receipt = "r\(Int.random(in: 0...15, using: &dice))"
            var entered: [Int] = []
            switch Int.random(in: 0...9, using: &dice) {
            case 0...4:
                switch permits.ask(request(receipt, until: .infinity), at: Double(step)) {
                case .entered: open.insert(receipt)
                case .waits(let number): waiting.append((number, receipt))
                case .refused: #expect(waiting.count == 4)
                }
            case 5...7:
                open.remove(receipt)
                entered = permits.leave(receipt)
            default:
                guard !waiting.isEmpty else { continue }
                let left = waiting.remove(at: Int.random(in: waiting.indices, using: &dice))
                #expect(permits.withdraw(left.number))
            }
            for number in entered {
                #expect(waiting.first?.number == number)
                open.insert(waiting.removeFirst().receipt)
            }
            #expect(permits.openCount == open.count && permits.waitingCount == waiting.count && open.count <= 5)
            #expect(waiting.isEmpty || open.count == 5, "a place is free while somebody waits")
        }
    }
}
