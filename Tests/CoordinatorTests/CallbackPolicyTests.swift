import Foundation
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Coordinator
@testable import TintypeCallbacks

/// The meaning of answers, and the time of the next try.
@Suite(.timeLimit(.minutes(1))) struct CallbackPolicyTests {
    @Test func `pauses grow fourfold with 50 percent jitter, and five tries are the limit`() {
        let policy = CallbackPolicy(firstPause: .seconds(1))
        let middle = (1...6).map { policy.pause(after: $0, jitter: 0.5) }
        #expect(middle == [.seconds(1), .seconds(4), .seconds(16), .seconds(64), nil, nil])
        #expect(policy.pause(after: 2, jitter: 0) == .seconds(2) && policy.pause(after: 2, jitter: 1) == .seconds(6))
    }

    static let answers: [(Int, CallbackPolicy.Verdict)] = [
        (200, .sent), (201, .sent), (202, .sent), (204, .sent), (299, .sent), (410, .giveUp), (301, .tryAgain), (302, .tryAgain), (307, .tryAgain),
        (400, .tryAgain), (401, .tryAgain), (403, .tryAgain), (404, .tryAgain), (408, .tryAgain), (429, .tryAgain), (500, .tryAgain),
        (503, .tryAgain), (599, .tryAgain),
    ]

    @Test(arguments: answers) func `each status is judged as final or retryable`(status: Int, verdict: CallbackPolicy.Verdict) {
        #expect(CallbackPolicy.verdict(status: status) == verdict)
        let error = TintypeError(.httpStatus, .download, "the server answered \(status)", details: ["status": JSON(status)])
        #expect(CallbackPolicy.verdict(error) == verdict)
    }

    @Test(arguments: ErrorName.allCases) func `connection errors are retried, and refusals are not`(name: ErrorName) {
        #expect(CallbackPolicy.verdict(TintypeError(name, .download, "")) == ([.denied, .invalidURL].contains(name) ? .giveUp : .tryAgain))
    }

    @Test func `a body is signed when there is a secret`() {
        let body = Array("what do ya want for nothing?".utf8)
        #expect(CallbackPolicy.headers(body, secret: nil, at: 0).map(\.name) == ["Content-Type"])
        #expect(
            CallbackPolicy.headers(body, secret: "Jefe", at: 0).last ?? ("", "")
                == ("Tintype-Signature", "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"))
    }

    /// Runs the example of docs/queues.md without changes.
    @Test func `the documented example refuses callbacks that were altered, replayed or signed by another`() async throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(contentsOf: root.appendingPathComponent("docs/queues.md"), encoding: .utf8)
        let blocks = page.components(separatedBy: "```python\n").dropFirst().compactMap { $0.components(separatedBy: "```").first }
        let example = try #require(blocks.first { $0.contains("def is_from_tintype") })
        let body = #"{"receipt":"r1","type":"succeeded"}"#
        let header = try #require(
            CallbackPolicy.headers(Array(body.utf8), secret: "geheim", at: 1_700_000_000).first { $0.name == "Tintype-Signature-V1" }?.value)
        let tries: [(header: String, body: String, secret: String, now: Int, isRight: Bool)] = [
            (header, body, "geheim", 1_700_000_010, true), (header, body + " ", "geheim", 1_700_000_010, false),
            (header, body, "anders", 1_700_000_010, false), (header, body, "geheim", 1_700_001_000, false),
            (header.replacingOccurrences(of: "t=17", with: "t=18"), body, "geheim", 1_800_000_000, false), ("", body, "geheim", 1_700_000_010, false),
        ]
        for one in tries {
            let call = "\nimport sys\nprint(is_from_tintype(sys.argv[1], sys.argv[2].encode(), sys.argv[3], now=int(sys.argv[4])))"
            let child = try ChildProcess("python3", ["-c", example + call, one.header, one.body, one.secret, "\(one.now)"])
            #expect(await child.finished() == 0, "\(child.errors)")
            #expect(child.output.contains(one.isRight ? "True" : "False"), "\(one)")
        }
    }
}
