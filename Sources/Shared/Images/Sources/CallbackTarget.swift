package import TintypeCore
import TintypeTransport

/// Where a request wants its terminal event posted to, and the secret that signs it. Printed, it shows no more than the host.
package struct CallbackTarget: Sendable, Hashable, CustomStringConvertible {
    /// http or https. Paths and queries of such URLs are often secrets of their own.
    package let url: String
    package let secret: String?

    package init(url: String, secret: String?) {
        self.url = url
        self.secret = secret
    }

    /// Reads `{url, secret?}`.
    package init?(_ json: JSON?) {
        guard let url = json?["url"]?.string else { return nil }
        self.init(url: url, secret: json?["secret"]?.string)
    }

    /// Reads what `queued` has written.
    package init?(queued text: String) {
        guard let space = text.firstIndex(of: " "), let json = try? JSON(parsing: String(text[text.index(after: space)...])) else { return nil }
        self.init(json)
    }

    /// As the scripts keep it: host and port, by which they take turns, then a space and the rest as JSON. No script has to read a URL.
    package var queued: String {
        var object: JSONObject = ["url": .string(url)]
        object["secret"] = secret.map { .string($0) }
        return "\(place) \(JSON.object(object).text)"
    }

    /// Host and port; the usual port of the scheme is left out.
    private var place: String {
        guard let address = try? WebAddress(url), let parts = URLParts(address.normalized) else { return "" }
        return parts.place
    }

    /// The host, which may be shown.
    package var host: String { (try? WebAddress(url))?.host ?? "" }
    package var description: String { "callback to \(host)" }

    /// Whether this is a URL that a callback may have.
    package static func accepts(_ url: String) -> Bool {
        guard url.utf8.count <= WebAddress.mostBytes, let address = try? WebAddress(url) else { return false }
        return ["http", "https"].contains(address.scheme)
    }
}
