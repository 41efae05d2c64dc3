import Shared
import Testing

@testable import Coordinator

struct ReapWarmUpTests {
    @Test func `nobody reaps until a lease after a break or a standstill`() {
        let start = ContinuousClock.now
        let lease = Int(Queue.lease / .seconds(1))
        var warmUp = ReapWarmUp()
        /// Whether it may after so many more seconds, looking each second.
        var second = 0
        func look(_ connected: Int?) -> Bool {
            second += 1
            return warmUp.mayReap(at: start + .seconds(second), connectedSince: connected.map { start + .seconds($0) })
        }
        #expect((1...20).allSatisfy { _ in !look(nil) })
        #expect((1..<lease).allSatisfy { _ in !look(20) })
        #expect(look(20) && look(20))
        // A look that is a little late is nothing; the machine that stood still starts anew.
        second += 2
        #expect(look(20))
        second += 12
        #expect((1...lease).allSatisfy { _ in !look(20) })
        #expect(look(20))
        // And so does a new connection.
        let broken = second
        #expect((1..<lease).allSatisfy { _ in !look(broken) })
        #expect(look(broken))
    }
}
