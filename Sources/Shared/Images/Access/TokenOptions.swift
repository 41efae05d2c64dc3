import TintypeCore
import TintypeTransport

/// The words after a token in the file of `--token-file`. Pure.
struct TokenOptions {
    private static let expected = "expected role=load, role=put or role=admin, scope=SCOPE, queue=NAME,… or name=NAME after the token, each once"

    private var role: AccessRole?
    private var scope: String?
    private var queues: [String] = []
    private var name: String?

    /// - Throws: the mistake, without the word, which may be a part of the token.
    init(_ words: [Substring]) throws(SettingError) {
        var seen: Set<Substring> = []
        for word in words {
            guard let equals = word.firstIndex(of: "="), seen.insert(word[..<equals]).inserted else { throw SettingError(Self.expected) }
            let value = String(word[word.index(after: equals)...])
            switch word[..<equals] {
            case "role":
                guard let known = AccessRole(rawValue: value) else { throw SettingError(Self.expected) }
                role = known
            case "scope":
                guard (1...256).contains(value.utf8.count) else { throw SettingError("a scope has 1 to 256 bytes") }
                scope = value
            case "queue": queues = try SettingType.queueNames.parse(value)
            case "name":
                guard Self.isName(value) else { throw SettingError("a name has 1 to 60 of [A-Za-z0-9._-]") }
                name = value
            default: throw SettingError(Self.expected)
            }
        }
        if role ?? .admin == .admin, scope != nil || !queues.isEmpty {
            throw SettingError("an admin reaches every scope and queue: use scope and queue only with role=load or role=put")
        }
    }

    private static func isName(_ text: String) -> Bool {
        (1...60).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte) || [0x2d, 0x2e, 0x5f].contains(byte)
            }
    }

    /// - Parameter digest: the digest of the token.
    func grant(_ digest: [UInt8]) -> AccessGrant {
        AccessGrant(role: role ?? .admin, scope: scope, queues: queues, client: ClientIdentity(name: name, digest: digest))
    }
}
