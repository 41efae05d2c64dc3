package import TintypeCore
package import TintypeTransport
import TintypeImages
package import TintypeSettings

/// What the operator lets downloads do, and the way they take.
package struct DownloadPolicy: Sendable {
    /// What a source may have at most, in bytes, whatever a request allows.
    package var maxSource = WorkerSettings().maxSource
    /// The least that origins must send at; nil: any rate will do.
    package var lowestRate = LowestRate(bytesPerSecond: WorkerSettings().minOriginRate)
    /// Whether a request may ask for any certificate to do.
    package var allowsInvalidTLS = false
    /// A file of certificate authorities that are trusted besides the system's.
    package var authorities: String?
    package var profiles = TLSProfiles()

    /// The folder that `file:` URLs lead into.
    package var fileRoot: String?
    package var keys = DecryptionKeys()

    package init() {}

    /// - Throws: what is wrong in the file of keys or of TLS profiles, or with a file or folder that is not there.
    package init(_ settings: WorkerSettings) throws(SettingMistake) {
        maxSource = settings.maxSource
        lowestRate = LowestRate(bytesPerSecond: settings.minOriginRate)
        allowsInvalidTLS = settings.common.allowInvalidTLS
        authorities = settings.tlsAuthorities
        fileRoot = settings.common.fileRoot
        if let fileRoot, !RootedFile.isFolder(fileRoot) { throw SettingMistake("--file-root: \(fileRoot) is no folder that can be entered") }
        if let path = settings.decryptionKeys { keys = try DecryptionKeys(text: ConfigurationFile.read(path), path: path) }
        if let path = settings.tlsProfiles { profiles = try TLSProfiles(text: ConfigurationFile.read(path), path: path) }
    }

    /// - Throws: `forbidden` for what the operator does not permit. Coordinators refuse it too, but theirs may be other settings.
    func check(_ fetch: FetchOptions) throws(TintypeError) {
        if fetch.allowsInvalidTLS, !allowsInvalidTLS {
            throw TintypeError(.forbidden, .download, "fetch.tls.allowInvalid is not permitted on this worker: see --allow-invalid-tls")
        }
    }
}
