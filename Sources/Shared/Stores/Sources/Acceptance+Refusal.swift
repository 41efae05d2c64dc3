package import TintypeCore
package import TintypeTransport
package import TintypeImages

extension Acceptance {
    /// Returns the reason why a download, perhaps made for others, is not acceptable here; nil if it is. The reader of the body checks shapes.
    /// - Parameters:
    ///   - head: nil if no server was involved.
    ///   - hadCredentials: whether credentials were sent: a 401 then means that they were refused.
    package func refusal(of body: [UInt8], head: TransferHead?, type: String?, url: String, hadCredentials: Bool) -> TintypeError? {
        if let head, !takes(status: head.status) {
            return TransferFailure.status(head, excerpt: Array(body.prefix(1024)), credentials: hadCredentials, retryAfter: nil)
        }
        if let types, let type, !takes(type: type) { return TransferFailure.contentType(type, acceptable: types, url: url) }
        return body.count > maxBytes ? TransferFailure.tooLong(Int64(body.count), limit: Int64(maxBytes)) : nil
    }

    /// Returns the failure of a shared download in the terms of this receipt: a limit is the receipt's own, unless the operator's is lower.
    package func restating(_ error: TintypeError) -> TintypeError {
        guard error.name == .limitExceeded, error.details["limit"] == "maxBytes", let bytes = error.details["value"]?.int else { return error }
        return TransferFailure.tooLong(Int64(bytes), limit: Int64(min(maxBytes, error.details["allowed"]?.int ?? maxBytes)))
    }

    /// Whether a download failed because none of its requests accepts the response. Another request may accept it.
    package static func isRefusal(_ error: TintypeError) -> Bool {
        if error.name.kind == .answer { return !error.isRetryable }
        return error.name == .limitExceeded && error.details["limit"] == "maxBytes"
    }
}
