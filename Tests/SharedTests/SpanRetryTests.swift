import TestSupport
import Testing
import TintypeCore

@testable import TintypeTracing

@Suite(.scoped) struct SpanRetryTests {
    static let cases: [(error: TintypeError, failures: Int, pause: Double?)] = [
        (TintypeError(.connect, .download, "refused"), 1, 1), (TintypeError(.connect, .download, "refused"), 4, 8),
        (TintypeError(.connect, .download, "refused"), 5, nil), (TintypeError(.tls, .download, "unknown authority"), 1, nil),
        (TintypeError(.httpStatus, .download, "busy", details: ["status": 503]), 2, 2),
        (TintypeError(.httpStatus, .download, "busy", details: ["status": 429, "retryAfter": 7]), 1, 7),
        (TintypeError(.httpStatus, .download, "busy", details: ["status": 429, "retryAfter": 3600]), 1, 30),
        (TintypeError(.httpStatus, .download, "no such path", details: ["status": 404]), 1, nil),
        (TintypeError(.httpStatus, .download, "broken", details: ["status": 500]), 1, nil),
    ]

    @Test(arguments: cases.indices) func `a collector that is away or busy is asked again, five times in all`(index: Int) {
        let (error, failures, pause) = Self.cases[index]
        #expect(SpanRetry.pause(after: error, failures: failures) == pause, "\(error)")
    }
}
