import Foundation
import TestSupport
import Testing

/// A check of deploy/ in Python, with the packages that scripts/setup installs for tests.
enum DeployCheck {
    private static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    static let deploy = tests.appendingPathComponent("../../deploy").standardized

    /// Runs a check, such as `Kubernetes/check.py`, of a folder, which may be a copy with a mistake in it.
    static func run(_ script: String, of deploy: URL) async throws -> (status: Int32, output: String) {
        guard let python = ProcessInfo.processInfo.environment["TINTYPE_CLIENTS"], !python.isEmpty else {
            throw TestFailure("TINTYPE_CLIENTS names no Python for \(script): run the tests by scripts/test")
        }
        let check = try ChildProcess(python, ["\(tests.path)/\(script)", deploy.path, ServiceProcess.productsFolder])
        let status = await check.finished()
        #expect(check.errors.isEmpty, "\(check.errors)")
        return (status, check.output)
    }
}
