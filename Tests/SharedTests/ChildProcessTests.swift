import Glibc
import TestSupport
import Testing

/// The processes that tests start.
@Suite(.timeLimit(.minutes(1))) struct ChildProcessTests {
    @Test func `one that nobody holds any more is ended`() async throws {
        var child: ChildProcess? = try ChildProcess("sleep", ["1000"])
        let identifier = try #require(child?.identifier)
        #expect(kill(identifier, 0) == 0)
        child = nil
        while kill(identifier, 0) == 0 { try await Task.sleep(for: .milliseconds(5)) }
    }
}
