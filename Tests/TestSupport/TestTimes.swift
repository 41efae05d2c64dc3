import Foundation

/// The times after which the services of a test give up a silent process. They are shorter than the defaults, so that no test waits for ten real
/// seconds.
///
/// With `TINTYPE_TEST_TIMES=real`, as in `scripts/test --real-times`, the same tests run with the default times.
package enum TestTimes {
    package static let areReal = ProcessInfo.processInfo.environment["TINTYPE_TEST_TIMES"] == "real"
    /// `--lease` of coordinators and workers.
    package static let lease = Duration.seconds(areReal ? 10 : 4)
    /// The timeout for an answer of Redis.
    package static let answer = Duration.seconds(areReal ? 5 : 2)

    /// - Parameter arguments: the test's arguments, which may contain a lease.
    static func added(to arguments: [String]) -> [String] {
        areReal || arguments.contains("--lease") ? arguments : arguments + ["--lease", "\(lease.components.seconds)s"]
    }
    package static var option: String { areReal ? "" : "?timeout=\(answer.components.seconds)s" }
}
