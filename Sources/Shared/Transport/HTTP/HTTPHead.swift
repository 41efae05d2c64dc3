import Glibc
import TintypeCore

/// The head of a request: its bytes, and the places of the words in them. Pure.
///
/// The bytes are read once. Texts are made only for words that are needed: most requests need their path and a few headers.
package struct HTTPHead: Sendable, Hashable {
    /// The place of one header line.
    struct Field: Sendable, Hashable {
        let name: Range<Int>
        /// Without the spaces around the value.
        let value: Range<Int>
    }

    private let bytes: [UInt8]
    private let methodPlace: Range<Int>
    private let targetPlace: Range<Int>
    private let fields: [Field]
    /// The announced length of the body, the largest one if there are several; 0 without a valid number; nil for a chunked body.
    package let length: Int?
    /// An ambiguity in the head, if there is one. Another program before this server may have understood the start of the next request, or the host,
    /// differently (RFC 9112 §11.2).
    package let flaw: String?
    /// Whether the version is 1.0, so that the connection ends with the answer unless the client asks otherwise.
    let isOld: Bool
    /// Whether the head has arrived to its end. Otherwise its last word may be cut.
    package private(set) var isWhole = true

    /// - Parameter bytes: all lines, with or without the empty one at the end.
    init(_ bytes: some Collection<UInt8>) { self.init(all: Array(bytes)) }

    init(all bytes: [UInt8]) {
        let lines = bytes.withUnsafeBufferPointer { HTTPHeadLines($0) }
        self.bytes = bytes
        (methodPlace, targetPlace, fields) = (lines.method, lines.target, lines.fields)
        (length, flaw, isOld) = (lines.length, lines.flaw, lines.isOld)
    }

    /// The method as it was sent; empty if there is none.
    package var method: String { text(methodPlace) }

    /// The path of the target as it was sent, without query, and for an absolute URL (RFC 9112 §3.2.2) without scheme and host.
    package var path: String {
        let path = pathPlace
        // An absolute URL may have no path.
        return path.isEmpty && !targetPlace.isEmpty ? "/" : text(path)
    }

    /// The path of the target with all that follows, byte for byte as it was sent; for an absolute URL without scheme and host.
    var target: ArraySlice<UInt8> {
        if bytes[targetPlace].first == UInt8(ascii: "/") { return bytes[targetPlace] }
        return bytes[pathPlace.lowerBound..<targetPlace.upperBound]
    }

    /// The query of the target as it was sent; nil without one.
    var query: String? {
        guard let mark = bytes[targetPlace].firstIndex(of: UInt8(ascii: "?")) else { return nil }
        let rest = bytes[mark + 1..<targetPlace.upperBound]
        return text(rest.startIndex..<(rest.firstIndex(of: UInt8(ascii: "#")) ?? rest.endIndex))
    }

    private var pathPlace: Range<Int> {
        let end = bytes[targetPlace].firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? targetPlace.upperBound
        let path = targetPlace.lowerBound..<end
        guard bytes[path].first != UInt8(ascii: "/"), let slashes = bytes[path].firstRange(of: "://".utf8) else { return path }
        return (bytes[slashes.upperBound..<end].firstIndex(of: UInt8(ascii: "/")) ?? end)..<end
    }

    /// The value of the last `Authorization`.
    package var authorization: String? { fields.last { isName($0.name, "authorization") }.map { text($0.value) } }

    /// Returns the value of the first header of this name; names are compared without case.
    package func header(_ name: String) -> String? {
        for field in fields where isName(field.name, name) { return text(field.value) }
        return nil
    }

    /// Returns a list that may be spread over several headers of one name (RFC 9110 §5.3), in their order; nil without any.
    func list(_ name: String) -> String? {
        var all: String?
        for field in fields where isName(field.name, name) { all = all.map { $0 + ", " + text(field.value) } ?? text(field.value) }
        return all
    }

    /// Returns the headers whose names begin with `prefix`, without the prefix, in their order.
    func headers(after prefix: String) -> [(name: String, value: String)] {
        let count = prefix.utf8.count
        return fields.filter { ASCII.isSame(bytes[$0.name].prefix(count), prefix.utf8) }.map { (text($0.name.dropFirst(count)), text($0.value)) }
    }

    /// The leave for which a client waits before it sends a body (RFC 9110 §10.1.1).
    enum Expectation { case none, proceed, other }

    var expectation: Expectation {
        guard !isOld, let field = fields.first(where: { isName($0.name, "expect") }) else { return .none }
        return ASCII.isSame(bytes[field.value], ASCII.bytes(of: "100-continue")) ? .proceed : .other
    }

    /// Whether the client keeps its connection after the answer.
    var keepsConnection: Bool { !names("close", in: "connection") && (!isOld || names("keep-alive", in: "connection")) }

    /// Returns whether a header of this name contains the word in its list, compared without case.
    private func names(_ word: StaticString, in name: StaticString) -> Bool {
        fields.contains { field in
            isName(field.name, name)
                && bytes[field.value].split(separator: UInt8(ascii: ",")).contains { ASCII.isSame(ASCII.trimmed($0), ASCII.bytes(of: word)) }
        }
    }

    private func isName(_ place: Range<Int>, _ name: StaticString) -> Bool {
        place.count == name.utf8CodeUnitCount && ASCII.isSame(bytes[place], ASCII.bytes(of: name))
    }

    /// Most names differ in length or in their first letter, and no slice is made for those.
    private func isName(_ place: Range<Int>, _ name: String) -> Bool {
        guard place.count == name.utf8.count else { return false }
        var index = place.lowerBound
        for byte in name.utf8 {
            if ASCII.lower(bytes[index]) != ASCII.lower(byte) { return false }
            index += 1
        }
        return true
    }

    private func text(_ place: Range<Int>) -> String { String(decoding: bytes[place], as: UTF8.self) }

    /// Finds the end of a head in bytes that arrive in pieces, and keeps the head.
    struct Scanner: Sendable {
        /// The longest head. The server refuses a longer one.
        static let limit = 32 << 10
        private var bytes: [UInt8] = []
        private var isAtLineStart = true
        private var hasEnded = false
        /// The number of bytes that have arrived.
        private(set) var count = 0

        /// Reads a piece.
        /// - Returns: how many of its bytes belong to the head, once the head is complete; nil before.
        mutating func take(_ piece: some Collection<UInt8>) -> Int? {
            let length = piece.withContiguousStorageIfAvailable { end(in: $0) } ?? Array(piece).withUnsafeBufferPointer { end(in: $0) }
            let taken = length ?? piece.count
            count += taken
            hasEnded = length != nil
            bytes.append(contentsOf: piece.prefix(min(taken, Self.limit - bytes.count)))
            return length
        }

        /// An empty line ends the head. So does a line that begins with NUL, which is refused afterwards: some programs end a text there.
        private mutating func end(in piece: UnsafeBufferPointer<UInt8>) -> Int? {
            guard let base = piece.baseAddress else { return nil }
            var index = 0
            while index < piece.count {
                guard isAtLineStart else {
                    guard let line = memchr(base + index, 10, piece.count - index) else { return nil }
                    index = UnsafeRawPointer(line) - UnsafeRawPointer(base) + 1
                    isAtLineStart = true
                    continue
                }
                let byte = base[index]
                index += 1
                if byte == 10 || byte == 0 { return index }
                if byte != 13 { isAtLineStart = false }
            }
            return nil
        }

        var head: HTTPHead {
            var head = HTTPHead(all: bytes)
            head.isWhole = hasEnded && count <= Self.limit
            return head
        }
    }
}
