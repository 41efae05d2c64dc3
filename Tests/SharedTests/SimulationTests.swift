import Foundation
import TestSupport
import Testing

/// The pure parts of the simulation of many shards, by the tables of `Benchmarks/simulate_test.py`.
@Suite(.timeLimit(.minutes(1)), .scoped) struct SimulationTests {
    @Test func `places, shares, help and runs of the simulated queue are as the tables say`() async throws {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../Benchmarks/simulate_test.py").standardized.path
        let python = try ChildProcess("python3", ["-B", tests])
        #expect(await python.finished() == 0, "\(python.errors)")
        #expect(python.errors.contains("\nOK"), "\(python.errors)")
    }
}
