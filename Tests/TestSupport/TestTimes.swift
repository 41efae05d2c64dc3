import Foundation

/// How long the services of a test bear with whoever is silent: shorter than in earnest, so that no test waits out a real ten seconds.
///
/// With `TINTYPE_TEST_TIMES=real`, as `scripts/test --real-times` has it, the same tests run with the times that programs have by themselves.
package enum TestTimes {
    package static let areReal = ProcessInfo.processInfo.environment["TINTYPE_TEST_TIMES"] == "real"
    /// `--lease` of coordinators and workers.
    package static let lease = Duration.seconds(areReal ? 10 : 4)
    /// How long Redis may take for an answer.
    package static let answer = Duration.seconds(areReal ? 5 : 2)

    /// - Parameter arguments: those of the test, which may name a lease of its own.
    static func added(to arguments: [String]) -> [String] {
        areReal || arguments.contains("--lease") ? arguments : arguments + ["--lease", "\(lease.components.seconds)s"]
    }
    static var option: String { areReal ? "" : "?timeout=\(answer.components.seconds)s" }
}
