import Shared

/// What the operator lets requests ask for.
struct Permissions: Sendable {
    /// Any certificate will do, `fetch.tls.allowInvalid`.
    var allowsInvalidTLS = false
    /// `file:` URLs.
    var allowsFiles = false

    /// - Throws: `forbidden`, `denied`.
    func check(_ request: ImageRequest) throws(TintypeError) {
        let sources = [request.source] + request.renditions.flatMap(\.layers).map(\.source)
        if !allowsFiles, let file = sources.flatMap(\.addresses).first(where: { $0.host == "file:" }) {
            throw TintypeError(
                .denied, .admission, "file: URLs are not fetched here; the operator permits them by --file-root",
                details: ["url": .string(RedactedURL(file.url).description), "scheme": "file"])
        }
        if request.source.fetch.allowsInvalidTLS, !allowsInvalidTLS {
            throw TintypeError(
                .forbidden, .admission, "fetch.tls.allowInvalid is not permitted here; the operator permits it by --allow-invalid-tls",
                details: ["path": "fetch.tls.allowInvalid"])
        }
    }
}
