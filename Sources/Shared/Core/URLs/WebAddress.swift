/// The parts of a URL, cut at bytes as curl does (RFC 3986). All code here that looks at a URL uses these parts. A pure value.
///
/// For Swift a slash with an accent is another Character; for curl it is a slash. So nothing is cut at Characters, and an http or https URL with a byte
/// that is not ASCII is refused. The URL is parsed again by libcurl, which decides; a property test compares both.
package struct WebAddress: Sendable, Hashable {
    package enum ParseError: Error, Sendable { case relative, malformed(String) }

    /// The maximum length of an http or https URL in bytes, its parameters included: for sources, mirrors, layers, fallbacks, callbacks and redirects.
    package static let mostBytes = 16 << 10

    /// The scheme in lower case.
    package let scheme: String
    /// The host of the connection, however it is spelled, without port and brackets; empty for schemes without an authority.
    package let host: String
    /// The normalized URL, from which keys are made: scheme and host in lower case, no default port, a path, no fragment.
    package let normalized: String
    /// User and password with their @, or nothing.
    let userInfo: String
    /// Host and port as they were written.
    let place: String
    /// The path with its first slash, or empty.
    let path: String
    /// The text between the question mark and the fragment; nil without one.
    let query: String?

    package var hasUserInfo: Bool { !userInfo.isEmpty }

    /// - Throws: `ParseError` for text without a scheme, a broken authority, or a byte that must be escaped.
    package init(_ text: String) throws(ParseError) {
        let bytes = text.utf8
        guard bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7f }) else { throw .malformed("it contains a space or a control character") }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), let first = bytes.first, first.isLetter,
            bytes[..<colon].allSatisfy(Self.isOfScheme)
        else { throw .relative }
        scheme = text[..<colon].lowercased()
        let rest = bytes[bytes.index(after: colon)...]
        guard ["http", "https"].contains(scheme) else {
            (host, userInfo, place, path, query) = ("", "", "", "", nil)
            normalized = scheme + ":" + Substring(rest)
            return
        }
        guard bytes.allSatisfy({ $0 < 0x80 }) else {
            throw .malformed("it is not ASCII; percent-encode it (%C3%A9 for é), and write the host as DNS has it, such as xn--mller-kva.example")
        }
        guard rest.starts(with: "//".utf8) else { throw .malformed("// is missing after \(scheme):") }
        let authority = rest.dropFirst(2).prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        guard !authority.contains(UInt8(ascii: "\\")) else { throw .malformed("the host contains a backslash") }
        let tail = rest[authority.endIndex...].prefix { $0 != UInt8(ascii: "#") }
        let mark = tail.firstIndex(of: UInt8(ascii: "?"))
        let hostStart = authority.firstIndex(of: UInt8(ascii: "@")).map { bytes.index(after: $0) } ?? authority.startIndex
        let place = authority[hostStart...]
        guard !place.contains(UInt8(ascii: "@")) else { throw .malformed("an @ in the user or password must be %40") }
        let (name, port) = try Self.name(place)
        let isBracketed = place.first == UInt8(ascii: "[")
        let spelt = isBracketed ? "[\(name.lowercased())]" : name.lowercased()
        host = try Self.host(spelt)
        let usual: UInt16 = scheme == "http" ? 80 : 443
        let suffix = port.map { $0 == usual ? "" : ":\($0)" } ?? ""
        userInfo = String(Substring(authority[..<hostStart]))
        self.place = String(Substring(place))
        path = String(Substring(tail[..<(mark ?? tail.endIndex)]))
        query = mark.map { String(Substring(tail[bytes.index(after: $0)...])) }
        normalized = "\(scheme)://\(userInfo)\(spelt)\(suffix)\(path.isEmpty ? "/" : "")\(Substring(tail))"
    }

    /// Returns the host and port of the text after the user. An address in brackets loses them.
    private static func name(_ place: Substring.UTF8View) throws(ParseError) -> (name: Substring, port: UInt16?) {
        var name = place
        var port: Substring.UTF8View?
        if place.first == UInt8(ascii: "[") {
            guard let end = place.firstIndex(of: UInt8(ascii: "]")) else { throw .malformed("the bracket of the address is not closed") }
            name = place[..<end].dropFirst()
            guard name.allSatisfy({ $0 == 0x3a || $0 == 0x2e || $0.isDigit || (0x61...0x66).contains($0 | 0x20) }) else {
                throw .malformed("the text in brackets is no IPv6 address")
            }
            let after = place[end...].dropFirst()
            guard after.isEmpty || after.first == UInt8(ascii: ":") else { throw .malformed("there is text between the address and its port") }
            if !after.isEmpty { port = after.dropFirst() }
        } else if let colon = place.firstIndex(of: UInt8(ascii: ":")) {
            name = place[..<colon]
            port = place[colon...].dropFirst()
        }
        guard !name.isEmpty else { throw .malformed("the host is missing") }
        guard let port, !port.isEmpty else { return (Substring(name), nil) }
        guard let number = WireNumber.digits(Substring(port)), let exact = UInt16(exactly: number) else {
            throw .malformed("the port is no number from 0 to 65535")
        }
        return (Substring(name), exact)
    }

    /// Returns the host without escapes, in ASCII, with numbers as addresses.
    private static func host(_ spelt: String) throws(ParseError) -> String {
        if isPlain(spelt) { return spelt }
        guard let plain = TransferURL("http://\(spelt)/")?.queuedHost, !plain.isEmpty else { throw .malformed("its host is neither a name nor an address") }
        return plain
    }

    /// Returns whether the name has only one spelling: no escapes, no dot at the end, no number that stands for an address.
    private static func isPlain(_ host: String) -> Bool {
        guard host.utf8.allSatisfy({ (0x61...0x7a).contains($0) || $0.isDigit || $0 == 0x2d || $0 == 0x2e || $0 == 0x5f }) else { return false }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        guard let first = parts.last?.utf8.first else { return false }
        return !first.isDigit || parts.count == 4 && parts.allSatisfy { part in UInt8(part).map { String($0) == part } ?? false }
    }

    /// Whether a scheme may have the byte behind its first letter.
    static func isOfScheme(_ byte: UInt8) -> Bool { byte.isLetter || byte.isDigit || byte == 0x2b || byte == 0x2d || byte == 0x2e }
}
