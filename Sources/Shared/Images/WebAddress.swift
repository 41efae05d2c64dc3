/// The parts of a URL that admission looks at (RFC 3986). libcurl parses it again and has the last word; this one only refuses early.
package struct WebAddress: Sendable, Hashable {
    package enum ParseError: Error, Sendable { case relative, malformed(String) }

    package let scheme: String
    /// As it will be connected to, however it is spelt, without port and brackets; empty for schemes without an authority.
    package let host: String
    package let hasUserInfo: Bool
    /// The one spelling of a URL that keys are made of: scheme and host in lower case, no default port, a path, no fragment.
    package let normalized: String

    /// - Throws: `ParseError` for what has no scheme or a broken authority.
    package init(_ text: String) throws(ParseError) {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f }) else { throw .malformed("it holds a space or a control character") }
        guard let colon = text.firstIndex(of: ":"), let first = text.utf8.first, (first | 0x20) >= 0x61, (first | 0x20) <= 0x7a,
            text[..<colon].utf8.allSatisfy({ $0 == 0x2b || $0 == 0x2d || $0 == 0x2e || (0x30...0x39).contains($0) || (0x61...0x7a).contains($0 | 0x20) })
        else { throw .relative }
        scheme = text[..<colon].lowercased()
        let rest = text[text.index(after: colon)...]
        guard ["http", "https"].contains(scheme) else {
            host = ""
            hasUserInfo = false
            normalized = scheme + ":" + rest
            return
        }
        guard rest.hasPrefix("//") else { throw .malformed("// is missing after \(scheme):") }
        var authority = rest.dropFirst(2).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard !authority.contains("\\") else { throw .malformed("a backslash stands in the host") }
        let tail = rest[authority.endIndex...].prefix { $0 != "#" }
        hasUserInfo = authority.contains("@")
        let userInfo = authority[..<(authority.lastIndex(of: "@").map { authority.index(after: $0) } ?? authority.startIndex)]
        if let at = authority.lastIndex(of: "@") { authority = authority[authority.index(after: at)...] }
        var name = authority
        var port: Substring?
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { throw .malformed("the bracket of the address is not closed") }
            name = authority[authority.index(after: authority.startIndex)..<end]
            guard name.utf8.allSatisfy({ $0 == 0x3a || $0 == 0x2e || (0x30...0x39).contains($0) || (0x61...0x66).contains($0 | 0x20) }) else {
                throw .malformed("what stands in brackets is no IPv6 address")
            }
            let after = authority[authority.index(after: end)...]
            if !after.isEmpty {
                guard after.hasPrefix(":") else { throw .malformed("something stands between the address and its port") }
                port = after.dropFirst()
            }
        } else if let colon = authority.firstIndex(of: ":") {
            name = authority[..<colon]
            port = authority[authority.index(after: colon)...]
        }
        guard !name.isEmpty else { throw .malformed("the host is missing") }
        guard name.utf8.allSatisfy({ $0 < 0x80 }) else {
            throw .malformed("its host is not ASCII; hosts are written as DNS has them, such as xn--mller-kva.example")
        }
        if let port, !port.isEmpty, !port.utf8.allSatisfy({ (0x30...0x39).contains($0) }) || UInt16(port) == nil {
            throw .malformed("the port is no number from 0 to 65535")
        }
        let spelt = name.lowercased()
        host = Self.isPlain(spelt) ? spelt : Self.plain(authority.hasPrefix("[") ? "[\(spelt)]" : spelt) ?? spelt
        let number = port.flatMap { UInt16($0) }
        let usual: UInt16 = scheme == "http" ? 80 : 443
        let suffix = number.map { $0 == usual ? "" : ":\($0)" } ?? ""
        let place = authority.hasPrefix("[") ? "[\(spelt)]" : spelt
        normalized = "\(scheme)://\(userInfo)\(place)\(suffix)\(tail.hasPrefix("/") ? "" : "/")\(tail)"
    }

    /// Whether it is a name that can be spelt in no other way: no escapes, no dot at the end, no number that stands for an address.
    private static func isPlain(_ host: String) -> Bool {
        let isUsual = host.utf8.allSatisfy { (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2d || $0 == 0x2e || $0 == 0x5f }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        guard isUsual, let first = parts.last?.utf8.first else { return false }
        return !(0x30...0x39).contains(first) || parts.count == 4 && parts.allSatisfy { part in UInt8(part).map { String($0) == part } ?? false }
    }

    /// Without escapes, in ASCII, numbers as addresses; nil for what curl does not take.
    private static func plain(_ host: String) -> String? {
        guard let plain = TransferURL("http://\(host)/")?.plainHost, !plain.isEmpty else { return nil }
        return plain.hasPrefix("[") ? String(plain.dropFirst().dropLast()) : plain
    }
}
