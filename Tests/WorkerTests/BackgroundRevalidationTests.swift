import TintypeCore
import TintypeTransport
import TestSupport
import Testing

@testable import Worker

/// The number of revalidations that nobody waits for.
@Suite(.timeLimit(.minutes(1)), .scoped) struct BackgroundRevalidationTests {
    @Test @Loop func `few revalidations run at once, one for each host`() async throws {
        let asks = BackgroundRevalidation()
        let gate = Gate()
        var begun: [String] = []
        for host in ["a", "a", "b", "c", "d", "e", "f"] {
            asks.begin(host: host) {
                begun.append(host)
                await gate.pass()
                return nil
            }
        }
        while begun.count < BackgroundRevalidation.most { await Task.yield() }
        #expect(begun == ["a", "b", "c", "d"])
        gate.open()
        var isAgain = false
        while !isAgain {
            asks.begin(host: "a") {
                isAgain = true; return nil
            }
            await Task.yield()
        }
        #expect(begun.count == BackgroundRevalidation.most, "one too many is left out")
    }

    @Test(arguments: [(true, false), (false, true)]) @Loop func `a host that refuses one for now is throttled`(isForNow: Bool, isAskedAgain: Bool)
        async throws
    {
        let asks = BackgroundRevalidation()
        var count = 0
        let refusal = TintypeError(.httpStatus, .download, "refused", retryable: isForNow)
        asks.begin(host: "a") {
            count += 1; return refusal
        }
        while count == 0 { await Task.yield() }
        var isOthers = false
        while !isOthers {
            asks.begin(host: "a") {
                count += 1; return nil
            }
            asks.begin(host: "b") {
                isOthers = true; return nil
            }
            await Task.yield()
        }
        #expect((count > 1) == isAskedAgain)
    }

    @Test @Loop func `at a stop revalidations end, and none begins`() async throws {
        let asks = BackgroundRevalidation()
        let (begun, ended) = (OneShot<Void>(), OneShot<Void>())
        asks.begin(host: "a") {
            begun.complete(.success(()))
            try? await Loop.sleep(.seconds(3600))
            ended.complete(.success(()))
            return nil
        }
        try await begun.wait()
        asks.stop()
        try await ended.wait()
        asks.begin(host: "b") {
            Issue.record("begun after the stop"); return nil
        }
        for _ in 0..<100 { await Task.yield() }
    }
}
