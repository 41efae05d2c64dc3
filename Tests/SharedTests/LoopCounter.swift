import TintypeTransport

/// Counts events on the loop and lets a test wait for the next ones: a gate instead of a sleep.
@Loop final class LoopCounter {
    private(set) var count = 0
    private var gates: [(target: Int, gate: OneShot<Void>)] = []

    func note() {
        count += 1
        for waiter in gates where waiter.target <= count { waiter.gate.complete(.success(())) }
        gates.removeAll { $0.target <= count }
    }

    /// Waits until `target` events have been counted in all.
    func reaches(_ target: Int) async throws {
        guard count < target else { return }
        let gate = OneShot<Void>()
        gates.append((target, gate))
        try await gate.wait()
    }
}
