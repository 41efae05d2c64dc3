import TestSupport
import Testing

@testable import TintypeCore
@testable import TintypeTransport
@testable import TintypeImages
@testable import TintypeQueue

/// The heads of responses, valid and hostile.
@Suite(.tags(.optimized)) struct HeaderBlockTests {
    private func block(_ lines: String...) -> HeaderBlock {
        var block = HeaderBlock()
        for line in lines + [""] { _ = Array((line + "\r\n").utf8).withUnsafeBytes { block.take($0) } }
        return block
    }

    @Test(arguments: [
        ("5", 5), ("0", 0), ("-1", nil), ("+1", nil), ("9223372036854775808", nil), ("x", nil), ("9223372036854775807", nil),
        ("9007199254740992", 9_007_199_254_740_992),
    ])
    func `an impossible length counts as none`(text: String, length: Int64?) {
        #expect(block("HTTP/1.1 206 Partial", "Content-Length: \(text)").declaredBytes == length)
    }

    struct Case: Sendable {
        var validator = "\"a\""
        var total: Int64? = 100
        var lines: [String]
        var known: [String] = []
        var goesOn: Bool
    }

    @Test func `the target of a redirect is ASCII for every server`() {
        var block = HeaderBlock()
        for line in [Array("HTTP/1.1 302 Found".utf8), Array("Location: /caf".utf8) + [0xe9, 0xcc, 0x81] + Array("?x=1".utf8), []] {
            _ = (line + [13, 10]).withUnsafeBytes { block.take($0) }
        }
        #expect(block.redirectTarget == "/caf%E9%CC%81?x=1")
    }

    @Test(arguments: [
        Case(lines: ["Content-Range: bytes 40-99/100"], goesOn: true),
        Case(lines: ["Content-Range: bytes 40-99/100", "ETag: \"a\""], goesOn: true),
        Case(lines: ["Content-Range: bytes 40-99/100", "ETag: \"b\""], goesOn: false),
        Case(lines: ["Content-Range: bytes 40-99/100", "ETag: W/\"a\""], goesOn: false),
        Case(lines: ["Content-Range: bytes 40-109/110"], goesOn: false),
        Case(total: nil, lines: ["Content-Range: bytes 40-109/110"], goesOn: true),
        Case(lines: ["Content-Range: bytes 40-79/100"], goesOn: false), Case(lines: ["Content-Range: bytes 41-99/100"], goesOn: false),
        Case(lines: ["Content-Range: bytes 40-99/*"], goesOn: true), Case(lines: ["Content-Range: bytes 40-79/*"], goesOn: false),
        Case(total: nil, lines: ["Content-Range: bytes 40-79/*"], goesOn: false), Case(lines: [], goesOn: false),
        Case(lines: ["Content-Range: bytes 40-9223372036854775807/*"], goesOn: false),
        Case(total: .max, lines: ["Content-Range: bytes 40-9223372036854775806/9223372036854775807"], goesOn: false),
        Case(lines: ["Content-Range: bytes +40-99/100"], goesOn: false), Case(lines: ["Content-Range: bytes 40--1/*"], goesOn: false),
        Case(lines: ["Content-Range: bytes 40-99/100", "Content-Encoding: gzip"], goesOn: false),
        Case(
            validator: "Mon, 02 Nov 2026 10:00:00 GMT", lines: ["Content-Range: bytes 40-99/100", "Last-Modified: Mon, 02 Nov 2026 10:00:01 GMT"],
            goesOn: false),
        Case(validator: "Mon, 02 Nov 2026 10:00:00 GMT", lines: ["Content-Range: bytes 40-99/100", "ETag: \"b\""], goesOn: true),
        Case(
            lines: ["Content-Range: bytes 40-99/100", "Last-Modified: Mon, 02 Nov 2026 10:00:01 GMT"], known: ["Mon, 02 Nov 2026 10:00:00 GMT"],
            goesOn: false),
        Case(
            lines: ["Content-Range: bytes 40-99/100", "Last-Modified: Mon, 02 Nov 2026 10:00:00 GMT"], known: ["Mon, 02 Nov 2026 10:00:00 GMT"],
            goesOn: true),
        Case(lines: ["Content-Range: bytes 40-99/100", "Last-Modified: Mon, 02 Nov 2026 10:00:01 GMT"], goesOn: true),
    ])
    func `the remainder of a download belongs to its beginning, or is refused`(one: Case) {
        var block = HeaderBlock()
        for line in ["HTTP/1.1 206 Partial"] + one.lines + [""] { _ = Array((line + "\r\n").utf8).withUnsafeBytes { block.take($0) } }
        let headers = one.known.map { (name: "last-modified", value: $0) }
        #expect(block.delivers(TransferRequest.Resume(offset: 40, validator: one.validator, total: one.total, headers: headers)) == one.goesOn)
    }
}
