import Shared
import TestSupport
import Testing

@testable import Coordinator

@Suite(.timeLimit(.minutes(1))) struct WorkersQuietTests {
    @Test func `a worker is told by its id, and another id is refused with what to do`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        try await harness.redis.command("ZADD", "tintype:{default}:wseen", "1", "w1")
        let quiet = try await client.call("workers.quiet", #"{"worker":"w1"}"#)
        #expect(quiet.fields["worker"] as? String == "w1" && quiet.fields["quiet"] as? Bool == true)
        #expect(try await harness.redis.command("SISMEMBER", "tintype:{default}:quiet", "w1") == "1")
        try await client.call("workers.quiet", #"{"worker":"w1","quiet":false}"#)
        #expect(try await harness.redis.command("SISMEMBER", "tintype:{default}:quiet", "w1") == "0")
        let refused = try await client.call("workers.quiet", #"{"worker":"w2"}"#)
        #expect(refused.errorName == "invalidParams" && "\(refused.error ?? [:])".contains("workers.list"), "\(refused.object)")
        await harness.stop()
    }
}
