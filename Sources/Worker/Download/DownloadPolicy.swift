package import TintypeCore
package import TintypeTransport
import TintypeImages
package import TintypeSettings

/// The operator's limits and permissions for downloads.
package struct DownloadPolicy: Sendable {
    /// The most bytes of a source, whatever a request allows.
    package var maxSource = WorkerSettings().maxSource
    /// The lowest rate at which an origin must send; nil: any rate is enough.
    package var lowestRate = LowestRate(bytesPerSecond: WorkerSettings().minOriginRate)
    /// Whether a request may accept any certificate.
    package var allowsInvalidTLS = false
    /// A file of certificate authorities that are trusted in addition to the system's.
    package var authorities: String?
    package var profiles = TLSProfiles()

    /// The root folder of `file:` URLs.
    package var fileRoot: String?
    package var keys = DecryptionKeys()
    package var buckets = SourceBuckets()

    package init() {}

    /// - Throws: a mistake in the file of keys or TLS profiles, or a missing file or folder.
    package init(_ settings: WorkerSettings) throws(SettingError) {
        maxSource = settings.maxSource
        lowestRate = LowestRate(bytesPerSecond: settings.minOriginRate)
        allowsInvalidTLS = settings.common.allowInvalidTLS
        authorities = settings.tlsAuthorities
        fileRoot = settings.common.fileRoot
        if let fileRoot, !RootedFile.isFolder(fileRoot) { throw SettingError("--file-root: \(fileRoot) is not a folder, or cannot be entered") }
        if let path = settings.decryptionKeys { keys = try DecryptionKeys(text: ConfigurationFile.read(path), path: path) }
        if let path = settings.tlsProfiles { profiles = try TLSProfiles(text: ConfigurationFile.read(path), path: path) }
        if let path = settings.sourceBuckets { buckets = try SourceBuckets(text: ConfigurationFile.read(path), path: path) }
    }

    /// - Throws: `forbidden` if the operator does not permit the option. Coordinators refuse it too, but may have other settings.
    func check(_ fetch: FetchOptions) throws(TintypeError) {
        if fetch.allowsInvalidTLS, !allowsInvalidTLS {
            throw TintypeError(.forbidden, .download, "fetch.tls.allowInvalid is not permitted on this worker: see --allow-invalid-tls")
        }
    }
}
