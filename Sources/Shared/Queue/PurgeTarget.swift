package import TintypeCore
import TintypeTransport

/// The sources that a purge is about: those of one URL, or of all URLs that begin with a text. A pure value.
///
/// URLs are compared as results show them, without user, password and signatures. Scheme and host count in lower case, and a default port as none.
/// Everything behind the host is compared byte by byte: no character of a prefix has a meaning of its own.
package struct PurgeTarget: Sendable, Hashable {
    package enum Kind: String, Sendable, CaseIterable {
        case url = "u"
        case prefix = "p"
    }

    package let kind: Kind
    /// The URL, or the beginning of URLs.
    package let text: String

    /// The longest URL or prefix, in bytes.
    package static let mostBytes = WebAddress.mostBytes

    private init(_ kind: Kind, _ text: String) { (self.kind, self.text) = (kind, text) }

    /// The sources at one URL, whatever their headers, bodies and scopes are.
    /// - Throws: `invalidParams` for a URL that names no server, file or object.
    package init(url: String) throws(TintypeError) {
        try Self.check(url, at: "url", reach: "an http, https, file or s3 URL", needsPath: false)
        self.init(.url, Self.normal(UnsignedURL(url).description))
    }

    /// The sources whose URL begins with a text.
    /// - Throws: `invalidParams` for a text that ends before the slash behind the host: it could mean other hosts.
    package init(prefix: String) throws(TintypeError) {
        try Self.check(
            prefix, at: "prefix", reach: "the beginning of an http, https, file or s3 URL, the slash behind its host included", needsPath: true)
        self.init(.prefix, Self.normal(UnsignedURL(prefix).description))
    }

    /// Reads the text from `member`; nil for the text of another version of the program.
    package init?(member: String) {
        guard let kind = Kind(rawValue: String(member.prefix(1))), member.dropFirst().first == " " else { return nil }
        self.init(kind, String(member.dropFirst(2)))
    }

    /// The form in Redis.
    package var member: String { "\(kind.rawValue) \(text)" }

    /// Returns whether the purge is about a source.
    /// - Parameter urls: all URLs of the source, as results show them.
    package func hits(_ urls: [String]) -> Bool { hits(forms: Self.forms(of: urls)) }

    /// The same for URLs in all their forms (`forms`), which many purges share.
    package func hits(forms: [String]) -> Bool {
        switch kind {
        case .url: forms.contains(text)
        case .prefix: forms.contains { $0.utf8.starts(with: text.utf8) }
        }
    }

    /// Returns the URLs in the SourceInfo of a result or of a kept source.
    package static func urls(of source: JSON) -> [String] { [source["url"]?.string, source["finalURL"]?.string].compactMap(\.self) }

    /// Returns URLs as results show them, and as purges name them.
    package static func forms(of urls: [String]) -> [String] {
        urls
            + urls.compactMap { url in
                let form = normal(url)
                return form == url ? nil : form
            }
    }

    private static func check(_ url: String, at path: String, reach: String, needsPath: Bool) throws(TintypeError) {
        let refusal = TintypeError.invalidParams(path: path, shown: .string(RedactedURL(url).description), expected: reach)
        guard url.utf8.count <= mostBytes, let address = try? WebAddress(url) else { throw refusal }
        guard ["http", "https", "file", "s3"].contains(address.scheme) else { throw refusal }
        let rest = url.utf8.drop { $0 != UInt8(ascii: ":") }.dropFirst()
        guard rest.starts(with: "//".utf8) else { throw refusal }
        if needsPath, !rest.dropFirst(2).contains(UInt8(ascii: "/")) || rest.contains(UInt8(ascii: "#")) { throw refusal }
    }

    /// Returns a shown URL with scheme and host in lower case and without a default port. Most URLs are written so, and are not parsed.
    private static func normal(_ url: String) -> String {
        guard mayBeFolded(url), let address = try? WebAddress(url) else { return url }
        return address.normalized
    }

    private static func mayBeFolded(_ url: String) -> Bool {
        var slashes = 0
        for byte in url.utf8 {
            if byte == UInt8(ascii: "/") { slashes += 1 }
            if slashes == 3 { return false }
            // A port, a capital letter, or a URL that ends with its host.
            if slashes == 2, byte == UInt8(ascii: ":") || byte == UInt8(ascii: "?") { return true }
            if (0x41...0x5a).contains(byte) { return true }
        }
        return slashes == 2
    }
}
