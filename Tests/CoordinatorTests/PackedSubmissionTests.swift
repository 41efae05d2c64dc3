import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Coordinator

/// The packed submission that is kept for the case that Redis loses the receipt.
@Suite(.timeLimit(.minutes(1))) struct PackedSubmissionTests {
    static let requests = [
        #"{"url":"http://origin.test/a"}"#,
        #"{"url":"http://user:word@origin.test/a?b=c","as":"bytes","deliver":"none","cache":{"read":[],"write":[],"ttl":0},"receipt":"r","deadline":600}"#,
        #"{"url":"http://a.test/%C3%A9","slot":"place and more","tag":"t","priority":3,"progress":true,"hooks":true,"blacklist":"off","order":"lifo"}"#,
        #"{"url":"data:,x","renditions":[{"name":"small","transform":[{"op":"resize","width":20}]},{"name":"large"}],"userInfo":{"a":[1]},"cache":{"version":3}}"#,
        #"{"url":"http://a.test/a","callback":{"url":"http://c.test/","secret":"0123456789abcdef"},"fallback":{"color":"red","width":2,"height":2}}"#,
    ]

    @Test(arguments: requests)
    @Loop func `a packed submission unpacks to the original`(_ request: String) throws {
        let plan = AdmissionPlan(try ImageRequest(JSON(parsing: request)), isProbe: false)
        var submission = plan.submission(receipt: "r", coordinator: "c", deadline: 30, isKept: true)
        let forms = SubmissionForms()
        let packed = PackedSubmission(submission, plan.use, forms: forms)
        submission.deadlineSeconds = 0
        #expect(packed.submission(receipt: "r", meta: plan.meta) == submission)
        #expect(packed.use == plan.use)
        #expect(packed.hasCallback == (submission.callback != nil))
    }

    @Test @Loop func `shared values are kept once, and the number of forms is limited`() throws {
        let forms = SubmissionForms()
        func pack(_ request: String) throws {
            let plan = AdmissionPlan(try ImageRequest(JSON(parsing: request)), isProbe: false)
            _ = PackedSubmission(plan.submission(receipt: "r", coordinator: "c", deadline: 30, isKept: true), plan.use, forms: forms)
        }
        for number in 0..<50 { try pack(#"{"url":"http://h\#(number).test/\#(number)","tag":"t\#(number)","deadline":\#(number + 1)}"#) }
        #expect(forms.count == 1)
        for number in 0..<SubmissionForms.most * 2 { try pack(#"{"url":"http://h.test/","transform":[{"op":"resize","width":\#(number + 1)}]}"#) }
        #expect(forms.count <= SubmissionForms.most)
    }

    static let words: [[String]] = [
        [], [""], ["", ""], ["a", "", "é\n\u{0}"], [String(repeating: "0af9", count: 16)], [String(repeating: "0af9", count: 16) + "@kept", "x"],
        ["0123456789abcdef0123456789abcdef01234567", "0123456789abcde", "0123456789abcdef0", "0123456789abcdef:80"],
        [String(repeating: "0AF9", count: 16)], [String(repeating: "g", count: 64)],
        [String(repeating: "x", count: 63), String(repeating: "y", count: 20_000)],
    ]

    @Test(arguments: words)
    func `packed texts unpack unchanged`(_ words: [String]) {
        #expect(PackedTexts.words(in: PackedTexts.bytes(of: words)) == words)
    }

    /// The lengths are the real ones: 40 digits for sources and results, 32 for a fingerprint.
    @Test func `digests take half their length`() throws {
        let source = try ImageRequest(["url": "http://h.test/a"], isProbe: false).source.digest
        let digests = [source, Digest.randomHex(bytes: 16)]
        #expect(PackedTexts.bytes(of: digests).count == digests.reduce(0) { $0 + $1.utf8.count / 2 + 2 })
    }
}
