import Glibc
import TestSupport
import Testing

/// The processes that tests start.
@Suite(.timeLimit(.minutes(1))) struct ChildProcessTests {
    @Test func `a child process ends when its last reference is gone`() async throws {
        var child: ChildProcess? = try ChildProcess("sleep", ["1000"])
        let identifier = try #require(child?.identifier)
        #expect(kill(identifier, 0) == 0)
        child = nil
        while kill(identifier, 0) == 0 { try await Task.sleep(for: .milliseconds(5)) }
    }
}
