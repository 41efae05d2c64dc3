import CCurl

/// The parts of a URL as curl reads them, so that the checked host is the one connected to. A pure value.
package struct TransferURL: Sendable, Hashable {
    /// The whole URL without user, password and fragment. It is ASCII for http and https.
    package let text: String
    package let scheme: String
    /// The host in lower case. An IPv6 address keeps its brackets.
    package let host: String
    /// The host for comparisons: in its ASCII form, without dots at the end, and with numbers that stand for an address as that address. It is nil
    /// without a host.
    package let plainHost: String?
    /// The same in the form of the queues: an IPv6 address without its brackets.
    package var queuedHost: String? { plainHost.map { $0.hasPrefix("[") ? String($0.dropFirst().dropLast()) : $0 } }
    package let port: Int
    package let user: String?
    package let password: String?

    /// nil if the text is not an absolute URL.
    package init?(_ text: String) {
        guard let handle = curl_url() else { return nil }
        defer { curl_url_cleanup(handle) }
        guard curl_url_set(handle, CURLUPART_URL, text, Self.parsing) == CURLUE_OK else { return nil }
        self.init(handle)
    }

    /// Returns the target of a `Location` header at this URL; nil if it cannot be parsed.
    package func resolving(_ location: String) -> TransferURL? {
        guard let handle = curl_url() else { return nil }
        defer { curl_url_cleanup(handle) }
        // curl would make a plus sign of a space in a query.
        let location = PercentText.escaping(location.utf8) { $0 == UInt8(ascii: " ") }
        guard curl_url_set(handle, CURLUPART_URL, text, Self.parsing) == CURLUE_OK,
            curl_url_set(handle, CURLUPART_URL, location, Self.parsing | UInt32(CURLU_URLENCODE)) == CURLUE_OK
        else { return nil }
        return TransferURL(handle)
    }

    /// Escapes characters that browsers escape and curl does not (URL Standard, the query percent-encode set). A quotation mark would end the field
    /// `uri` of a digest early. Strict servers refuse it, both angle brackets, and characters that are not ASCII.
    private static func quoting(_ text: String) -> String {
        PercentText.escaping(text.utf8) { $0 >= 0x80 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: ">") }
    }

    /// Returns whether both lead to the same server, for which credentials are meant.
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

    /// Returns a name without its last dots. Only then curl may recognize a number as an address.
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
