import Shared

/// What the operator lets requests ask for.
struct Permissions: Sendable {
    /// Any certificate will do, `fetch.tls.allowInvalid`.
    var allowsInvalidTLS = false

    /// - Throws: `forbidden`.
    func check(_ request: ImageRequest) throws(TintypeError) {
        if request.source.fetch.allowsInvalidTLS, !allowsInvalidTLS {
            throw TintypeError(
                .forbidden, .admission, "fetch.tls.allowInvalid is not permitted here; the operator permits it by --allow-invalid-tls",
                details: ["path": "fetch.tls.allowInvalid"])
        }
    }
}
