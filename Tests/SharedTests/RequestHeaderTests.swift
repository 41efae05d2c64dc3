import TestSupport
import Testing

@testable import TintypeCore
@testable import TintypeTransport
@testable import TintypeImages
@testable import TintypeQueue

/// The authors that may set each request header.
@Suite(.tags(.optimized)) struct RequestHeaderTests {
    @Test(arguments: [
        ("Accept", true, true), ("X-Api-Key", true, true), ("Authorization", true, true), ("Referer", true, true), ("Cookie", true, true),
        // Nobody may set headers that frame the message or concern one connection.
        ("Host", false, false), ("Content-Length", false, false), ("Transfer-Encoding", false, false), ("transfer_encoding", false, false),
        ("Connection", false, false), ("TE", false, false), ("Trailer", false, false), ("Upgrade", false, false), ("Keep-Alive", false, false),
        ("Proxy-Connection", false, false), ("Expect", false, false), ("HTTP2-Settings", false, false), ("Range", false, false),
        // Only the operator may set headers that servers inside a network trust.
        ("Proxy-Authorization", false, true), ("Proxy-Anything", false, true), ("Forwarded", false, true), ("X-Forwarded-For", false, true),
        ("x-forwarded-host", false, true), ("X-Real-IP", false, true), ("Metadata-Flavor", false, true), ("Metadata", false, true),
        ("X-aws-ec2-metadata-token", false, true), ("X_Api_Key", false, true),
        ("Via", false, true), ("X-Client-IP", false, true), ("CF-Connecting-IP", false, true), ("X-Original-URL", false, true),
        ("X-HTTP-Method-Override", false, true), ("X-aliyun-ecs-metadata-token", false, true),
        ("", false, false), ("a b", false, false), ("a:", false, false), ("X-\u{e9}", false, false), (String(repeating: "a", count: 129), false, false),
    ])
    func `a header is set by whom it is for`(name: String, byClient: Bool, byRule: Bool) {
        #expect(RequestHeader.isAllowed(name, by: .client) == byClient)
        #expect(RequestHeader.isAllowed(name, by: .rule) == byRule)
    }

    @Test func `a request cannot set the headers of a rule, and the worker accepts the rule's headers`() throws {
        func read(_ headers: JSON) throws -> ImageRequest { try ImageRequest(["url": "http://a.test/x", "fetch": ["headers": headers]]) }
        let error = try #require(throws: TintypeError.self) { try read(["Metadata-Flavor": "Google"]) }
        #expect(error.name == .invalidParams && error.details["path"] == "fetch.headers" && error.details["value"] == "Metadata-Flavor", "\(error)")
        let rules = try Rules(text: #"{"rules":[{"hosts":["a.test"],"headers":{"X-Forwarded-For":"192.0.2.1","X_Key":"k"}}]}"#, path: "r.json")
        let source = try ImageRequest(["url": "http://a.test/x"], rules: rules).source
        #expect(try Source(canonical: source.canonical).fetch.headers.map(\.name) == ["X-Forwarded-For", "X_Key"])
        #expect(throws: SettingError.self) { try Rules(text: #"{"rules":[{"headers":{"Transfer-Encoding":"chunked"}}]}"#, path: "r.json") }
    }
}
