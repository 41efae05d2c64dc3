package import TintypeCore

/// The URL that gets a request's terminal event, and the secret that signs it. The description shows only the host.
package struct CallbackTarget: Sendable, Hashable, CustomStringConvertible {
    /// http or https. Paths and queries of such URLs are often secrets themselves.
    package let url: String
    package let secret: ExactText?

    package init(url: String, secret: String?) {
        self.url = url
        self.secret = secret.map { ExactText($0) }
    }

    /// Reads `{url, secret?}`.
    package init?(_ json: JSON?) {
        guard let url = json?["url"]?.string else { return nil }
        self.init(url: url, secret: json?["secret"]?.string)
    }

    /// Reads the text from `queued`.
    package init?(queued text: String) {
        guard let space = text.firstIndex(of: " "), let json = try? JSON(parsing: String(text[text.index(after: space)...])) else { return nil }
        self.init(json)
    }

    /// The form for scripts: host and port, by which they take turns, then a space and everything else as JSON. No script needs to parse a URL.
    package var queued: String {
        var object: JSONObject = ["url": .string(url)]
        object["secret"] = secret.map { .string($0.text) }
        return "\(place) \(JSON.object(object).text)"
    }

    /// Host and port, without the default port of the scheme.
    private var place: String {
        guard let address = try? WebAddress(url), let parts = URLParts(address.normalized) else { return "" }
        return parts.place
    }

    /// The host, which may be shown.
    package var host: String { (try? WebAddress(url))?.host ?? "" }
    package var description: String { "callback to \(host)" }

    /// Whether a callback may use this URL.
    package static func accepts(_ url: String) -> Bool {
        guard url.utf8.count <= WebAddress.mostBytes, let address = try? WebAddress(url) else { return false }
        return ["http", "https"].contains(address.scheme)
    }
}
