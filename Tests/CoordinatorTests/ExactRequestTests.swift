import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import Testing

@testable import Coordinator

/// Requests that differ only in the spelling of an accent share nothing.
@Suite(.timeLimit(.minutes(1))) struct ExactRequestTests {
    /// A request with a place for a text, `%`.
    static let requests = [
        #"{"url":"http://a.test/x","cache":{"scope":"%"}}"#, #"{"url":"http://a.test/x","fetch":{"headers":{"X-User":"%"}}}"#,
        #"{"url":"http://a.test/x","fetch":{"params":{"q":"%"}}}"#, #"{"url":"http://a.test/x","fetch":{"params":{"%":"q"}}}"#,
        #"{"url":"http://a.test/x","fetch":{"method":"POST","body":"%"}}"#, #"{"url":"http://a.test/x","fetch":{"auth":{"basic":["%","p"]}}}"#,
        #"{"url":"http://a.test/x","userInfo":{"%":1}}"#, #"{"url":"http://a.test/x","userInfo":{"name":["%"]}}"#, #"{"url":"http://a.test/x","tag":"%"}"#,
        #"{"url":"http://a.test/x","slot":"%"}"#, #"{"url":"http://a.test/x","transform":[{"op":"text","text":"%"}]}"#,
        #"{"url":"http://a.test/x","metadata":{"title":"%"}}"#, #"{"url":"data:,%"}"#,
        #"{"url":"http://a.test/x","callback":{"url":"http://c.test/","secret":"%"}}"#,
    ]
    /// The same in two spellings: of different lengths, and of one.
    static let spellings = [("José", "Jose\u{301}"), ("a\u{323}\u{307}", "a\u{307}\u{323}")]

    private func submission(_ plan: AdmissionPlan) -> Submission { plan.submission(receipt: "r", coordinator: "c", deadline: 30, isKept: true) }

    @Test(arguments: requests, spellings) @Loop func `a plan belongs to one spelling`(_ request: String, _ texts: (String, String)) throws {
        let planCache = PlanCache()
        let params = try [texts.0, texts.1].map { try JSON(parsing: request.replacing("%", with: $0)) }
        _ = try planCache.plan(params[0])
        let kept = planCache.count
        let (plan, own) = (try planCache.plan(params[1]), try PlanCache().plan(params[1]))
        #expect(planCache.count == kept + 1)
        #expect(plan.outputs.map(\.digest) == own.outputs.map(\.digest) && plan.sourceDigest == own.sourceDigest)
        #expect(plan.meta.isExactly(own.meta) && submission(plan).fingerprint == submission(own).fingerprint)
        #expect(submission(plan).fetch.isExactly(submission(own).fetch) && submission(plan) == submission(own))
    }

    /// Redis may lose a submission, which is then made again of what the coordinator has kept.
    @Test(arguments: requests, spellings) @Loop func `a packed submission keeps its own spelling`(_ request: String, _ texts: (String, String)) throws {
        let forms = SubmissionForms()
        for text in [texts.0, texts.1] {
            let plan = try PlanCache().plan(JSON(parsing: request.replacing("%", with: text)))
            let before = submission(plan)
            let after = PackedSubmission(before, plan.use, forms: forms).submission(receipt: "r", meta: plan.meta)
            #expect(after.fetch.isExactly(before.fetch) && after.bare.isExactly(before.bare) && after.meta.isExactly(before.meta))
            #expect((after.supersedeKey ?? "").isExactly(before.supersedeKey ?? "") && after.callback?.secret == before.callback?.secret)
            #expect(zip(after.renditions, before.renditions).allSatisfy { $0.json.isExactly($1.json) })
        }
    }

    @Test(arguments: ["fetch.cookies", "queue", "receipt"]) func `names of jars, queues and receipts have no accents`(place: String) throws {
        for text in ["José", "Jose\u{301}", "\u{212a}"] {
            let value: JSON = place == "fetch.cookies" ? ["fetch": ["cookies": .string(text)]] : .object([place: .string(text)])
            let error = try #require(throws: TintypeError.self) {
                try ImageRequest(.object(JSONObject([("url", "http://a.test/x")]).merging(value.object ?? [:])))
            }
            #expect(error.name == .invalidParams && error.details["path"] == .string(place))
        }
    }
}
