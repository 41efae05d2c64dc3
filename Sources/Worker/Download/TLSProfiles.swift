package import TintypeCore
import TintypeImages
import TintypeTransport

/// The TLS profiles for origins, by the names that rules use (`tlsProfile`). Holds paths of keys: never logged.
///
///     name: authorities=FILE certificate=FILE key=FILE verify-name=no hosts=example.org,*.example.org
///
/// Each profile names its hosts. A certificate of the operator is shown to no other server, even after a redirect.
/// Files are read for each new connection, so that certificates can be renewed without a restart.
package struct TLSProfiles: Sendable {
    private struct Entry: Sendable {
        var tls = TransferTLS()
        var hosts: [HostPattern]?
    }

    private var entries: [String: Entry] = [:]
    private static let expected = "`name: word…` of authorities=FILE, certificate=FILE with key=FILE, verify-name=no and hosts=HOST,…, each once"

    package init() {}

    /// Reads a file of lines `name: word…`.
    /// - Throws: the mistake and its line, or the mistake in a named file.
    package init(text: String, path: String) throws(SettingError) {
        entries = try NamedLines.read(text, path: path, expected: Self.expected, entry: Self.entry)
    }

    private static func entry(_ words: ArraySlice<Substring>) throws(SettingError) -> Entry {
        var entry = Entry()
        var seen: Set<Substring> = []
        for word in words {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[1].isEmpty, seen.insert(parts[0]).inserted else { throw SettingError("expected \(expected)") }
            let value = String(parts[1])
            switch parts[0] {
            case "authorities":
                try CertificateFile.check(value)
                entry.tls.ownAuthorities = value
            case "certificate":
                try CertificateFile.check(value)
                entry.tls.certificate = value
            case "key":
                try CertificateFile.checkKey(value)
                entry.tls.key = value
            case "verify-name":
                guard value == "no" else { throw SettingError("expected verify-name=no, or nothing: names are verified by default") }
                entry.tls.verifiesName = false
            case "hosts": entry.hosts = try NamedLines.hosts(word)
            default: throw SettingError("expected \(expected)")
            }
        }
        guard (entry.tls.certificate == nil) == (entry.tls.key == nil) else { throw SettingError("expected certificate=FILE and key=FILE together") }
        guard entry.hosts != nil, seen.count > 1 else { throw SettingError("expected hosts=HOST,… and at least one option for them: \(expected)") }
        return entry
    }

    /// Returns how to connect to each host over TLS.
    /// - Parameter url: the URL of the first request.
    /// - Throws: `tls`, retryable, for an unknown profile; `forbidden` if the profile is not for that host.
    func choice(_ name: String, for url: String) throws(TintypeError) -> @Sendable (_ host: String) -> TransferTLS? {
        guard let entry = entries[name], let hosts = entry.hosts else {
            throw TintypeError(
                .tls, .download, "this worker knows no TLS profile called \(name): see --tls-profiles", retryable: true, details: ["which": "local"])
        }
        guard let host = TransferURL(url)?.plainHost, hosts.contains(where: { $0.matches(host) }) else {
            throw TintypeError(.forbidden, .download, "the TLS profile called \(name) is not for this host; the operator names its hosts in --tls-profiles")
        }
        return { host in hosts.contains { $0.matches(host) } ? entry.tls : nil }
    }
}
