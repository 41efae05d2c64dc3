/// A URL of http or https in the parts that rules change one by one; put together again it differs in nothing else. A pure value.
struct URLParts: Sendable, Hashable {
    var scheme: String
    /// User and password with their @, or nothing.
    let userInfo: String
    /// Host and port as they were written.
    var place: String
    /// With its first slash, or empty.
    var path: String
    /// What stands between the question mark and the fragment; nil without one.
    var query: String?

    /// nil for what is no absolute URL of http or https.
    init?(_ url: String) {
        guard let address = try? WebAddress(url), !address.host.isEmpty, let colon = url.firstIndex(of: ":") else { return nil }
        scheme = address.scheme
        var rest = url[url.index(after: colon)...].dropFirst(2).prefix { $0 != "#" }
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        rest = rest[authority.endIndex...]
        let start = authority.lastIndex(of: "@").map { authority.index(after: $0) } ?? authority.startIndex
        (userInfo, place) = (String(authority[..<start]), String(authority[start...]))
        let mark = rest.firstIndex(of: "?")
        path = String(rest[..<(mark ?? rest.endIndex)])
        query = mark.map { String(rest[rest.index(after: $0)...]) }
    }

    var text: String { "\(scheme)://\(userInfo)\(place)\(path)\(query.map { "?" + $0 } ?? "")" }

    /// The same without user and password.
    var textWithoutUser: String { "\(scheme)://\(place)\(path)\(query.map { "?" + $0 } ?? "")" }

    /// The query's parameters as they were written.
    var params: [Param] {
        get { (query ?? "").split(separator: "&").map { Param(text: String($0)) } }
        set { query = newValue.isEmpty ? nil : newValue.map(\.text).joined(separator: "&") }
    }

    /// One parameter of a query.
    struct Param: Sendable, Hashable {
        /// `name=value`, encoded.
        let text: String

        init(text: String) { self.text = text }
        init(_ name: String, _ value: String) { text = PercentText.encoded(name) + "=" + PercentText.encoded(value) }

        /// Decoded.
        var name: String { PercentText.decoded(text.prefix { $0 != "=" }) }
    }

    /// The path as rules see it: characters that need no escape have none, and dot segments are resolved (RFC 3986 §5.2.4), so that nothing is
    /// passed by spelling it otherwise: servers take `%2e%2e` for what it is, and `%2f` around it.
    var plainPath: String { resolved ?? (path.isEmpty ? "/" : decodedPath) }

    /// The path as it was written where it has no dot segments, else without them: it can be put behind another.
    var levelPath: String { resolved ?? path }

    private var decodedPath: String { PercentText.decoded(path, only: PercentText.isUnreserved) }

    /// nil where nothing climbs.
    private var resolved: String? {
        let open = decodedPath.replacing("%2f", with: "/").replacing("%2F", with: "/")
        guard open.split(separator: "/").contains(where: { $0 == "." || $0 == ".." }) else { return nil }
        return TransferURL("http://level\(open)").flatMap { URLParts($0.text)?.path }
    }
}
