import TintypeCore

/// The next request of a transfer, after each redirect. A pure value.
///
/// Redirects are followed here and not by curl, so that each one is judged. The plan checks the scheme, the host and whether the redirect leaves TLS,
/// and decides which parts of the request may be sent. Only headers that describe the wanted content are sent to another origin. Names, passwords,
/// cookies and all other headers of the caller are not.
struct RedirectPlan {
    private(set) var url: TransferURL
    private(set) var method: String
    private(set) var headers: [(name: String, value: String)]
    private(set) var body: [UInt8]?
    private(set) var credentials: TransferCredentials?
    /// The redirects so far.
    private(set) var hops: [TransferHop] = []
    private let request: TransferRequest
    private let first: TransferURL
    /// Whether this URL is the one that the request's validators belong to.
    private var isSubject = false

    /// Headers that say nothing about the identity of the client.
    private static let harmless: Set<String> = ["accept", "accept-language", "user-agent"]

    /// - Throws: `invalidURL`, or `denied` for a scheme other than http and https.
    init(_ request: TransferRequest) throws(TintypeError) {
        guard let url = TransferURL(request.url) else { throw TransferFailure.invalidURL(request.url) }
        guard url.isHTTP else { throw TransferFailure.deniedScheme(url.scheme) }
        guard request.headers.allSatisfy({ Self.isSafe($0.name, isName: true) && Self.isSafe($0.value, isName: false) }) else {
            throw TransferFailure.invalidHeader()
        }
        (self.url, first, self.request) = (url, url, request)
        (method, headers, body) = (request.method, request.headers, request.body)
        credentials = request.credentials ?? url.user.map { .basic(user: $0, password: url.password ?? "") }
        recognize()
    }

    var redirects: Int { hops.count }

    /// The beginning of the resource at this URL, if it is known.
    var resume: TransferRequest.Resume? { isSubject ? request.resume : nil }

    /// The validators for this URL, to ask whether its resource has changed.
    var conditions: [(name: String, value: String)] { isSubject ? request.conditions : [] }

    private mutating func recognize() {
        guard request.resume != nil || !request.conditions.isEmpty else { return }
        isSubject = ResourceName(url.text) == ResourceName(request.subject ?? first.text)
    }

    /// Follows the redirect of a response.
    /// - Throws: `tooManyRedirects`, `denied` or `invalidURL`.
    mutating func follow(_ hop: TransferHop, location: String) throws(TintypeError) {
        let status = hop.status
        guard redirects < request.maxRedirects else { throw TransferFailure.tooManyRedirects(request.maxRedirects, url.text) }
        guard let next = url.resolving(location) else {
            if let scheme = Self.foreignScheme(of: location) { throw TransferFailure.deniedScheme(scheme) }
            throw TransferFailure.invalidURL(location)
        }
        guard next.isHTTP else { throw TransferFailure.deniedScheme(next.scheme) }
        guard next.text.utf8.count <= WebAddress.mostBytes else { throw TransferFailure.longRedirect(next.text) }
        if url.scheme == "https", next.scheme == "http" { throw TransferFailure.deniedRedirect("from https to http", next.text) }
        if request.sameHostRedirects, next.host != first.host { throw TransferFailure.deniedRedirect("to another host", next.text) }
        if status == 303 && method != "HEAD" || [301, 302].contains(status) && method == "POST" {
            (method, body) = ("GET", nil)
            headers.removeAll { $0.name.lowercased().hasPrefix("content-") }
        }
        if !next.hasSameOrigin(as: url) {
            credentials = nil
            headers.removeAll { !Self.harmless.contains($0.name.lowercased()) }
            if method != "GET", method != "HEAD" { throw TransferFailure.deniedRedirect("of a \(method) to another host", next.text) }
        }
        url = next
        hops.append(hop)
        recognize()
    }

    /// Returns the text before the colon, if it is a scheme (RFC 3986 §3.1) that curl does not accept in a URL, such as `data`.
    private static func foreignScheme(of location: String) -> String? {
        let scheme = location.prefix { $0 != ":" }.lowercased()
        guard scheme.utf8.count < min(location.utf8.count, 32), let first = scheme.first, first.isASCII, first.isLetter,
            scheme.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x7a).contains($0) || "+-.".utf8.contains($0) })
        else { return nil }
        return ["http", "https"].contains(scheme) ? nil : scheme
    }

    /// Returns whether the text contains nothing that ends the header's line early or, in a name, the name.
    private static func isSafe(_ text: String, isName: Bool) -> Bool {
        text.utf8.allSatisfy { $0 >= 32 && $0 != 127 || $0 == 9 && !isName }
            && (!isName || !text.isEmpty && text.utf8.allSatisfy { $0 != 58 && $0 != 59 && $0 != 32 })
    }
}
