import TintypeCore
import TintypeTransport
import Testing

@testable import Coordinator

/// The room that all large answers share.
@Suite(.timeLimit(.minutes(1))) @Loop struct LongAnswerReservationTests {
    private final class Reader: LongAnswerReader {
        var takenBytes: Int?
        var isCut = false
        func cutSlow() { isCut = true }
    }

    private let budget = LongAnswerBudget(LongAnswerBudget.Limits(all: 3000, address: 1000, pace: (bytes: 100, time: .seconds(10))))

    /// Asks for a place, which `taken` keeps.
    private func ask(_ bytes: Int, of address: String, _ taken: @escaping @Loop (Result<AnswerReservation, TintypeError>) -> Void) -> Task<Void, Never> {
        Task { @Loop in
            do throws(TintypeError) { taken(.success(try await budget.enter(bytes, of: address, for: nil))) } catch { taken(.failure(error)) }
        }
    }

    private func until(_ test: @Loop () -> Bool) async throws {
        while !test() { try await Loop.sleep(.milliseconds(2)) }
    }

    @Test(
        arguments: [
            // In all 3,000 bytes, 1,000 for each address.
            ([("a", 1000), ("b", 1000), ("c", 1000)], [true, true, true]),
            ([("a", 600), ("a", 401), ("a", 400)], [true, false, true]),
            ([("a", 1000), ("b", 1000), ("c", 900), ("d", 101), ("d", 100)], [true, true, true, false, true]),
            // One answer alone may be larger than the share of its address, and than the room of all.
            ([("a", 1200), ("a", 1), ("b", 1000)], [true, false, true]),
            ([("a", 9000), ("b", 1)], [true, false]),
            ([("a", 1), ("b", 9000)], [true, false]),
            // A Unix socket has no address.
            ([("", 2000), ("", 1000)], [true, true]),
        ] as [([(String, Int)], [Bool])])
    func `places are counted for an address and for all, and given back`(asked: [(String, Int)], given: [Bool]) {
        var reservations = asked.map { budget.reserve($1, of: $0, for: nil) }
        #expect(reservations.map { $0 != nil } == given)
        reservations = []
        #expect(budget.bytes == 0 && budget.reserve(3000, of: "", for: nil) != nil)
    }

    @Test func `an answer waits for its address while those of other addresses pass`() async throws {
        var first = budget.reserve(800, of: "a", for: nil)
        var second: AnswerReservation?
        let asked = ask(500, of: "a") { second = try? $0.get() }
        try await until { budget.waitingCount == 1 }
        let other = try await budget.enter(500, of: "b", for: nil)
        #expect(other.bytes == 500 && second == nil && first != nil)
        first = nil
        await asked.value
        #expect(second?.bytes == 500 && budget.waitingCount == 0 && budget.bytes == 1000)
    }

    @Test func `small answers do not pass for ever a large one that waits for the room of all`() async throws {
        var held = ["a", "b", "c"].map { budget.reserve(900, of: $0, for: nil) }
        var order: [Int] = []
        var reservations: [AnswerReservation?] = []
        let large = ask(1000, of: "d") {
            order.append(1000)
            reservations.append(try? $0.get())
        }
        try await until { budget.waitingCount == 1 }
        let small = ask(300, of: "e") {
            order.append(300)
            reservations.append(try? $0.get())
        }
        try await until { budget.waitingCount == 2 }
        #expect(order.isEmpty)
        held[0] = nil
        await large.value
        held[1] = nil
        await small.value
        #expect(order == [1000, 300] && reservations.count == 2 && held.count == 3)
    }

    @Test func `an answer that waits too long is refused, and one whose line moves is not`() async throws {
        var held = [budget.reserve(1000, of: "a", for: nil), budget.reserve(1000, of: "b", for: nil)]
        var ends: [String: ErrorName?] = [:]
        var reservations: [AnswerReservation] = []
        var asked: [Task<Void, Never>] = []
        for (name, address) in [("a1", "a"), ("a2", "a"), ("b1", "b")] {
            let count = budget.waitingCount
            asked.append(
                ask(1000, of: address) { end in
                    switch end {
                    case .success(let reservation): (_, _) = (reservations.append(reservation), ends.updateValue(nil, forKey: name))
                    case .failure(let error): ends[name] = error.name
                    }
                })
            try await until { budget.waitingCount == count + 1 }
        }
        budget.judge(at: .now + budget.limits.patience / 2)
        let moved = ContinuousClock.now
        held[0] = nil
        await asked[0].value
        #expect(ends.keys.sorted() == ["a1"] && budget.waitingCount == 2)
        // The line of a has moved a moment ago, that of b never.
        let due = moved + budget.limits.patience
        budget.judge(at: due)
        await asked[2].value
        #expect(ends["b1"] == .overloaded && ends["a2"] == nil && budget.waitingCount == 1)
        budget.judge(at: due + .seconds(60))
        await asked[1].value
        #expect(ends["a2"] == .overloaded && budget.waitingCount == 0 && reservations.count == 1 && held.count == 2)
    }

    @Test func `a client that takes too little is cut while others wait for its room`() async throws {
        let (slow, fast, making, far) = (Reader(), Reader(), Reader(), Reader())
        (slow.takenBytes, fast.takenBytes, far.takenBytes) = (0, 0, 0)
        let held = [
            budget.reserve(500, of: "a", for: slow), budget.reserve(400, of: "a", for: fast), budget.reserve(100, of: "a", for: making),
            budget.reserve(900, of: "b", for: far),
        ]
        let asked = ask(1, of: "a") { _ in }
        try await until { budget.waitingCount == 1 }
        let now = ContinuousClock.now
        budget.judge(at: now)
        (slow.takenBytes, fast.takenBytes) = (99, 100)
        budget.judge(at: now + .seconds(9))
        #expect(!slow.isCut && !fast.isCut)
        budget.judge(at: now + .seconds(10))
        #expect(slow.isCut && !fast.isCut && !making.isCut)
        fast.takenBytes = 199
        budget.judge(at: now + .seconds(20))
        #expect(fast.isCut && !making.isCut && !far.isCut, "an address that has used its share judges no other one")
        asked.cancel()
        await asked.value
        #expect(budget.waitingCount == 0 && held.count == 4)
    }

    /// An answer that does not wait is refused, and a client without a place is judged too.
    @Test(arguments: [("a", 1000), ("d", 3000)]) func `a refusal has the clients judged for some looks, those of all addresses if all have too little`(
        address: String, all: Int
    ) async throws {
        let (near, far, homeless) = (Reader(), Reader(), Reader())
        (near.takenBytes, far.takenBytes, homeless.takenBytes) = (0, 0, 0)
        let held = [
            budget.reserve(1000, of: "a", for: near), budget.reserve(1000, of: "b", for: far), budget.reserve(all == 3000 ? 1000 : 900, of: "c", for: nil),
        ]
        budget.setJudged(true, homeless, of: "a")
        let now = ContinuousClock.now
        for look in 0..<30 { budget.judge(at: now + .seconds(look)) }
        #expect(!near.isCut && !far.isCut && !homeless.isCut)
        #expect(budget.reserve(500, of: address, for: nil) == nil)
        for look in 30...40 { budget.judge(at: now + .seconds(look)) }
        #expect(near.isCut && homeless.isCut && far.isCut == (all == 3000))
        for look in 41...50 { budget.judge(at: now + .seconds(look)) }
        near.isCut = false
        for look in 51..<100 { budget.judge(at: now + .seconds(look)) }
        #expect(!near.isCut && held.count == 3)
    }

    @Test func `a canceled answer leaves the line`() async throws {
        var held = budget.reserve(1000, of: "a", for: nil)
        let asked = ask(1000, of: "a") { #expect(throws: TintypeError.self, performing: $0.get) }
        try await until { budget.waitingCount == 1 }
        asked.cancel()
        await asked.value
        #expect(budget.waitingCount == 0 && held != nil)
        held = nil
        #expect(budget.bytes == 0)
    }
}
