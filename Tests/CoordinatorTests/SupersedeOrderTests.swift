import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Coordinator

@Suite(.timeLimit(.minutes(1)), .scoped) struct SupersedeOrderTests {
    @Test @Loop func `requests of one supersede key run in order, and none waits past its deadline`() async throws {
        let turns = SupersedeOrder()
        let scope = TaskScope()
        let (held, entered) = (OneShot<Void>(), OneShot<Void>())
        var order: [String] = []
        let later = ContinuousClock.now + .seconds(50)
        let enter: @Loop (String, ContinuousClock.Instant, OneShot<Void>?) -> Void = { name, limit, gate in
            scope.run(name) {
                do throws(TintypeError) {
                    try await turns.inTurn("s", of: "default", by: "n-shop", until: limit) { () async throws(TintypeError) in
                        order.append(name)
                        entered.complete(.success(()))
                        try? await gate?.wait()
                    }
                } catch {
                    order.append("\(name) \(error.name)")
                    held.complete(.success(()))
                }
            }
        }
        enter("first", later, held)
        try await entered.wait()
        enter("second", later, nil)
        // This one gives up while the first still has its turn, and lets the first go on.
        enter("hasty", .now + .milliseconds(20), nil)
        enter("third", later, nil)
        // Another supersede key waits for no turn, and neither does another client, nor an admin, with the same key.
        try await turns.inTurn("t", of: "default", by: "n-shop", until: later) { () async throws(TintypeError) in order.append("other") }
        for owner in ["n-blog", nil] {
            try await turns.inTurn("s", of: "default", by: owner, until: .now) { () async throws(TintypeError) in order.append(owner ?? "admin") }
        }
        await scope.drain()
        #expect(order == ["first", "other", "n-blog", "admin", "hasty deadlineExceeded", "second", "third"])
        // All have left: the key is free.
        try await turns.inTurn("s", of: "default", by: "n-shop", until: .now) { () async throws(TintypeError) in order.append("last") }
        #expect(order.last == "last")
    }
}
