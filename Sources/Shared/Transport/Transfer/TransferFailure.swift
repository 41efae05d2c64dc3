import CCurl
package import TintypeCore

/// Turns failures of a transfer into the errors of the protocol (docs/protocol.md). No other code at this border does so.
package enum TransferFailure {
    static func invalidURL(_ url: String) -> TintypeError {
        TintypeError(.invalidURL, .download, "not an absolute URL", details: ["url": .string(RedactedURL(url).description)])
    }

    static func longRedirect(_ url: String) -> TintypeError {
        TintypeError(
            .invalidURL, .download, "a redirect leads to a URL of \(url.utf8.count) bytes, and a URL of http or https has at most \(WebAddress.mostBytes)",
            details: [
                "which": "redirect", "url": .string(RedactedURL(url).description), "value": JSON(url.utf8.count), "allowed": JSON(WebAddress.mostBytes),
            ])
    }

    static func invalidHeader() -> TintypeError {
        TintypeError(.invalidParams, .download, "a header contains characters that are not allowed in headers", details: ["path": "fetch.headers"])
    }

    static func deniedScheme(_ scheme: String) -> TintypeError {
        TintypeError(.denied, .download, "scheme \(scheme) is refused; only http and https are allowed", details: ["which": "scheme"])
    }

    /// Only the log shows the address of a name inside the operator's network: clients choose the names.
    static func deniedAddress(_ address: String, reason: String) -> TintypeError {
        var error = TintypeError(
            .denied, .download,
            "the host's address is refused: it is not public; the operator can allow an origin inside the network with --allow-addresses",
            details: ["which": "address"])
        error.logged = "address \(address) is \(reason)"
        return error
    }

    static func deniedRedirect(_ what: String, _ url: String) -> TintypeError {
        TintypeError(
            .denied, .download, "a redirect \(what) is refused",
            details: ["which": "redirect", "url": .string(RedactedURL(url).description)])
    }

    static func tooManyRedirects(_ limit: Int, _ url: String) -> TintypeError {
        TintypeError(
            .tooManyRedirects, .download, "more than \(limit) redirects",
            details: ["value": .int(Int64(limit)), "url": .string(RedactedURL(url).description)])
    }

    package static func tooLong(_ bytes: Int64, limit: Int64) -> TintypeError {
        TintypeError(
            .limitExceeded, .download, "the body has \(bytes) bytes or more, \(limit) are allowed",
            details: ["limit": "maxBytes", "value": .int(bytes), "allowed": .int(limit)])
    }

    static func longChallenge(limit: Int64) -> TintypeError {
        TintypeError(
            .limitExceeded, .download,
            "the body of the server's digest challenge has more than \(limit) bytes; no option allows more",
            details: ["limit": "challenge", "allowed": .int(limit)])
    }

    package static func contentType(_ type: String, acceptable: [MediaRange], url: String) -> TintypeError {
        let (type, names) = (String(type.prefix(200)), acceptable.map(\.description))
        return TintypeError(
            .contentType, .download, "the server sent \(type), expected \(names.joined(separator: ", "))",
            details: [
                "contentType": .string(type), "acceptable": .array(names.map { .string($0) }), "url": .string(RedactedURL(url).description),
            ])
    }

    static func encoding(_ encoding: String, url: String) -> TintypeError {
        let encoding = String(encoding.prefix(200))
        return TintypeError(
            .contentType, .download, "the server sent the encoding \(encoding), which was not requested; \(ContentDecoder.offered) are supported",
            details: ["encoding": .string(encoding), "url": .string(RedactedURL(url).description)])
    }

    static func requestTooLong() -> TintypeError {
        TintypeError(.limitExceeded, .download, "the URL and the headers are too long to be sent", details: ["limit": "requestHead"])
    }

    static func headTooLong() -> TintypeError {
        TintypeError(
            .limitExceeded, .download, "the response's headers are longer than \(HeaderBlock.maxBytes) bytes or more than \(HeaderBlock.maxCount)",
            details: ["limit": "headers", "allowed": JSON(HeaderBlock.maxBytes)])
    }

    static func timedOut(_ which: TransferDeadlines.Which, after limit: Duration) -> TintypeError {
        let message =
            switch which {
            case .connect: "not connected within \(limit)"
            case .idle: "no byte arrived for \(limit)"
            case .total: "not done within \(limit)"
            case .rate: "slower than the operator's lowest rate for \(limit)"
            }
        return TintypeError(.timeout, .download, message, details: ["which": .string(which.rawValue)])
    }

    /// The error for a compressed body that decompresses to nothing, or to less than its own size.
    static func barren(limit: Int64) -> TintypeError {
        TintypeError(
            .limitExceeded, .download, "the compressed body has more than \(limit) bytes without content",
            details: ["limit": "compressed", "allowed": .int(limit)])
    }

    static func cancelled() -> TintypeError { TintypeError(.cancelled, .download, "the download was cancelled") }

    static func partialContent() -> TintypeError {
        TintypeError(.httpStatus, .download, "the server answered 206 with a part that was not requested", retryable: false, details: ["status": 206])
    }

    /// The error for an answer whose length a rule takes for this status.
    static func length(_ bytes: Int64, _ length: TransferRevision.Length, of head: TransferHead) -> TintypeError {
        var error = status(head.taken(for: length.status), excerpt: [], credentials: false, retryAfter: nil).adding("bytes", .int(bytes))
        error.message = "a rule of the operator treats an answer of \(bytes) bytes as status \(length.status)"
        return error
    }

    /// The error for a response whose status is not acceptable. `excerpt` is the beginning of its body.
    /// - Parameter retryAfter: seconds that the server asked to wait, if it did.
    package static func status(_ head: TransferHead, excerpt: [UInt8], credentials: Bool, retryAfter: Int64?) -> TintypeError {
        let status = head.status
        let isTransient = [408, 425, 429].contains(status) || (500...599).contains(status)
        let headers = head.failureHeaders.map { ($0.name, JSON.string($0.value)) }
        var details: JSONObject = [
            "status": .int(Int64(status)),
            "headers": .object(JSONObject(headers)),
            "body": .string(RedactedText(String(decoding: excerpt, as: UTF8.self)).description),
            "url": .string(RedactedURL(head.url).description),
        ]
        details["host"] = head.host.map { .string($0) }
        if let retryAfter { details["retryAfter"] = .int(retryAfter) }
        let name: ErrorName = (status == 401 || status == 407) && credentials ? .authFailed : .httpStatus
        return TintypeError(name, .download, "the server answered \(status)", retryable: isTransient, details: details)
    }

    /// The error for a proxy that has refused a tunnel to a host (CONNECT) with this status.
    static func tunnel(_ status: Int) -> TintypeError {
        let details: JSONObject = ["which": "proxy", "cause": .string("the proxy answered CONNECT with \(status)")]
        switch status {
        case 407: return TintypeError(.authFailed, .download, "the proxy requires other credentials", details: details)
        case 408, 425, 429, 500...599: return TintypeError(.connect, .download, "the proxy cannot reach the host", details: details)
        default: return TintypeError(.denied, .download, "the proxy refuses the host", details: details)
        }
    }

    /// The error for a chain in which neither the server nor an authority has a pinned key.
    static func notPinned() -> TintypeError {
        curl(CURLE_SSL_PINNEDPUBKEYNOTMATCH, "no certificate of the server's chain has one of the pinned keys")
    }

    /// The error for a result of curl. `detail` is the text of curl.
    static func curl(_ code: CURLcode, _ detail: String) -> TintypeError {
        let name: ErrorName
        var details: JSONObject = ["cause": .string("curl \(code.rawValue): \(detail)")]
        switch code {
        case CURLE_URL_MALFORMAT: name = .invalidURL
        case CURLE_COULDNT_RESOLVE_HOST: name = .dns
        case CURLE_COULDNT_CONNECT, CURLE_INTERFACE_FAILED: name = .connect
        // OpenSSL's own errors begin with "error:". Everything else is a failure of the connection, and so is an early end.
        case CURLE_SSL_CONNECT_ERROR where !detail.contains("error:") || detail.contains("unexpected eof"): name = .connectionLost
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
            name = .tls
            details["which"] = "certificate"
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED, CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            name = .tls
            details["which"] = "handshake"
        // Another worker may have a valid file. Clients must not learn its path.
        case CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM:
            let file = code == CURLE_SSL_CACERT_BADFILE ? "read its file of certificate authorities" : "use its certificate for this host, or its key"
            return TintypeError(
                .tls, .download, "this worker cannot \(file)", retryable: true,
                details: ["which": "local", "cause": .string("curl \(code.rawValue)")])
        case CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED:
            name = .tls
            details["which"] = "local"
        case CURLE_OPERATION_TIMEDOUT: name = .timeout
        case CURLE_LOGIN_DENIED: name = .authFailed
        case CURLE_OUT_OF_MEMORY, CURLE_BAD_FUNCTION_ARGUMENT, CURLE_FAILED_INIT: name = .internalError
        default: name = .connectionLost  // cut short, reset, or not HTTP at all
        }
        return TintypeError(name, .download, detail, details: details)
    }
}

extension TransferFailure {
    /// Adds the URL that the client may know to the failure of a hop.
    ///
    /// If redirects led to an inner address or to a refused one, that is the requested URL: the address behind it belongs to the operator.
    static func placed(_ error: TintypeError, at hop: TransferURL, of request: TransferRequest) -> TintypeError {
        error.about(url: error.name == .denied || isInner(hop) ? request.url : hop.text)
    }

    /// Returns whether a URL's host is an address that is not public, or a name that has a meaning only inside a network.
    private static func isInner(_ url: TransferURL) -> Bool {
        let host = url.plainHost ?? url.host
        let bare = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        if let address = IPAddress(bare) { return AddressPolicy().refusal(of: address) != nil }
        return !bare.contains(".") || [".local", ".internal", ".localhost", ".lan", ".home.arpa"].contains { bare.lowercased().hasSuffix($0) }
    }
}
