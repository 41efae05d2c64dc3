import Foundation
import TestSupport
import Testing

/// The parts of this project in Python that have tables of their own.
@Suite(.timeLimit(.minutes(1)), .scoped) struct PythonTests {
    @Test(arguments: ["Benchmarks/simulate_test.py", "Tests/ScriptTests/second_runs_test.py", "Tests/ScriptTests/tiers_test.py"])
    func `each table is as the program says`(file: String) async throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..").standardized
        let python = try ChildProcess("python3", ["-B", root.appendingPathComponent(file).path])
        #expect(await python.finished() == 0, "\(python.errors)")
        #expect(python.errors.contains("\nOK"), "\(python.errors)")
    }
}
