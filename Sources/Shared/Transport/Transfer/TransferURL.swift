import CCurl
import TintypeCore

/// A URL in its parts, as curl will read it, so that what is checked is what is connected to. A pure value.
package struct TransferURL: Sendable, Hashable {
    /// The whole URL without user, password and fragment. Of http and https it is ASCII.
    package let text: String
    package let scheme: String
    /// In lower case; an IPv6 address keeps its brackets.
    package let host: String
    /// The host as names are compared: what is not ASCII in its ASCII form, no dots at the end, numbers that stand for an address as that; nil
    /// when it has none.
    package let plainHost: String?
    /// The same as queues know hosts: an IPv6 address without its brackets.
    package var queuedHost: String? { plainHost.map { $0.hasPrefix("[") ? String($0.dropFirst().dropLast()) : $0 } }
    package let port: Int
    package let user: String?
    package let password: String?

    /// nil when the text is not an absolute URL.
    package init?(_ text: String) {
        guard let handle = curl_url() else { return nil }
        defer { curl_url_cleanup(handle) }
        guard curl_url_set(handle, CURLUPART_URL, text, Self.parsing) == CURLUE_OK else { return nil }
        self.init(handle)
    }

    /// What a `Location` header found at this URL points to; nil when that cannot be parsed.
    package func resolving(_ location: String) -> TransferURL? {
        guard let handle = curl_url() else { return nil }
        defer { curl_url_cleanup(handle) }
        guard curl_url_set(handle, CURLUPART_URL, text, Self.parsing) == CURLUE_OK,
            curl_url_set(handle, CURLUPART_URL, location, Self.parsing | UInt32(CURLU_URLENCODE)) == CURLUE_OK
        else { return nil }
        return TransferURL(handle)
    }

    /// What curl leaves as it is and browsers do not (URL Standard, the query percent-encode set): a quotation mark would end the field `uri` of
    /// a digest before its time, and strict servers refuse it, both angle brackets and what is not ASCII.
    private static func quoting(_ text: String) -> String {
        PercentText.escaping(text.utf8) { $0 >= 0x80 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: ">") }
    }

    /// Whether both lead to the same server: what credentials are meant for.
    package func hasSameOrigin(as other: TransferURL) -> Bool {
        scheme == other.scheme && host == other.host && port == other.port
    }

    package var isHTTP: Bool { scheme == "http" || scheme == "https" }

    private static let parsing = UInt32(CURLU_NON_SUPPORT_SCHEME) | UInt32(CURLU_ALLOW_SPACE)

    private init?(_ handle: OpaquePointer) {
        guard let scheme = Self.part(handle, CURLUPART_SCHEME) else { return nil }
        self.scheme = scheme.lowercased()
        host = Self.part(handle, CURLUPART_HOST)?.lowercased() ?? ""
        let plain = Self.part(handle, CURLUPART_HOST, UInt32(CURLU_PUNYCODE))?.lowercased()
        if let plain, plain != host || plain.hasSuffix(".") { plainHost = Self.address(of: plain) } else { plainHost = plain }
        port = Self.part(handle, CURLUPART_PORT, UInt32(CURLU_DEFAULT_PORT)).flatMap { Int($0) } ?? 0
        user = Self.part(handle, CURLUPART_USER, UInt32(CURLU_URLDECODE))
        password = Self.part(handle, CURLUPART_PASSWORD, UInt32(CURLU_URLDECODE))
        for secret in [CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_FRAGMENT] { curl_url_set(handle, secret, nil, 0) }
        guard let text = Self.part(handle, CURLUPART_URL, UInt32(CURLU_URLENCODE)) else { return nil }
        self.text = ["http", "https"].contains(self.scheme) ? Self.quoting(text) : text
        if isHTTP, host.isEmpty { return nil }
    }

    /// A name without its last dots: it may be a number that is known as an address only now.
    private static func address(of name: String) -> String {
        let end = name.lastIndex { $0 != "." }.map { name.index(after: $0) } ?? name.startIndex
        let name = String(name[..<end])
        guard let handle = curl_url() else { return name }
        defer { curl_url_cleanup(handle) }
        guard curl_url_set(handle, CURLUPART_URL, "http://\(name)/", parsing) == CURLUE_OK else { return name }
        return part(handle, CURLUPART_HOST)?.lowercased() ?? name
    }

    private static func part(_ handle: OpaquePointer, _ part: CURLUPart, _ flags: UInt32 = 0) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(handle, part, &text, flags) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }
}
