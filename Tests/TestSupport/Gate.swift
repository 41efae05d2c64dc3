/// Waits for a condition of a test that only polling can detect.
package enum Gate {
    /// Returns when `test` holds.
    /// - Throws: `TestFailure` with `what` when it does not hold within `limit`.
    package static func until(_ what: String, within limit: Duration = .seconds(30), _ test: () async throws -> Bool) async throws {
        let end = ContinuousClock.now + limit
        while try await !test() {
            guard ContinuousClock.now < end else { throw TestFailure("not within \(limit): \(what)") }
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}
