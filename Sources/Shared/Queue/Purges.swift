package import TintypeCore
package import TintypeTransport

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
        try Self.check(prefix, at: "prefix", reach: "the beginning of an http, https, file or s3 URL, the slash behind its host included", needsPath: true)
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

/// The purges of the last days, as Redis lists them. A kept source is asked about here before it is used, since stores cannot list sources by URL. So
/// is a result of the second place of results, which is never written.
///
/// Times are those of the clock of Redis, so clocks of other machines do not count. One call to Redis shows whether there was a purge since the list
/// was last read. Lives on the loop.
@Loop
package final class PurgeList {
    private let node: RedisNode
    /// The time of the newest purge in `purges`.
    private var newest: Int64 = 0
    private var purges: [(target: PurgeTarget, at: Int64)] = []

    package init(_ redis: RedisNodes) { node = redis.node(for: QueueKeys.shared) }

    /// Returns whether a source or result was purged.
    /// - Parameters:
    ///   - urls: the URLs of the source, as results show them.
    ///   - kept: its key in a store; nil if it was not kept.
    ///   - since: when the run began that brought it. Epoch ms of Redis; 0 if unknown.
    package func hits(_ urls: [String], kept: PurgedKey? = nil, since: Int64) async throws(RedisError) -> Bool {
        guard let last = try await node.command(["HGET", .string(QueueKeys.settings), "purgedAt"]).int, last >= since else {
            return false
        }
        if last != newest {
            let listed = try await node.command(["ZRANGE", .string(QueueKeys.purges), "0", "-1", "WITHSCORES"]).array ?? []
            purges = stride(from: 0, to: listed.count - 1, by: 2).compactMap { place in
                guard let target = listed[place].string.flatMap({ PurgeTarget(member: $0) }), let at = listed[place + 1].int
                else { return nil }
                return (target, at)
            }
            newest = last
        }
        let forms = PurgeTarget.forms(of: urls)
        if purges.contains(where: { $0.at >= since && $0.target.hits(forms: forms) }) { return true }
        guard let kept else { return false }
        return try await node.command(["ZSCORE", .string(QueueKeys.purgedKeys), .string(kept.member)]).int.map { $0 >= since } ?? false
    }
}

/// The key of a result or of a kept source that a purge by tag is about. A pure value.
package enum PurgedKey: Sendable, Hashable {
    /// A key of the tier `results`.
    case result(String)
    /// A key of the tier `sources`.
    case source(String)

    /// The form in Redis, which is that of members of tags.
    var member: String {
        switch self {
        case .result(let key): "x:" + key
        case .source(let key): "s:" + key
        }
    }
}
