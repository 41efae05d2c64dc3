import TestSupport
import Testing
import TintypeCore
import TintypeImages

@testable import ImgproxyURLs

/// The form of URLs: where each part begins and ends, and the refusal of everything else with its place.
@Suite(.tags(.optimized)) struct PictureURLTests {
    static func read(_ target: String, form: PictureURL.Form = .options) throws(DoorRefusal) -> PictureURL {
        try PictureURL(PictureTarget(Array(target.utf8)), form: form)
    }

    static let sources: [(target: String, source: String, fileExtension: String?)] = [
        ("/_/plain/http://h/a.jpg", "http://h/a.jpg", nil), ("/_/plain/http://h/a.jpg@png", "http://h/a.jpg", "png"),
        ("/_/plain/http://h/a.jpg@PNG", "http://h/a.jpg", "png"), ("/_/plain/http://h/a%3Fb=c%40d", "http://h/a?b=c@d", nil),
        ("/_/plain/http:%2F%2Fh%2Fa", "http://h/a", nil), ("/_/plain/http%3A%2F%2Fh%2Fa", "http://h/a", nil),
        ("/_/plain/http://h/a%2520b", "http://h/a%20b", nil),
        ("/_/plain/http://h/a%20b", "http://h/a%20b", nil), ("/_/plain/http://h/%C3%BC", "http://h/%C3%BC", nil),
        ("/_/plain/http://h//a//b", "http://h//a//b", nil), ("/_/plain/http://h/a?x=1", "http://h/a", nil), ("/_/plain/http://h/a/", "http://h/a/", nil),
        ("/_/plain/http://h/a%2F..%2Fb", "http://h/a/../b", nil), ("/_/plain/s3://bucket/key", "s3://bucket/key", nil),
        ("/_/plain/http://h/a:b:c", "http://h/a:b:c", nil), ("/_/w:1/plain/http://h/plain/enc/a", "http://h/plain/enc/a", nil),
        ("/_/aHR0cDovL2gvYQ", "http://h/a", nil), ("/_/aHR0cDovL2gvYQ==", "http://h/a", nil), ("/_/aHR0/cDovL2gv/YQ.webp", "http://h/a", "webp"),
        ("/_/w:1/aHR0cDovL2gvw7w", "http://h/%C3%BC", nil), ("/_/aHR0cDovL2gvYSBi", "http://h/a%20b", nil),
    ]

    @Test(arguments: sources) func `sources are plain or in Base64`(target: String, source: String, fileExtension: String?) throws {
        let url = try Self.read(target)
        #expect(url.source == source && url.fileExtension == fileExtension)
    }

    @Test func `options have a name, arguments and a place`() throws {
        let url = try Self.read("/sig/rs:fill:300:400:0/g:sm/bg:/aHR0cDovL2gvYQ")
        #expect(url.options.map(\.name) == ["rs", "g", "bg"] && url.options.map(\.position) == [5, 23, 28])
        #expect(url.options.map(\.arguments) == [["fill", "300", "400", "0"], ["sm"], [""]])
    }

    static let refusals: [(target: String, reason: DoorRefusal.Reason, position: Int)] = [
        ("", .missingPart, 0), ("/", .missingPart, 1), ("/_", .missingPart, 2), ("//plain/http://h/a", .missingPart, 1),
        ("_/plain/http://h/a", .missingPart, 0), ("/_/", .badPart, 3), ("/_/w:1", .missingPart, 6), ("/_/w:1/", .badPart, 7),
        ("/_//w:1/plain/http://h/a", .badPart, 3), ("/_/w:1//plain/http://h/a", .badPart, 7), ("/_/plain", .missingPart, 8), ("/_/plain/", .missingPart, 8),
        ("/_/plain/@png", .missingPart, 8), ("/_/plain/http://h/a@", .badSource, 20), ("/_/plain/http://h/a@b@c", .badSource, 21),
        ("/_/plain/http://h/a@toolongone", .badSource, 20), ("/_/plain/http://h/a@p-g", .badSource, 20), ("/_/plain/http:/h/a", .badSource, 14),
        ("/_/plain/https:/h/a", .badSource, 15), ("/_/plain/s3:/bucket/a", .badSource, 12), ("/_/plain/http://h/%", .badSource, 18),
        ("/_/plain/http://h/%4", .badSource, 18),
        ("/_/plain/http://h/%zz", .badSource, 18), ("/_/plain/http://h/a%00", .badSource, 19), ("/_/plain/http://h/a%0d%0ab", .badSource, 19),
        ("/_/plain/http://h/%ff", .badSource, 9), ("/_/plain/http://h/../a", .badPart, 18), ("/_/./plain/http://h/a", .badPart, 3),
        ("/_/../../etc", .badPart, 3), ("/_/enc/abcd", .encrypted, 3), ("/_/w:1/enc/abcd.png", .encrypted, 7), ("/_/w=1/plain/http://h/a", .badSource, 17),
        ("/_/aHR0cDovL2gvY", .badSource, 3), ("/_/aHR0//cDovL2gvYQ", .badPart, 8), ("/_/aHR0cDovL2gvYQ/", .badPart, 18), ("/_/aHR0.png.webp", .badSource, 7),
        ("/_/aHR0.png/cDov", .badSource, 7), ("/_/aHR0cDovL2gvYQ.", .badSource, 18), ("/_/AAAA", .badSource, 3), ("/_/_w", .badSource, 3),
        ("/_/=", .badSource, 3),
        ("/_/aHR0*", .badSource, 7), ("/_/plain/http://h/ü", .badByte, 18), ("/_/plain/http://h/a b", .badByte, 19), ("/_/plain/http://h/a\0", .badByte, 19),
        ("/_/plain/http://h/a#b", .badByte, 19), ("/_/plain/http://h/\u{7f}", .badByte, 18),
    ]

    @Test(arguments: refusals) func `every other form is refused with its place and what to do`(target: String, reason: DoorRefusal.Reason, position: Int)
        throws
    {
        let refusal = try #require(throws: DoorRefusal.self) { try Self.read(target) }
        #expect(refusal.reason == reason && refusal.position == position, "\(refusal)")
        #expect(refusal.message.count > 20 && refusal.error.details["position"]?.int == position)
    }

    @Test func `bytes that are not UTF-8 are refused where they stand`() throws {
        let refusal = try #require(throws: DoorRefusal.self) { try PictureTarget(Array("/_/plain/".utf8) + [0xff, 0xc0]) }
        #expect(refusal.reason == .badByte && refusal.position == 9)
    }

    @Test(arguments: ["/_/plain/http://h/", "/_/", "/_/w:", "/_/w:1/"]) func `a target of a megabyte is refused before it is read`(start: String) throws {
        let refusal = try #require(throws: DoorRefusal.self) { try PictureTarget(Array(start.utf8) + [UInt8](repeating: 0x61, count: 1 << 20)) }
        #expect(refusal.reason == .tooLong && refusal.error.name == .invalidURL)
        #expect(throws: Never.self) { try PictureTarget(Array(start.utf8) + [UInt8](repeating: 0x61, count: PictureTarget.mostBytes - start.utf8.count)) }
    }

    @Test func `a URL has at most 64 options`() throws {
        let most = [String](repeating: "w:1", count: PictureURL.mostOptions).joined(separator: "/")
        #expect(try Self.read("/_/\(most)/plain/http://h/a").options.count == 64)
        #expect(try #require(throws: DoorRefusal.self) { try Self.read("/_/\(most)/w:1/plain/http://h/a") }.reason == .tooManyOptions)
    }

    @Test(arguments: [
        ("/_/thumb:blurry/plain/http://h/a", "preset:thumb:blurry"), ("/_/thumb/plain/http://h/a", "preset:thumb"), ("/_/plain/http://h/a", ""),
        ("/_/thumb/exp:5/cb:x/plain/http://h/a", "preset:thumb exp:5 cb:x"),
        ("/_/thumb/expires:5/cachebuster:x/aHR0cDovL2gvYQ", "preset:thumb expires:5 cachebuster:x"),
    ]) func `with presets only, the first part is their list`(target: String, options: String) throws {
        let url = try Self.read(target, form: .presetsOnly)
        #expect(url.options.map { ([$0.name] + $0.arguments).joined(separator: ":") }.joined(separator: " ") == options && url.source == "http://h/a")
    }

    @Test(arguments: [("/_/thumb/w:5/plain/http://h/a", DoorRefusal.Reason.notAllowed), ("/_//plain/http://h/a", .badPart), ("/_/thumb", .missingPart)])
    func `with presets only, other options are refused`(target: String, reason: DoorRefusal.Reason) throws {
        #expect(try #require(throws: DoorRefusal.self) { try Self.read(target, form: .presetsOnly) }.reason == reason)
    }

    @Test(arguments: DoorRefusal.Reason.allCases) func `every refusal is an error of the protocol that names its reason`(reason: DoorRefusal.Reason) {
        let error = DoorRefusal(reason, option: "width", "the sentence").at(7).error
        #expect(error.phase == .admission && !error.isRetryable && error.message == "the sentence" && error.details["reason"]?.string == reason.rawValue)
        #expect(error.details["option"]?.string == "width" && error.details["position"]?.int == 7)
        #expect([.invalidURL, .invalidParams, .forbidden].contains(error.name))
    }
}
