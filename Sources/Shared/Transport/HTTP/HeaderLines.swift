/// The header lines of an answer as bytes, made once for any number of answers. Pure.
package struct HeaderLines: Sendable {
    /// Each line with its end.
    private(set) var bytes: [UInt8] = []
    /// Whether the connection ends with the answer. The line itself is written by `AnswerHead`.
    private(set) var closes = false
    private(set) var hasLength = false
    private(set) var hasDate = false

    package init(_ headers: [(String, String)] = []) {
        for (name, value) in headers { add(name, value) }
    }

    /// Adds a line. A name or value that would end the line is left out, so that no text of a client becomes a header.
    package mutating func add(_ name: String, _ value: String) {
        guard !name.isEmpty, Self.isHarmless(name), Self.isHarmless(value) else { return }
        switch name.utf8.count {
        case 4 where ASCII.isSame(Array(name.utf8), ASCII.bytes(of: "date")): hasDate = true
        case 10 where ASCII.isSame(Array(name.utf8), ASCII.bytes(of: "connection")):
            closes = ASCII.isSame(Array(value.utf8), ASCII.bytes(of: "close"))
            return
        case 14 where ASCII.isSame(Array(name.utf8), ASCII.bytes(of: "content-length")): hasLength = true
        default: break
        }
        bytes.append(contentsOf: name.utf8)
        bytes.append(contentsOf: [UInt8(ascii: ":"), 32])
        bytes.append(contentsOf: value.utf8)
        bytes.append(contentsOf: [13, 10])
    }

    private static func isHarmless(_ text: String) -> Bool { text.utf8.allSatisfy { $0 != 10 && $0 != 13 && $0 != 0 } }
}
