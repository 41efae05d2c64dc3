import TintypeCore

/// One address of a source. A pure value.
package struct SourceAddress: Sendable, Hashable {
    /// The URL with the request's parameters.
    package let url: String
    /// The host in lower case, without port. `data:` and `file:` for such URLs, `data:` also for colors and uploads, `s3:bucket` for objects: no host has these names.
    package let host: String
    package let kind: Kind

    package enum Kind: Sendable, Hashable {
        case http
        /// The URL holds the bytes.
        case data
        /// The URL names a color.
        case color(PlainSource)
        /// A file in the operator's folder; the path is decoded.
        case file(path: String)
        /// An object of a bucket that the operator has named.
        case object(BucketObject)
        /// Bytes that a client has sent by `PUT /uploads`.
        case upload(UploadedSource)

        /// Whether somebody is asked over the network, who says how long it lasts and whether it has changed.
        package var isRemote: Bool {
            switch self {
            case .http, .object: true
            case .data, .color, .file, .upload: false
            }
        }
    }

    /// The URL in the form for keys.
    let normalized: String
    /// The URL that stands for this one in keys, if a rule sets one.
    let key: String?

    /// - Throws: `invalidURL` for a URL that is invalid, relative or too long, `denied` for a scheme that is not allowed.
    init(_ url: String, params: [FetchOptions.Header] = [], key: String? = nil) throws(TintypeError) {
        func unusable(_ reason: String, _ url: String) -> TintypeError {
            TintypeError(.invalidURL, .admission, "the URL cannot be used: \(reason)", details: ["url": .string(RedactedURL(url).description)])
        }
        let address: WebAddress
        // Escapes make them longer, never shorter.
        try Self.check(url, length: params.reduce(url.utf8.count) { $0 + $1.name.utf8.count + $1.value.utf8.count + 2 })
        let url = params.isEmpty ? url : Self.appending(params, to: url)
        try Self.check(url, length: url.utf8.count)
        do throws(WebAddress.ParseError) {
            address = try WebAddress(url)
        } catch {
            let reason =
                switch error {
                case .relative: "it has no scheme; give a whole URL such as https://example.org/photo.jpg"
                case .malformed(let text): text
                }
            throw unusable(reason, url)
        }
        switch address.scheme {
        case "http", "https": (host, kind) = (address.host, .http)
        case "data": (host, kind) = ("data:", .data)
        case "file":
            guard let path = Self.path(url) else { throw unusable("the form of a file URL is file:///path", url) }
            (host, kind) = ("file:", .file(path: path))
        case "color":
            guard let plain = PlainSource(url) else { throw unusable(PlainSource.form, url) }
            (host, kind) = ("data:", .color(plain))
        case "s3":
            guard let object = BucketObject(url) else { throw unusable(BucketObject.form, url) }
            (host, kind) = ("s3:\(object.bucket)", .object(object))
        case "upload":
            guard let upload = UploadedSource(url: url) else { throw unusable(UploadedSource.form, url) }
            (host, kind) = ("data:", .upload(upload))
        default:
            throw TintypeError(
                .denied, .admission, "\(address.scheme): URLs are not allowed; use http, https, data, color, file, s3 or upload",
                details: ["url": .string(RedactedURL(url).description), "scheme": .string(address.scheme)])
        }
        (self.url, self.key) = (url, key)
        if let key, let other = try? WebAddress(key) {
            normalized = other.normalized
        } else {
            normalized =
                switch kind {
                case .file(let path): "file:" + path
                case .color(let plain): plain.normalized
                case .object(let object): object.normalized
                case .upload(let upload): upload.url
                case .http, .data: address.normalized
                }
        }
    }

    /// Whether the server has to prove its identity.
    package var isTLS: Bool { kind == .http && url.utf8.prefix(6).elementsEqual("https:".utf8, by: { $0 | 0x20 == $1 | 0x20 }) }

    private static func isHTTP(_ url: String) -> Bool { url.utf8.prefix(4).elementsEqual("http".utf8, by: { $0 | 0x20 == $1 }) }

    private static func check(_ url: String, length: Int) throws(TintypeError) {
        guard length > WebAddress.mostBytes, isHTTP(url) else { return }
        throw TintypeError(
            .invalidURL, .admission,
            "the URL cannot be used: with its parameters it has \(length) bytes, and a URL of http or https has at most \(WebAddress.mostBytes)",
            details: ["value": JSON(length), "allowed": JSON(WebAddress.mostBytes)])
    }

    /// Returns the decoded path of a `file:` URL (RFC 8089); nil for another scheme, and for a URL that names another machine.
    private static func path(_ url: String) -> String? {
        var rest = url.utf8.drop { $0 != UInt8(ascii: ":") }.dropFirst().prefix { $0 != UInt8(ascii: "#") && $0 != UInt8(ascii: "?") }
        if rest.starts(with: "//".utf8) {
            rest = rest.dropFirst(2)
            let host = rest.prefix { $0 != UInt8(ascii: "/") }
            guard host.isEmpty || String(Substring(host)).lowercased() == "localhost" else { return nil }
            rest = rest[host.endIndex...]
        }
        guard rest.first == UInt8(ascii: "/") else { return nil }
        return PercentText.bytes(of: rest).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// Returns the URL with more query parameters, after its own.
    private static func appending(_ params: [FetchOptions.Header], to url: String) -> String {
        guard isHTTP(url) else { return url }
        let fragment = url.utf8.firstIndex(of: UInt8(ascii: "#")) ?? url.endIndex
        var whole = String(url[..<fragment])
        let isOpen = whole.utf8.last == UInt8(ascii: "?") || whole.utf8.last == UInt8(ascii: "&")
        whole += whole.utf8.contains(UInt8(ascii: "?")) ? isOpen ? "" : "&" : "?"
        return whole + PercentText.pairs(params.map { ($0.name, $0.value) }) + url[fragment...]
    }
}
