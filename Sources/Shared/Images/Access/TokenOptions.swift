import TintypeCore

/// The words after a token in the file of `--token-file`. Pure.
struct TokenOptions {
    private static let expected =
        "expected role=load, role=put or role=admin, scope=SCOPE, queue=NAME,…, name=NAME, certificate=NAME,…, perSecond=N, burst=N, running=N, queued=N or "
        + "uploads=SIZE, each once"

    private var role: AccessRole?
    private var scope: String?
    private var queues: [String] = []
    private(set) var name: String?
    /// The names of certificates that have the same rights as the token.
    private(set) var certificates: [String] = []
    private(set) var limits = NameLimits.unlimited

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
                guard value.isPlainName(1...60) else { throw SettingError("a name has 1 to 60 of [A-Za-z0-9._-]") }
                name = value
            case "certificate": certificates = try Self.certificates(value)
            case "perSecond": limits.perSecond = try Self.rate(value)
            case "burst": limits.burst = try Self.count(value, 1...1_000_000, of: "burst")
            case "running": limits.running = try Self.count(value, 1...1_000_000, of: "running")
            case "queued": limits.queued = try Self.count(value, 0...1_000_000, of: "queued")
            case "uploads":
                guard let size = ByteSize.parse(value), size > 0 else { throw SettingError("uploads has a size such as 100MiB") }
                limits.uploads = size
            default: throw SettingError(Self.expected)
            }
        }
        if role ?? .admin == .admin, scope != nil || !queues.isEmpty {
            throw SettingError("an admin reaches every scope and queue: use scope and queue only with role=load or role=put")
        }
        try checkLimits()
    }

    private func checkLimits() throws(SettingError) {
        guard limits != .unlimited else { return }
        guard name != nil else { throw SettingError("limits are those of a name: add name=NAME") }
        guard limits.burst == nil || limits.perSecond != nil else { throw SettingError("burst needs perSecond=N") }
        guard limits.queued == nil || limits.running != nil else { throw SettingError("queued needs running=N") }
    }

    private static func certificates(_ text: String) throws(SettingError) -> [String] {
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map { CertificateNames.plain(String($0)) }
        let areNames = names.allSatisfy { (1...1024).contains($0.utf8.count) && $0.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f } }
        guard areNames, Set(names).count == names.count else {
            throw SettingError("certificate has names of certificates, each once: URIs or DNS names of at most 1024 visible characters, with commas between")
        }
        return names
    }

    private static func rate(_ text: String) throws(SettingError) -> Double {
        guard let number = Double(text), (0.001...1_000_000).contains(number), text.utf8.allSatisfy({ $0 == 0x2e || (0x30...0x39).contains($0) }) else {
            throw SettingError("perSecond has a number from 0.001 to 1000000")
        }
        return number
    }

    private static func count(_ text: String, _ range: ClosedRange<Int>, of word: StaticString) throws(SettingError) -> Int {
        guard text.isDigits(1...Int.max), let number = Int(text), range.contains(number) else {
            throw SettingError("\(word) has a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// - Parameter digest: the digest of the token, or of the first certificate's name for a line without a token.
    func grant(_ digest: [UInt8]) -> AccessGrant {
        AccessGrant(role: role ?? .admin, scope: scope, queues: queues, client: ClientIdentity(name: name, digest: digest))
    }
}
