import CCurl
import Glibc
import TintypeCore

extension RedirectPlan {
    /// The headers added to the caller's. A range counts bytes as they are sent, so they must not be compressed on the way.
    fileprivate var added: [(name: String, value: String)] {
        guard let resume else { return conditions }
        return [("Range", "bytes=\(resume.offset)-"), ("If-Range", resume.validator), ("Accept-Encoding", "identity")]
    }
}

/// The setup of an easy handle for one hop, and curl's callbacks.
extension CurlEasy {
    /// - Parameters:
    ///   - proxy: the proxy of this hop.
    ///   - cookies: the cookies that may be sent; nil turns curl's cookie engine off.
    mutating func configure(_ plan: RedirectPlan, _ request: TransferRequest, proxy: TransferProxy?, cookies: [String]?) {
        set(CURLOPT_URL, plan.url.text)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_FOLLOWLOCATION, 0)
        // The environment does not count: no proxy, no .netrc, no signals. A slow name look-up must not block the loop.
        set(CURLOPT_PROXY, proxy?.url ?? "")
        set(CURLOPT_NOPROXY, "")
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        if let cookies {
            set(CURLOPT_COOKIEFILE, "")
            for line in cookies { set(CURLOPT_COOKIELIST, line) }
        }
        set(CURLOPT_NETRC, 0)
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_QUICK_EXIT, 1)
        set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
        set(CURLOPT_ACCEPT_ENCODING, ContentDecoder.offered)
        set(CURLOPT_HTTP_CONTENT_DECODING, 0)
        set(CURLOPT_USERAGENT, "Tintype/\(TintypeVersion.current)")
        set(CURLOPT_BUFFERSIZE, 32 << 10)
        set(CURLOPT_TCP_KEEPALIVE, 1)
        // TransferDeadlines keeps the time limits, since it distinguishes them. curl's own limit is set out of reach.
        set(CURLOPT_CONNECTTIMEOUT, 24 * 3600)
        setMethod(plan.method, plan.body)
        setCredentials(plan.credentials, plan.headers + plan.added, without: request.omittedHeaders)
        setTLS(request.tls(for: plan.url))
    }

    private func setMethod(_ method: String, _ body: [UInt8]?) {
        if method == "HEAD" {
            set(CURLOPT_NOBODY, 1)
        } else if let body {
            set(CURLOPT_POSTFIELDSIZE_LARGE, offset: Int64(body.count))
            var copy = body
            copy.withUnsafeMutableBytes { bytes in
                if let start = bytes.baseAddress { set(CURLOPT_COPYPOSTFIELDS, start) } else { set(CURLOPT_COPYPOSTFIELDS, "") }
            }
        }
        if method != "GET" || body != nil, method != "HEAD" { set(CURLOPT_CUSTOMREQUEST, method) }
    }

    private mutating func setCredentials(
        _ credentials: TransferCredentials?, _ headers: [(name: String, value: String)], without omitted: [String]
    ) {
        var headers = headers
        switch credentials {
        case nil: break
        case .bearer(let token): headers.append(("Authorization", "Bearer \(token)"))
        case .basic(let user, let password):
            set(CURLOPT_HTTPAUTH, 1 << 0)  // CURLAUTH_BASIC
            set(CURLOPT_USERNAME, user)
            set(CURLOPT_PASSWORD, password)
        case .aws(let signing):
            set(CURLOPT_AWS_SIGV4, "aws:amz:\(signing.region):\(signing.service)")
            set(CURLOPT_USERNAME, signing.accessKey)
            set(CURLOPT_PASSWORD, signing.secretKey)
            headers.append(("x-amz-content-sha256", signing.bodySHA256))
            if let token = signing.sessionToken { headers.append(("x-amz-security-token", token)) }
            // These servers send no 100 before a body that they accept anyway.
            set(CURLOPT_EXPECT_100_TIMEOUT_MS, 1)
        case .digest(let user, let password):
            set(CURLOPT_HTTPAUTH, 1 << 1)  // CURLAUTH_DIGEST
            set(CURLOPT_USERNAME, user)
            set(CURLOPT_PASSWORD, password)
        }
        setHeaders(headers, without: omitted)
    }

    private func setTLS(_ tls: TransferTLS) {
        if let own = tls.ownAuthorities {
            set(CURLOPT_CAINFO, own)
            set(CURLOPT_CAPATH, nil)
        } else if let authorities = tls.authorities {
            set(CURLOPT_CAINFO, authorities)
        }
        if !tls.verifiesName { set(CURLOPT_SSL_VERIFYHOST, 0) }
        if let certificate = tls.certificate, let key = tls.key {
            set(CURLOPT_SSLCERT, certificate)
            set(CURLOPT_SSLKEY, key)
            // Without this OpenSSL would ask for a passphrase at the terminal, and block the loop.
            set(CURLOPT_KEYPASSWD, "")
        }
        // curl only checks the server's own key. That is all that can be checked without a valid certificate; otherwise `Transfer.judgePins` checks the
        // chain.
        if tls.allowInvalid {
            if !tls.pinnedPublicKeys.isEmpty { set(CURLOPT_PINNEDPUBLICKEY, tls.pinnedPublicKeys.joined(separator: ";")) }
            set(CURLOPT_SSL_VERIFYPEER, 0)
            set(CURLOPT_SSL_VERIFYHOST, 0)
        }
    }

    /// Makes curl call `transfer`, which must live as long as it is in the multi handle.
    @Loop func install(callbacksOf transfer: Transfer) {
        let context = Unmanaged.passUnretained(transfer).toOpaque()
        set(CURLOPT_PRIVATE, context)
        set(CURLOPT_HEADERDATA, context)
        set(CURLOPT_WRITEDATA, context)
        set(CURLOPT_OPENSOCKETDATA, context)
        set(CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
            return Transfer.from(context) { $0.takeHeader(line) ? line.count : 0 }
        }
        set(CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            let part = UnsafeRawBufferPointer(start: bytes, count: size * count)
            return Transfer.from(context) { $0.takeBody(part) }
        }
        if transfer.judgesPins {
            set(CURLOPT_PREREQDATA, context)
            tintype_curl_set_before_request(pointer) { context, _, _, _, _ in
                Transfer.from(context) { $0.judgePins() } ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
            }
        }
        if transfer.wantsProgress {
            set(CURLOPT_NOPROGRESS, 0)
            set(CURLOPT_XFERINFODATA, context)
            tintype_curl_set_progress(pointer) { context, _, received, _, sent in
                Transfer.from(context) { $0.takeProgress(Int64(received), Int64(sent)) ? 0 : 1 }
            }
        }
        tintype_curl_set_open_socket(pointer) { context, purpose, address in
            guard let address else { return CURL_SOCKET_BAD }
            let target = address.pointee
            guard target.family == AF_INET || target.family == AF_INET6 else { return CURL_SOCKET_BAD }
            // In curl the address is a union that is larger than the sockaddr declared here.
            let start = UnsafeRawPointer(address) + (MemoryLayout<curl_sockaddr>.offset(of: \.addr) ?? 0)
            let peer = IPAddress(socketAddress: start, length: Int(target.addrlen))
            guard Transfer.from(context, { $0.refusal(of: peer) }) == nil else { return CURL_SOCKET_BAD }
            // SOCK_CLOEXEC is O_CLOEXEC (socket(2)); not every build of this module sees the former.
            let made = socket(target.family, target.socktype | O_CLOEXEC, target.protocol)
            if made < 0 {
                let number = errno
                Transfer.from(context) { $0.missedSocket(number) }
            }
            return made
        }
    }
}

extension Transfer {
    /// Returns the transfer of a callback of curl. Only on the loop's thread, where curl runs.
    nonisolated static func from<T>(_ context: UnsafeMutableRawPointer?, _ body: @Loop (Transfer) -> T) -> T {
        guard let context else { preconditionFailure("curl called back without its context") }
        // Only the pointer enters the isolation. The caller does nothing else with it.
        nonisolated(unsafe) let pointer = context
        return Loop.assumeIsolated {
            body(Unmanaged<Transfer>.fromOpaque(pointer).takeUnretainedValue())
        }
    }
}
