import Foundation
import Synchronization

struct NeverCame: Error, CustomStringConvertible {
    let description: String
}

/// Waits for a condition. The time only bounds how long a mistake takes.
func eventually(_ what: String, _ condition: () async throws -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(60)
    while try await !condition() {
        if ContinuousClock.now > end { throw NeverCame(description: "never came: \(what)") }
        try await Task.sleep(for: .milliseconds(5))
    }
}

/// The settings of a test run.
enum Run {
    /// Whether tests run that wait for leases and grace periods.
    static let isSlow = ProcessInfo.processInfo.environment["TINTYPE_SLOW"] != nil

    /// Whether a slow test runs; says so when it does not.
    static func isSlow(_ name: String) -> Bool {
        if !isSlow { print("not run without TINTYPE_SLOW=1: \(name)") }
        return isSlow
    }
}

/// A value that several tasks change.
final class Shared<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    init(_ value: Value) {
        state = Mutex(value)
    }

    var value: Value {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    func change(_ body: @Sendable (inout Value) -> Void) {
        state.withLock { body(&$0) }
    }
}
