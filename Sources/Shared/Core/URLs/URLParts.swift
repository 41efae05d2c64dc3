/// The parts of an http or https URL as in `WebAddress`, which rules change one by one. The other parts stay exactly as they were. A pure value.
package struct URLParts: Sendable, Hashable {
    package var scheme: String
    /// User and password with their @, or nothing.
    package let userInfo: String
    /// Host and port as they were written.
    package var place: String
    /// The path with its first slash, or empty.
    package var path: String
    /// The text between the question mark and the fragment; nil without one.
    package var query: String?

    /// nil for text that is no absolute http or https URL.
    package init?(_ url: String) {
        guard let address = try? WebAddress(url), !address.host.isEmpty else { return nil }
        (scheme, userInfo, place) = (address.scheme, address.userInfo, address.place)
        (path, query) = (address.path, address.query)
    }

    package var text: String { "\(scheme)://\(userInfo)\(place)\(path)\(query.map { "?" + $0 } ?? "")" }

    /// The URL without user and password.
    package var textWithoutUser: String { "\(scheme)://\(place)\(path)\(query.map { "?" + $0 } ?? "")" }

    /// The query's parameters as they were written.
    package var params: [Param] {
        get { (query ?? "").split(separator: "&").map { Param(text: String($0)) } }
        set { query = newValue.isEmpty ? nil : newValue.map(\.text).joined(separator: "&") }
    }

    /// One parameter of a query.
    package struct Param: Sendable, Hashable {
        /// `name=value`, encoded.
        package let text: String

        init(text: String) { self.text = text }
        package init(_ name: String, _ value: String) { text = PercentText.encoded(name) + "=" + PercentText.encoded(value) }

        /// The decoded name.
        package var name: String { PercentText.decoded(text.prefix { $0 != "=" }) }
    }

    /// The path for rules. Characters that need no escape have none, escapes are in upper case, and dot segments are resolved (RFC 3986 §5.2.4,
    /// §6.2.2). So no spelling bypasses a rule: servers decode `%2e%2e`, and `%2f` around it.
    package var plainPath: String { resolved ?? (path.isEmpty ? "/" : decodedPath) }

    /// The path as written if it has no dot segments, else with them resolved. It can be appended to another path.
    package var levelPath: String { resolved ?? path }

    /// The path as the most lenient server may read it: `%2F` is a slash, and a run of slashes is one. Then dot segments are resolved. A denied path is
    /// denied in this spelling too. Nothing is allowed or rewritten by it, since other servers distinguish the spellings.
    package var mergedPath: String {
        var bytes: [UInt8] = []
        for byte in openPath.utf8 where byte != UInt8(ascii: "/") || bytes.last != byte { bytes.append(byte) }
        let merged = String(decoding: bytes, as: UTF8.self)
        return Self.resolved(merged) ?? (merged.isEmpty ? "/" : merged)
    }

    private var decodedPath: String { PercentText.plain(path) }
    private var openPath: String { decodedPath.replacing("%2F", with: "/") }

    /// nil without dot segments.
    private var resolved: String? { Self.resolved(openPath) }

    private static func resolved(_ open: String) -> String? {
        guard open.split(separator: "/").contains(where: { $0 == "." || $0 == ".." }) else { return nil }
        return TransferURL("http://level\(open)").flatMap { URLParts($0.text)?.path }
    }
}
