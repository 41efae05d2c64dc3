import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import Testing

@testable import Coordinator

struct ReaperGracePeriodTests {
    @Test func `no coordinator reaps for one lease after a break or a standstill`() {
        let start = ContinuousClock.now
        let lease = 10
        var warmUp = ReaperGracePeriod(lease: .seconds(10))
        /// Returns whether it may reap after this many more seconds, with a check every second.
        var second = 0
        func look(_ connected: Int?) -> Bool {
            second += 1
            return warmUp.mayReap(at: start + .seconds(second), connectedSince: connected.map { start + .seconds($0) })
        }
        #expect((1...20).allSatisfy { _ in !look(nil) })
        #expect((1..<lease).allSatisfy { _ in !look(20) })
        #expect(look(20) && look(20))
        // A check that is a little late changes nothing. A machine that stood still starts over.
        second += 2
        #expect(look(20))
        second += 12
        #expect((1...lease).allSatisfy { _ in !look(20) })
        #expect(look(20))
        // A new connection starts over too.
        let broken = second
        #expect((1..<lease).allSatisfy { _ in !look(broken) })
        #expect(look(broken))
    }

    @Test func `a normal clock of Redis is trusted, and one that was set forward starts the wait again`() {
        let start = ContinuousClock.now
        var warmUp = ReaperGracePeriod(lease: .seconds(10))
        #expect(warmUp.latest(at: start) == nil)
        warmUp.read(clock: 1_000_000, asked: start)
        #expect(warmUp.latest(at: start) == 1_003_000)
        #expect(warmUp.latest(at: start + .seconds(60)) == 1_063_000)
        let connected = start - .seconds(100)
        let isFirst = warmUp.mayReap(at: start, connectedSince: connected)
        #expect(isFirst)
        warmUp.jumped(at: start)
        warmUp.read(clock: 9_000_000, asked: start)
        let lease = 10
        let looks = (1...lease).map { second in warmUp.mayReap(at: start + .seconds(second), connectedSince: connected) }
        #expect(looks == Array(repeating: false, count: lease - 1) + [true])
        #expect(warmUp.latest(at: start + .seconds(lease)) == 9_013_000)
    }
}
