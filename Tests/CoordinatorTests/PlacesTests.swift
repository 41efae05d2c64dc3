import TestSupport
import Testing
import TintypeImages

@testable import Coordinator

/// The open receipts of a name, and the requests that wait for a place.
@Suite(.timeLimit(.minutes(1))) struct PlacesTests {
    /// A value that expectations may change.
    private final class Subject {
        var places: Places
        init(running: Int? = nil, queued: Int = 0) { places = Places(running: running, queued: queued) }
        func ask(_ request: Places.Waiting, at now: Double) -> Places.Verdict { places.ask(request, at: now) }
        func hold(_ receipt: String, until: Double) { places.hold(receipt, until: until) }
        func leave(_ receipt: String) -> [Int] { places.leave(receipt) }
        func withdraw(_ number: Int) -> Bool { places.withdraw(number) }
        func change(running: Int?, queued: Int) -> [Int] { places.change(running: running, queued: queued) }
        func sweep(at now: Double) -> [Int] { places.sweep(at: now) }
        var openCount: Int { places.openCount }
        var waitingCount: Int { places.waitingCount }
    }

    private func request(_ receipt: String, until: Double = 100, isCounted: Bool = true) -> Places.Waiting {
        Places.Waiting(receipt: receipt, until: until, isCounted: isCounted)
    }

    @Test func `places are given in order, and what comes beyond the waiting ones is refused`() {
        let places = Subject(running: 2, queued: 2)
        #expect(["a", "b"].map { places.ask(request($0), at: 0) } == [.entered, .entered])
        #expect(["c", "d"].map { places.ask(request($0), at: 0) } == [.waits(1), .waits(2)])
        #expect(places.ask(request("e"), at: 0) == .refused(.queued) && places.openCount == 2 && places.waitingCount == 2)
        #expect(places.leave("a") == [1] && places.waitingCount == 1)
        #expect(places.ask(request("e"), at: 0) == .waits(3))
        #expect(places.leave("c") == [2] && places.leave("b") == [3] && places.leave("d") == [] && places.leave("e") == [])
        #expect(places.openCount == 0 && places.waitingCount == 0)
    }

    @Test func `without places to wait, a request beyond the running ones is refused for them`() {
        let places = Subject(running: 1)
        #expect(places.ask(request("a"), at: 0) == .entered && places.ask(request("b"), at: 0) == .refused(.running))
        // Items of groups wait, whatever the limit is, and take the place of nobody who waits.
        #expect(places.ask(request("i", isCounted: false), at: 0) == .waits(1) && places.waitingCount == 0)
        #expect(places.leave("a") == [1])
    }

    @Test func `free places go in turn to requests and to items of groups`() {
        let places = Subject(running: 1, queued: 3)
        #expect(places.ask(request("a"), at: 0) == .entered)
        #expect(["i", "j", "k"].map { places.ask(request($0, isCounted: false), at: 0) } == [.waits(1), .waits(2), .waits(3)])
        #expect(["b", "c", "d"].map { places.ask(request($0), at: 0) } == [.waits(4), .waits(5), .waits(6)])
        #expect(places.leave("a") == [4] && places.leave("b") == [1] && places.leave("i") == [5] && places.waitingCount == 1)
        // One that has left its line is passed over.
        #expect(places.withdraw(2) && places.leave("c") == [3] && places.leave("k") == [6])
        #expect(places.ask(request("l", isCounted: false), at: 0) == .waits(7) && places.ask(request("m", isCounted: false), at: 0) == .waits(8))
        // A line alone does not wait for the other one.
        #expect(places.leave("d") == [7] && places.leave("l") == [8] && places.leave("m") == [])
    }

    @Test func `a receipt counts once, and is freed once`() {
        let places = Subject(running: 2)
        for _ in 0..<5 { #expect(places.ask(request("a"), at: 0) == .entered) }
        places.hold("a", until: 100)
        #expect(places.openCount == 1)
        #expect(places.ask(request("b"), at: 0) == .entered)
        for _ in 0..<5 { #expect(places.leave("a") == [] && places.leave("unknown") == []) }
        #expect(places.openCount == 1 && places.ask(request("c"), at: 0) == .entered && places.ask(request("d"), at: 0) == .refused(.running))
    }

    @Test func `whoever waits may withdraw, and the next one gets the place`() {
        let places = Subject(running: 1, queued: 2)
        #expect(["a", "b", "c"].map { places.ask(request($0), at: 0) } == [.entered, .waits(1), .waits(2)])
        #expect(places.withdraw(1) && !places.withdraw(1) && places.waitingCount == 1)
        #expect(places.ask(request("d"), at: 0) == .waits(3) && places.leave("a") == [2] && places.leave("c") == [3])
        // A number that has entered cannot withdraw.
        #expect(!places.withdraw(3))
    }

    @Test func `a receipt whose end is never heard of counts until its time is over`() {
        let places = Subject(running: 2, queued: 1)
        #expect(places.ask(request("a", until: 10), at: 0) == .entered && places.ask(request("b", until: 20), at: 0) == .entered)
        #expect(places.ask(request("c"), at: 5) == .waits(1) && places.sweep(at: 9.9) == [] && places.sweep(at: 10) == [1])
        #expect(places.ask(request("d"), at: 19) == .waits(2) && places.ask(request("e"), at: 20) == .refused(.queued))
        // The place of `b` belongs to the one that waits, and the next sweep is due.
        #expect(places.places.earliest == 20)
        #expect(places.sweep(at: 20) == [2] && places.openCount == 2)
    }

    @Test func `other limits hold at once`() {
        let places = Subject(running: 1, queued: 3)
        #expect(["a", "b", "c", "d"].map { places.ask(request($0), at: 0) } == [.entered, .waits(1), .waits(2), .waits(3)])
        #expect(places.change(running: 3, queued: 3) == [1, 2] && places.openCount == 3)
        // Fewer places end nothing that runs.
        #expect(places.change(running: 1, queued: 0) == [] && places.openCount == 3 && places.waitingCount == 1)
        #expect(places.leave("a") == [] && places.leave("b") == [] && places.leave("c") == [3])
        #expect(places.ask(request("e"), at: 0) == .refused(.running))
        #expect(places.change(running: nil, queued: 0) == [] && places.ask(request("e"), at: 0) == .entered)
    }

    /// A model that is too simple to be wrong: the sets themselves, whatever the order of events.
    @Test(arguments: 0..<20) func `the counts never drift from the sets`(seed: Int) {
        var dice = Dice(UInt64(seed))
        let places = Subject(running: 5, queued: 4)
        var (open, waiting): (Set<String>, [(number: Int, receipt: String)]) = ([], [])
        for step in 0..<2000 {
            let receipt = "r\(Int.random(in: 0...15, using: &dice))"
            var entered: [Int] = []
            switch Int.random(in: 0...9, using: &dice) {
            case 0...4:
                switch places.ask(request(receipt, until: .infinity), at: Double(step)) {
                case .entered: open.insert(receipt)
                case .waits(let number): waiting.append((number, receipt))
                case .refused: #expect(waiting.count == 4)
                }
            case 5...7:
                open.remove(receipt)
                entered = places.leave(receipt)
            default:
                guard !waiting.isEmpty else { continue }
                let left = waiting.remove(at: Int.random(in: waiting.indices, using: &dice))
                #expect(places.withdraw(left.number))
            }
            for number in entered {
                #expect(waiting.first?.number == number)
                open.insert(waiting.removeFirst().receipt)
            }
            #expect(places.openCount == open.count && places.waitingCount == waiting.count && open.count <= 5)
            #expect(waiting.isEmpty || open.count == 5, "a place is free while somebody waits")
        }
    }
}
