/// Waits for a condition of a test that only polling can detect.
package enum Gate {
    /// Returns when `test` holds. It is tested every 10 ms first, and the longer it takes the less often, so that waiting does not keep a core busy.
    /// - Throws: `TestFailure` with `what` when it does not hold within `limit`.
    package static func until(_ what: String, within limit: Duration = .seconds(30), _ test: () async throws -> Bool) async throws {
        let start = ContinuousClock.now
        while try await !test() {
            let waited = ContinuousClock.now - start
            guard waited < limit else { throw TestFailure("not within \(limit): \(what)") }
            try await Task.sleep(for: min(max(.milliseconds(10), waited / 20), .milliseconds(50)))
        }
    }
}
