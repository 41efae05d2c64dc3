package import TintypeCore
import TintypeTransport

/// What a dead letter keeps of a fetch that it cannot keep whole: its URL, without user, password and signatures. Pure.
///
/// Credentials must not outlive the fetch they were given for. Swift decides so before the fetch is queued: a script that reads
/// what strangers have written stops Redis for as long as that takes.
package enum BareFetch {
    /// Headers that say nothing about who asks.
    private static let harmless: Set<String> = ["accept", "accept-language", "user-agent"]
    /// Bytes of a fetch and its renditions from which on a letter of it is bare too. The scripts hold what has joined to the same limit.
    static let longest = 64 << 10

    /// - Parameters:
    ///   - fetch: the fetch as the worker gets it.
    ///   - renditions: what hangs on it, likewise. Other pictures are in there as URLs, or with all that rules have added to them.
    /// - Returns: JSON, or "" for what holds no credentials and is short.
    package static func text(of fetch: JSON, renditions: [JSON], bytes: Int = 0) -> String {
        guard bytes > longest || holdsSecret(fetch) || renditions.contains(where: holdsSecret) else { return "" }
        let json: JSON = ["bare": true, "url": .string(UnsignedURL(fetch["url"]?.string ?? "").description)]
        return json.text
    }

    /// Whether it has credentials, headers that may be some, or a URL that is signed or names a user.
    private static func holdsSecret(_ json: JSON) -> Bool {
        switch json {
        case .string(let text): isSecret(text)
        case .array(let items): items.contains(where: holdsSecret)
        case .object(let object):
            object["auth"] != nil || object["body"] != nil
                || (object["headers"]?.object?.members ?? []).contains { !harmless.contains($0.key.lowercased()) }
                // What rules have answers taken for is nobody's secret, whatever its headers are called.
                || object.members.contains { $0.key != "response" && holdsSecret($0.value) }
        case .raw(let text): (try? JSON(parsing: text.bytes)).map(holdsSecret) ?? true
        case .null, .bool, .int, .double: false
        }
    }

    /// Whether it is a URL that leads nowhere without a secret in it.
    private static func isSecret(_ text: String) -> Bool {
        guard text.utf8.contains(UInt8(ascii: ":")), let parts = URLParts(text) else { return false }
        return !parts.userInfo.isEmpty || parts.query != nil && parts.params.contains { $0.text.utf8.contains(UInt8(ascii: "=")) && SecretNames.holds($0.name) }
    }
}
