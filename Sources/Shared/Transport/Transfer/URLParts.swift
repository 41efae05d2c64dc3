import TintypeCore

/// A URL of http or https in the parts of `WebAddress`, which rules change one by one; put together again it differs in nothing else. A pure value.
package struct URLParts: Sendable, Hashable {
    package var scheme: String
    /// User and password with their @, or nothing.
    package let userInfo: String
    /// Host and port as they were written.
    package var place: String
    /// With its first slash, or empty.
    package var path: String
    /// What stands between the question mark and the fragment; nil without one.
    package var query: String?

    /// nil for what is no absolute URL of http or https.
    package init?(_ url: String) {
        guard let address = try? WebAddress(url), !address.host.isEmpty else { return nil }
        (scheme, userInfo, place) = (address.scheme, address.userInfo, address.place)
        (path, query) = (address.path, address.query)
    }

    package var text: String { "\(scheme)://\(userInfo)\(place)\(path)\(query.map { "?" + $0 } ?? "")" }

    /// The same without user and password.
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

        /// Decoded.
        package var name: String { PercentText.decoded(text.prefix { $0 != "=" }) }
    }

    /// The path as rules see it: characters that need no escape have none, escapes are in upper case, and dot segments are resolved (RFC 3986 §5.2.4,
    /// §6.2.2), so that nothing is passed by spelling it otherwise: servers take `%2e%2e` for what it is, and `%2f` around it.
    package var plainPath: String { resolved ?? (path.isEmpty ? "/" : decodedPath) }

    /// The path as it was written where it has no dot segments, else without them: it can be put behind another.
    package var levelPath: String { resolved ?? path }

    /// The path as the loosest of servers may take it: `%2F` is a slash, a run of slashes is one, and only then dot segments are resolved. What is
    /// denied is denied in this spelling too; nothing is allowed or rewritten by it, for other servers tell the spellings apart.
    package var mergedPath: String {
        var bytes: [UInt8] = []
        for byte in openPath.utf8 where byte != UInt8(ascii: "/") || bytes.last != byte { bytes.append(byte) }
        let merged = String(decoding: bytes, as: UTF8.self)
        return Self.resolved(merged) ?? (merged.isEmpty ? "/" : merged)
    }

    private var decodedPath: String { PercentText.plain(path) }
    private var openPath: String { decodedPath.replacing("%2F", with: "/") }

    /// nil where nothing climbs.
    private var resolved: String? { Self.resolved(openPath) }

    private static func resolved(_ open: String) -> String? {
        guard open.split(separator: "/").contains(where: { $0 == "." || $0 == ".." }) else { return nil }
        return TransferURL("http://level\(open)").flatMap { URLParts($0.text)?.path }
    }
}
