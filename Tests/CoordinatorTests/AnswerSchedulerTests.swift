import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Coordinator

/// The order in which the large answers of one connection are made.
@Suite(.timeLimit(.minutes(1)), .scoped) struct AnswerSchedulerTests {
    @Loop private final class Bench {
        var room = 1 << 20
        var log: [String] = []
        private(set) lazy var turns = AnswerScheduler { [weak self] in self?.room ?? 0 }
        private let scope = TaskScope()

        /// Asks for an answer that uses all the room.
        @discardableResult
        func ask(_ name: String, _ bytes: Int = 1 << 20) -> Task<Void, Never> {
            Task { @Loop in
                do throws(TintypeError) {
                    try await turns.run(bytes) { () async throws(TintypeError) in
                        log.append(name)
                        room = -1
                    }
                } catch {
                    log.append("\(name) \(error.name)")
                }
            }
        }

        func until(_ test: () -> Bool) async throws {
            while !test() { try await Loop.sleep(.milliseconds(2)) }
        }
    }

    @Test @Loop func `large answers wait for room in order, and small ones do not wait`() async throws {
        let bench = Bench()
        var asked = [bench.ask("a")]
        await asked[0].value
        for (name, waiting) in [("b", 1 << 20), ("c", 2 << 20)] {
            asked.append(bench.ask(name))
            try await bench.until { bench.turns.waitingBytes == waiting }
        }
        #expect(bench.log == ["a"])
        await bench.ask("small", 100).value
        #expect(bench.log == ["a", "small"])
        bench.room = 1 << 20
        bench.turns.look()
        await asked[1].value
        #expect(bench.log == ["a", "small", "b"] && bench.turns.waitingBytes == 1 << 20)
        bench.room = 1 << 20
        bench.turns.look()
        await asked[2].value
        #expect(bench.log == ["a", "small", "b", "c"] && bench.turns.waitingBytes == 0)
    }

    @Test @Loop func `a large answer waits while another one is being made`() async throws {
        let (bench, made) = (Bench(), OneShot<Void>())
        let first = Task { @Loop in
            try? await bench.turns.run(1 << 20) { () async throws(TintypeError) in
                bench.log.append("reading")
                try? await made.wait()
            }
        }
        try await bench.until { bench.log == ["reading"] }
        let second = bench.ask("second")
        try await bench.until { bench.turns.waitingBytes == 1 << 20 }
        bench.turns.look()
        #expect(bench.log == ["reading"])
        made.complete(.success(()))
        await first.value
        await second.value
        #expect(bench.log == ["reading", "second"])
    }

    @Test @Loop func `as many answers are made at once as fit, and guessed lengths do not count`() async throws {
        let (bench, made) = (Bench(), OneShot<Void>())
        var asked: [Task<Void, Never>] = []
        for number in 1...5 {
            asked.append(
                Task { @Loop in
                    try? await bench.turns.run(300_000, isKnown: number == 4) { () async throws(TintypeError) in
                        bench.log.append("\(number)")
                        try? await made.wait()
                    }
                })
            // The last one waits without being counted.
            try await bench.until { number == 5 || bench.log.count + bench.turns.waitingBytes / 300_000 == number }
        }
        #expect(bench.log == ["1", "2", "3"])
        made.complete(.success(()))
        for task in asked { await task.value }
        #expect(bench.log.sorted() == ["1", "2", "3", "4", "5"] && bench.turns.waitingBytes == 0)
    }

    @Test @Loop func `an answer that is canceled while it waits lets the others go on`() async throws {
        let bench = Bench()
        bench.room = -1
        var asked: [Task<Void, Never>] = []
        for (name, waiting) in [("a", 1 << 20), ("b", 2 << 20)] {
            asked.append(bench.ask(name))
            try await bench.until { bench.turns.waitingBytes == waiting }
        }
        asked[0].cancel()
        await asked[0].value
        #expect(bench.log == ["a cancelled"] && bench.turns.waitingBytes == 1 << 20)
        bench.room = 1 << 20
        bench.turns.look()
        await asked[1].value
        #expect(bench.log == ["a cancelled", "b"])
    }

    @Test @Loop func `waiting answers end when the client disconnects`() async throws {
        let bench = Bench()
        bench.room = -1
        let asked = bench.ask("a")
        try await bench.until { bench.turns.waitingBytes > 0 }
        bench.turns.end()
        await asked.value
        await bench.ask("late").value
        #expect(bench.log == ["a cancelled", "late cancelled"])
    }
}
