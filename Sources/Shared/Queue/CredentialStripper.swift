package import TintypeCore
import TintypeTransport
import TintypeImages

/// The part of a fetch that a dead letter keeps if it cannot keep the whole fetch: the URL without user, password and signatures. Pure.
///
/// Credentials must not outlive the fetch that they were given for. Swift strips them before the fetch is queued. A script would have to parse text
/// from clients, and Redis stops for as long as that takes.
package enum CredentialStripper {
    /// Headers that say nothing about the identity of the client.
    private static let harmless: Set<String> = ["accept", "accept-language", "user-agent"]
    /// The size in bytes of a fetch and its renditions above which its dead letter is always bare. The scripts apply the same limit to renditions that
    /// joined later.
    static let longest = 64 << 10

    /// - Parameters:
    ///   - fetch: the fetch as the worker gets it.
    ///   - renditions: its renditions, as the worker gets them. They contain overlay pictures as URLs, or with everything that rules have added to
    ///     them.
    /// - Returns: JSON; "" for a short fetch without credentials.
    package static func text(of fetch: JSON, renditions: [JSON], bytes: Int = 0) -> String {
        guard bytes > longest || holdsSecret(fetch) || renditions.contains(where: holdsSecret) else { return "" }
        let json: JSON = ["bare": true, "url": .string(UnsignedURL(fetch["url"]?.string ?? "").description)]
        return json.text
    }

    /// Returns whether the JSON has credentials, headers that may be credentials, or a URL that is signed or names a user.
    private static func holdsSecret(_ json: JSON) -> Bool {
        switch json {
        case .string(let text): isSecret(text)
        case .array(let items): items.contains(where: holdsSecret)
        case .object(let object):
            object["auth"] != nil || object["body"] != nil
                || (object["headers"]?.object?.members ?? []).contains { !harmless.contains($0.key.lowercased()) }
                // The headers of answers that rules accept are no secrets, whatever their names are.
                || object.members.contains { $0.key != "response" && holdsSecret($0.value) }
        case .raw(let text): (try? JSON(parsing: text.bytes)).map(holdsSecret) ?? true
        case .null, .bool, .int, .double: false
        }
    }

    /// Returns whether the text is a URL that leads nowhere without a secret in it.
    private static func isSecret(_ text: String) -> Bool {
        if UploadedSource(url: text) != nil { return true }
        guard text.utf8.contains(UInt8(ascii: ":")), let parts = URLParts(text) else { return false }
        return !parts.userInfo.isEmpty || parts.query != nil && parts.params.contains { $0.text.utf8.contains(UInt8(ascii: "=")) && SecretNames.holds($0.name) }
    }
}
