import TintypeImages
import TintypeQueue
import TestSupport

extension QueueModel {
    /// A due callback, in the test's own records.
    struct Owed {
        let event: String
        var due: Int64
        var failures = 0
    }

    /// Leases due callbacks and ends each in one of the possible ways: done, due again, or never reported.
    func call() async throws {
        let now = queue.clock ?? 0
        let most = dice.of([1, 2, 5])
        let expected = owed.filter { $0.value.due <= now }.sorted { ($0.value.due, $0.key) < ($1.value.due, $1.key) }.prefix(most).map(\.key)
        let leased = try await queue.dueCallbacks(count: most, lease: .seconds(3))
        try require(leased.map(\.receipt) == expected, "leased \(leased.map(\.receipt)), due were \(expected)")
        for callback in leased {
            let id = callback.receipt
            try require(callback.event == owed[id]?.event && callback.failures == owed[id]?.failures, "callback of \(id): \(callback)")
            try require(callback.target == CallbackTarget(url: "http://hook.test/\(id)", secret: "s"), "callback to \(callback.target.url)")
            owed[id]?.due = now + 3000
            count("called")
            switch dice.of(["done", "again", "lost"]) {
            case "done":
                try require(try await queue.settle(callback, retryAfter: nil), "a lease was not heeded")
                owed[id] = nil
            case "again":
                try require(try await queue.settle(callback, retryAfter: .seconds(2)), "a lease was not heeded")
                owed[id]?.due = now + 2000
                owed[id]?.failures += 1
            default: forgotten.append(callback)
            }
            if forgotten.last?.receipt != id {
                try require(try await !queue.settle(callback, retryAfter: .seconds(9)), "an outcome counted twice")
            }
        }
        // A coordinator that was thought dead reports after another one got its lease.
        if let late = forgotten.first, leased.contains(where: { $0.receipt == late.receipt }),
            late.token != leased.first(where: { $0.receipt == late.receipt })?.token
        {
            forgotten.removeFirst()
            try require(try await !queue.settle(late, retryAfter: nil), "an old lease was heeded")
            count("late call")
        }
    }

    /// Exactly the promised callbacks are due, with the published event.
    func callbacks(_ after: QueueDump) throws {
        try require(Set(after.names("cb:")) == Set(owed.keys), "owed are \(after.names("cb:").sorted()), not \(owed.keys.sorted())")
        for (id, one) in owed {
            let record = after.hash("cb:" + id)
            try require(record["event"] == one.event && Int(record["failures"] ?? "0") == one.failures, "callback of \(id): \(record)")
            let due = after.scores("cbh:hook.test")[id]
            try require(due == Double(one.due), "callback of \(id) is due at \(due ?? 0), not \(one.due)")
        }
    }
}
