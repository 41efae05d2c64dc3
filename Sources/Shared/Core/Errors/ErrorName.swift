/// Every error that a client can get: the table of names, codes, kinds and meanings. Documents, OpenRPC and answers come from it.
package enum ErrorName: String, Sendable, CaseIterable {
    case parseError, invalidRequest, methodNotFound, invalidParams
    case internalError = "internal"
    case invalidURL, denied, blacklisted
    case httpStatus, contentType, jsonInvalid, dns, connect, tls, timeout, connectionLost, authFailed, tooManyRedirects
    case badImageData, unsupportedFormat, limitExceeded, transformFailed, encodeFailed, decryptFailed, storeFailed, textInvalid
    case cacheMiss
    case cancelled, superseded, deadlineExceeded, workerLost
    case overloaded, unauthenticated, forbidden, shuttingDown, unavailable
    case unknownReceipt, unknownGroup, unknownQueue

    /// The code in JSON-RPC's error object.
    package var code: Int { Self.table[self]?.code ?? -32603 }
    /// Whether the same request may succeed later, unless the error itself says otherwise.
    package var isRetryable: Bool { Self.table[self]?.isRetryable ?? false }
    /// The reason of the error, by which code decides about errors that it does not name.
    package var kind: Kind { Self.table[self]?.kind ?? .failure }
    /// The status of an HTTP answer in place of a picture, unless details of the error say another.
    package var httpStatus: Int { Self.table[self]?.httpStatus ?? 500 }
    /// The circumstances of the error, for the reference page.
    package var meaning: String { Self.table[self]?.meaning ?? "" }

    package init?(code: Int) {
        guard let name = Self.allCases.first(where: { $0.code == code }) else { return nil }
        self = name
    }

    /// The reason of an error.
    package enum Kind: Sendable {
        /// The origin cannot be reached, or is too slow. A stale source may be served.
        case network
        /// The request does not accept the origin's answer. Another request may accept it.
        case answer
        /// The service did not take or finish the work. The error says nothing about the source or the picture.
        case interruption
        /// Anything else: the request, the picture or the service is at fault.
        case failure
    }

    private struct Row {
        let code: Int
        let isRetryable: Bool
        let kind: Kind
        let httpStatus: Int
        let meaning: String

        init(_ code: Int, _ isRetryable: Bool, _ kind: Kind, _ httpStatus: Int, _ meaning: String) {
            (self.code, self.isRetryable, self.kind, self.httpStatus, self.meaning) = (code, isRetryable, kind, httpStatus, meaning)
        }
    }

    private static let table: [ErrorName: Row] = [
        .parseError: Row(-32700, false, .failure, 400, "the message is not JSON, or nested deeper than 64 levels"),
        .invalidRequest: Row(-32600, false, .failure, 400, "the message is JSON but no request, or longer than the limit"),
        .methodNotFound: Row(-32601, false, .failure, 400, "no such method"),
        .invalidParams: Row(
            -32602, false, .failure, 400,
            "a parameter is wrong: `path`, `value` and `expected`. Texts are not repeated, but for misspelled words"
        ),
        .internalError: Row(-32603, true, .failure, 500, "a fault of the service; its log has the details"),
        .invalidURL: Row(1001, false, .failure, 400, "the URL cannot be parsed, or is relative"),
        .denied: Row(1002, false, .failure, 403, "the scheme, address or host is refused by the operator's policy"),
        .blacklisted: Row(1003, false, .failure, 503, "the source failed before and is blacklisted: `cause`, `since`, `until`"),
        .httpStatus: Row(
            1010, false, .answer, 502,
            "the origin's status is not acceptable: `status`, `host` (which answered), `headers` (without cookies, challenges and secrets, at most 8 KiB), "
                + "`body` (an excerpt)"
        ),
        .contentType: Row(1011, false, .answer, 415, "the origin's content type is not acceptable"),
        .jsonInvalid: Row(1012, false, .failure, 422, "the body is not JSON, or has another shape"),
        .dns: Row(1013, true, .network, 502, "the host's name cannot be resolved"),
        .connect: Row(1014, true, .network, 502, "no connection to the origin"),
        .tls: Row(1015, false, .failure, 502, "the TLS handshake or the certificate failed"),
        .timeout: Row(1016, true, .network, 504, "too slow: `which` is connect, idle, total, rate, decode…"),
        .connectionLost: Row(1017, true, .network, 502, "the connection broke before the end of the body"),
        .authFailed: Row(1018, false, .answer, 502, "the origin refused the credentials"),
        .tooManyRedirects: Row(1019, false, .failure, 502, "more redirects than allowed"),
        .badImageData: Row(1020, false, .failure, 422, "the bytes are no picture, are broken, or do not meet `require`: `required`, `found`"),
        .unsupportedFormat: Row(1021, false, .failure, 415, "a known format that this build does not support"),
        .limitExceeded: Row(1022, false, .failure, 422, "a limit was exceeded: `limit`, and if known `value` and `allowed`"),
        .transformFailed: Row(1023, false, .failure, 422, "an operation failed on this picture"),
        .encodeFailed: Row(1024, false, .failure, 422, "the result could not be encoded"),
        .decryptFailed: Row(1025, false, .failure, 422, "the body could not be decrypted"),
        .storeFailed: Row(1026, true, .failure, 503, "the result could not be stored"),
        .textInvalid: Row(1027, false, .failure, 422, "the body is not the text or XML asked for, or in a charset that is not read here: `charset`, `cause`"),
        .cacheMiss: Row(1030, false, .failure, 404, "not in the cache, and the origin must not be asked: `reason`"),
        .cancelled: Row(1040, false, .interruption, 503, "the request was cancelled: `reason`, `phase`"),
        .superseded: Row(1041, false, .interruption, 503, "a newer request has the same supersede key (`slot`)"),
        .deadlineExceeded: Row(1042, true, .interruption, 504, "not finished within the request's deadline"),
        .workerLost: Row(1043, true, .failure, 503, "the workers of the fetch died, as often as allowed"),
        .overloaded: Row(
            1050, true, .interruption, 503,
            "the queue, Redis or another room is full: `retryAfter` seconds. With `limit`, a limit of the client is used up: "
                + "`perSecond`, `running` or `queued` of its name (`client`), or `wrongTokens` of its address. `allowed` is the value of that limit, and "
                + "HTTP answers 429"
        ),
        .unauthenticated: Row(1051, false, .failure, 403, "the token is missing or wrong"),
        .forbidden: Row(1052, false, .failure, 403, "the operator does not allow the request"),
        .shuttingDown: Row(1053, true, .interruption, 503, "this coordinator is stopping: connect again"),
        .unavailable: Row(1054, true, .interruption, 503, "Redis cannot be reached, cannot write, or has keys of another schema: `retryAfter` seconds"),
        .unknownReceipt: Row(1060, false, .failure, 404, "no such receipt, or no longer kept"),
        .unknownGroup: Row(1061, false, .failure, 404, "no such group, or no longer kept"),
        // In the URL of a picture only a preset names a queue, and no other try finds one that does not exist.
        .unknownQueue: Row(1062, false, .interruption, 500, "no such queue: `queue.configure` creates one"),
    ]
}
