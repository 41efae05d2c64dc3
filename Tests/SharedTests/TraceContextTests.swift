import Testing
import TestSupport

@testable import TintypeCore

/// W3C Trace Context, with the vectors of the recommendation and the cases that it names.
@Suite(.scoped) struct TraceContextTests {
    private static let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    @Test func `the example of the recommendation is read and written back`() throws {
        let context = try #require(TraceContext(parent: Self.parent, state: "congo=t61rcWkgMzE"))
        #expect(context.trace.description == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(context.span.description == "00f067aa0ba902b7")
        #expect(context.isSampled && context.state == "congo=t61rcWkgMzE" && context.parent == Self.parent)
    }

    static let versions: [(text: String, isSampled: Bool)] = [
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00", false),
        // Other flags say nothing about sampling.
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-fe", false), ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-ff", true),
        // A later version may be longer.
        ("01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", true), ("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what-else", true),
    ]

    @Test(arguments: versions) func `a version and its flags are read`(text: String, isSampled: Bool) throws {
        let context = try #require(TraceContext(parent: text))
        #expect(context.isSampled == isSampled && context.parent.hasPrefix("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-"))
    }

    @Test(arguments: [
        "", "00", "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-1",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0x", "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01.more", " 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e473\u{e9}-00f067aa0ba902b7-01", String(repeating: "0", count: 1_000_000),
    ]) func `a text that is no context begins no trace of others`(text: String) { #expect(TraceContext(parent: text) == nil) }

    @Test(arguments: ["", "no member", String(repeating: "a", count: 512) + "=b", "a=b\r\nevil: c", "a=\u{e9}"])
    func `a state that may not be passed on is left out`(state: String) throws {
        #expect(try #require(TraceContext(parent: Self.parent, state: state)).state == nil)
    }

    @Test func `a fragment of an event begins with its context, or has none`() throws {
        let context = try #require(TraceContext(parent: Self.parent, state: "a=1"))
        #expect(TraceContext(fragment: "," + context.members.fragment + #","tag":"t","userInfo":{"traceparent":"x"}"#) == context)
        for other in ["", ",", #","tag":"t""#, #","tag":"t","traceparent":"\#(Self.parent)""#, #","traceparent":"x""#, #","traceparent":"#] {
            #expect(TraceContext(fragment: other) == nil, "\(other)")
        }
    }

    @Test func `ids are random, and have all their digits`() {
        let ids = (0..<1000).map { _ in (TraceID.random().description, SpanID.random().description) }
        #expect(Set(ids.map(\.0)).count == 1000 && Set(ids.map(\.1)).count == 1000)
        #expect(ids.allSatisfy { $0.0.utf8.count == 32 && $0.1.utf8.count == 16 && TraceID($0.0) != nil && SpanID($0.1) != nil })
    }

    @Test func `code within a context has that context, and an error leaves it`() throws {
        let context = try #require(TraceContext(parent: Self.parent))
        struct Mistake: Error {}
        #expect(throws: Mistake.self) {
            try TraceContext.within(context) { () throws(Mistake) in
                #expect(TraceContext.current == context)
                throw Mistake()
            }
        }
        #expect(TraceContext.current == nil && TraceContext.within(nil) { TraceContext.current } == nil)
    }
}
