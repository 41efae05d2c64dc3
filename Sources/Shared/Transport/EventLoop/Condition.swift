/// Tasks that wait for the same event, each for a time of its own. Lives on the loop.
///
/// A task that leaves costs the same however many others wait: its place is cleared later, together with many others.
@Loop
package final class Condition {
    private var waiting: [OneShot<Bool>] = []
    /// The tasks in `waiting` that have left.
    private var left = 0

    package init() {}

    /// The number of places, those of tasks that have left included; for tests.
    var places: Int { waiting.count }

    /// Resumes all tasks that wait now, in the order in which they came.
    package func signal() {
        let all = waiting
        (waiting, left) = ([], 0)
        for one in all { one.complete(.success(true)) }
    }

    /// Waits for the next `signal`.
    /// - Returns: false if the time was over, or the task was cancelled, before that.
    @discardableResult
    package func wait(within time: Duration) async -> Bool {
        let own = OneShot<Bool>()
        waiting.append(own)
        let limit = LoopTimer(after: time) { own.complete(.success(false)) }
        defer { limit.cancel() }
        if (try? await own.wait()) == true { return true }
        own.complete(.success(false))
        left += 1
        if left > 32, left * 2 > waiting.count {
            waiting.removeAll { $0.isComplete }
            left = 0
        }
        return false
    }
}
