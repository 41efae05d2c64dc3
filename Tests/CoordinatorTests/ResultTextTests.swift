import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Coordinator

/// Results that are adapted to a client without being parsed.
@Suite(.tags(.optimized), .timeLimit(.minutes(1))) struct ResultTextTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let body: String
        var renditions = 1
        var stored = #"["memory","results"]"#
        var meta = ""
        /// nil: the text has to be parsed.
        let made: String?
        var testDescription: String { body }
    }

    static let cases: [Case] = [
        Case(
            body: #""result":{"renditions":[{"key":"k","stored":["results"],"x":1}]}"#,
            made: #""result":{"renditions":[{"key":"k","stored":["memory","results"],"x":1}]}"#),
        Case(
            body: #""result":{"renditions":[{"stored":[]},{"stored":["results"]}],"n":2}"#, renditions: 2, stored: "[]", meta: #","tag":"t""#,
            made: #""result":{"renditions":[{"stored":[]},{"stored":[]}],"n":2,"tag":"t"}"#),
        Case(body: #""result":{"renditions":[]}"#, renditions: 0, made: #""result":{"renditions":[]}"#),
        // The name occurs in a string, as a member's name, and as the end of a name.
        Case(
            body: #""result":{"a":"\"stored\":[1]","renditions":[{"stored":[]}]}"#,
            made: #""result":{"a":"\"stored\":[1]","renditions":[{"stored":[]}]}"#),
        Case(body: #""result":{"a\"stored":["b"],"renditions":[{"stored":[]}]}"#, made: nil),
        // The count differs from that of the renditions: one lacks the member, or another object has it.
        Case(body: #""result":{"renditions":[{"key":"k"}]}"#, made: nil),
        Case(body: #""result":{"stored":[],"renditions":[{"stored":[]}]}"#, made: nil),
        // The member has other values than plain words, or no end.
        Case(body: #""result":{"renditions":[{"stored":[["results"]]}]}"#, made: nil),
        Case(body: #""result":{"renditions":[{"stored":[1]}]}"#, made: nil),
        Case(body: #""result":{"renditions":[{"stored":["results"}"#, made: nil),
        Case(body: #""result":{"renditions":[{"stored":["#, made: nil),
        // There is no result.
        Case(body: "", renditions: 0, made: nil),
        Case(body: #""error":{}"#, renditions: 0, made: nil),
        Case(body: #""result":{}1"#, renditions: 0, made: nil),
    ]

    @Test(arguments: cases)
    func `the text of a result gets the request's tiers and members, or is left to be parsed`(_ one: Case) throws {
        let made = ResultText.body(one.body, renditions: one.renditions, stored: one.stored, meta: one.meta)
        #expect(made == one.made)
        guard let made else { return }
        // Parsing gives the same result.
        var read = try #require(Outcome(ReceiptEvent(type: .succeeded, sequence: 1, at: "1.000", body: one.body)).result)
        for index in read.renditions.indices where !read.renditions[index].isHeld { read.renditions[index].stored = try JSON(parsing: one.stored) }
        if !one.meta.isEmpty { read.object = read.object.merging(try #require(JSON(parsing: "{\(one.meta.dropFirst())}").object)) }
        #expect(Outcome(ReceiptEvent(type: .succeeded, sequence: 1, at: "1.000", body: made)).result == read)
    }

    @Test(arguments: [[], [CacheTier.results]])
    func `the text of a worker's result need not be parsed`(_ stored: [CacheTier]) throws {
        var info = RenditionInfo(key: "k", contentType: "image/png", bytes: 7, sha256: "00", stored: stored, isApplied: true)
        (info.format, info.expiresAt, info.storedAt, info.version, info.limits.isPrivate) = (.png, 2, 1, 3, true)
        let body = #""result":{"renditions":[\#(info.json.text)],"description":{}}"#
        let made = try #require(ResultText.body(body, renditions: 1, stored: #"["memory"]"#, meta: ""))
        #expect(made.contains(stored.isEmpty ? #""stored":[],"# : #""stored":["memory"],"#) && made.contains(#""sha256":"00""#))
    }
}
