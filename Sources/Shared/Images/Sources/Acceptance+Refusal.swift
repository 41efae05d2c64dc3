package import TintypeCore
package import TintypeTransport

extension Acceptance {
    /// Why a download that others may have wanted is not good enough here; nil if it is. Shapes are looked at by whoever reads the body.
    /// - Parameters:
    ///   - head: nil for what no server has sent.
    ///   - hadCredentials: whether some were sent: a 401 then means that they were refused.
    package func refusal(of body: [UInt8], head: TransferHead?, type: String?, url: String, hadCredentials: Bool) -> TintypeError? {
        if let head, !takes(status: head.status) {
            return TransferFailure.status(head, excerpt: Array(body.prefix(1024)), credentials: hadCredentials, retryAfter: nil)
        }
        if let types, let type, !takes(type: type) { return TransferFailure.contentType(type, acceptable: types, url: url) }
        return body.count > maxBytes ? TransferFailure.tooLong(Int64(body.count), limit: Int64(maxBytes)) : nil
    }

    /// The failure of a download under the terms of all who wanted it, as it is told under these: a limit is one's own, unless the operator's is
    /// lower.
    package func restating(_ error: TintypeError) -> TintypeError {
        guard error.name == .limitExceeded, error.details["limit"] == "maxBytes", let bytes = error.details["value"]?.int else { return error }
        return TransferFailure.tooLong(Int64(bytes), limit: Int64(min(maxBytes, error.details["allowed"]?.int ?? maxBytes)))
    }

    /// Whether a download failed because nobody who wanted it would take what the server sent: somebody else may.
    package static func isRefusal(_ error: TintypeError) -> Bool {
        switch error.name {
        case .httpStatus, .contentType, .authFailed: !error.isRetryable
        case .limitExceeded: error.details["limit"] == "maxBytes"
        case .parseError, .invalidRequest, .methodNotFound, .invalidParams, .internalError, .invalidURL, .denied, .blacklisted,
            .jsonInvalid, .dns, .connect, .tls, .timeout, .connectionLost, .tooManyRedirects, .badImageData, .unsupportedFormat,
            .transformFailed, .encodeFailed, .decryptFailed, .storeFailed, .cacheMiss, .cancelled, .superseded, .deadlineExceeded,
            .workerLost, .overloaded, .unauthenticated, .forbidden, .shuttingDown, .unavailable, .unknownReceipt, .unknownGroup,
            .unknownQueue:
            false
        }
    }
}
