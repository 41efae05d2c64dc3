import TestSupport
import Testing

@testable import TintypeTracing

/// The answers of a collector that has taken a batch, or most of it (OTLP/HTTP).
@Suite(.scoped) struct RejectedSpansTests {
    static let cases: [(answer: String, count: Int, message: String?)] = [
        ("{}", 0, nil), ("", 0, nil), ("<html>", 0, nil), ("[]", 0, nil), (#"{"partialSuccess":{}}"#, 0, nil), (#"{"partialSuccess":null}"#, 0, nil),
        (#"{"partialSuccess":{"rejectedSpans":"3","errorMessage":"too old"}}"#, 3, "too old"), (#"{"partialSuccess":{"rejectedSpans":3}}"#, 3, nil),
        (#"{"partialSuccess":{"rejectedSpans":"0","errorMessage":"slow down"}}"#, 0, "slow down"),
        (#"{"partialSuccess":{"errorMessage":""}}"#, 0, nil), (#"{"partialSuccess":{"rejectedSpans":"11"}}"#, 10, nil),
        (#"{"partialSuccess":{"rejectedSpans":"-1"}}"#, 0, nil), (#"{"partialSuccess":{"rejectedSpans":"many"}}"#, 0, nil),
        (#"{"partialSuccess":{"rejectedSpans":1e300}}"#, 0, nil),
        (#"{"partialSuccess":{"errorMessage":"\#(String(repeating: "x", count: 5000))"}}"#, 0, String(repeating: "x", count: 200)),
    ]

    @Test(arguments: cases.indices) func `an answer tells how many of ten spans were rejected, and why`(index: Int) {
        let (answer, count, message) = Self.cases[index]
        let rejected = RejectedSpans(Array(answer.utf8), of: 10)
        #expect(rejected.count == count && rejected.message == message && rejected.isNotable == (count > 0 || message != nil), "\(rejected)")
    }
}
