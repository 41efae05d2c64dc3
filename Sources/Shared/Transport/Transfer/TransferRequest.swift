package import TintypeCore

/// One HTTP exchange to make, redirects included. A pure value.
///
/// The defaults are those of `fetch` in the protocol: connect 10 s, idle 15 s, total 60 s, 64 MiB, five redirects.
package struct TransferRequest: Sendable {
    /// `http` or `https`. A user and password in the URL count as `credentials` and are never sent after a redirect.
    package var url: String
    package var method = "GET"
    package var headers: [(name: String, value: String)] = []
    /// Names of headers that are not sent, although curl would send them by itself.
    package var omittedHeaders: [String] = []
    package var body: [UInt8]?
    package var credentials: TransferCredentials?
    package var timeouts = TransferTimeouts()
    /// The lowest rate of the response's bytes. A slower one ends in `timeout` with `which` rate. nil: no limit.
    package var lowestRate: LowestRate?
    /// The maximum length of the body, counted after decompression.
    package var maxBytes: Int64 = 64 << 20
    /// The maximum number of redirects.
    package var maxRedirects = 5
    /// Whether a redirect to another host is refused.
    package var sameHostRedirects = false
    /// The statuses whose body is delivered. Any other ends in `httpStatus`.
    package var acceptableStatus: [ClosedRange<Int>] = [200...299]
    /// The content types whose body is delivered. Any other ends in `contentType`; nil for any. A response without a type is delivered.
    package var acceptableTypes: [MediaRange]?
    /// The changes to the answers of servers.
    package var revision: TransferRevision?
    package var tls = TransferTLS()
    /// The TLS settings of some hosts in place of `tls`, by `TransferURL.plainHost`, also after redirects; nil: none.
    package var tlsOfHost: (@Sendable (_ host: String) -> TransferTLS?)?
    /// The part of the body that is already there. The request is for the bytes after it, as long as the body still has this validator.
    package var resume: Resume?
    /// Validators by which the server can tell that nothing has changed. A 304 is delivered then, without a body.
    package var conditions: [(name: String, value: String)] = []
    /// The resource of `resume` and `conditions`, by its URL or `UnsignedURL`; nil: the one of `url`. They are not sent where redirects lead elsewhere:
    /// a date or a range of one resource says nothing about another.
    package var subject: String?

    package init(url: String) { self.url = url }

    /// Returns the TLS settings for one hop. The request's own pins, and its `allowInvalid`, apply in addition to the settings of the host.
    func tls(for url: TransferURL) -> TransferTLS {
        guard let host = url.plainHost, var other = tlsOfHost?(host) else { return tls }
        (other.pinnedPublicKeys, other.allowInvalid, other.authorities) = (tls.pinnedPublicKeys, tls.allowInvalid, tls.authorities)
        return other
    }

    /// The beginning of a body that is already there.
    package struct Resume: Sendable {
        package let offset: Int64
        /// A strong ETag, or the date of the last change.
        package let validator: String
        /// The length of the whole, if it was declared.
        package let total: Int64?
        /// Headers of the first response about the whole. The response with the remainder need not repeat them.
        package let headers: [(name: String, value: String)]

        package init(offset: Int64, validator: String, total: Int64?, headers: [(name: String, value: String)] = []) {
            (self.offset, self.validator, self.total, self.headers) = (offset, validator, total, headers)
        }
    }
}

/// The credentials for a server. They are sent only to the host of the request, never to one that it redirects to.
package enum TransferCredentials: Sendable {
    case basic(user: String, password: String)
    case digest(user: String, password: String)
    case bearer(String)
    /// Signs the request with AWS Signature Version 4. The digest is that of the body.
    case aws(AWSSigning)
}

/// The keys and names for signing a request to an AWS service.
package struct AWSSigning: Sendable {
    package var accessKey: String
    package var secretKey: String
    package var sessionToken: String?
    package var region: String
    package var service: String
    package var bodySHA256: String

    package init(accessKey: String, secretKey: String, sessionToken: String?, region: String, service: String, bodySHA256: String) {
        (self.accessKey, self.secretKey, self.sessionToken) = (accessKey, secretKey, sessionToken)
        (self.region, self.service, self.bodySHA256) = (region, service, bodySHA256)
    }
}

/// The time limits of a transfer. Each ends in `timeout` with its name as `which`.
package struct TransferTimeouts: Sendable, Hashable {
    /// For name, connection and TLS together, anew for each redirect.
    package var connect: Duration
    /// Without a byte from the server. Paused time does not count.
    package var idle: Duration
    /// For everything, redirects included.
    package var total: Duration

    package init(connect: Duration = .seconds(10), idle: Duration = .seconds(15), total: Duration = .seconds(60)) {
        (self.connect, self.idle, self.total) = (connect, idle, total)
    }
}

/// How the server's certificate is checked, and which client certificate is sent.
package struct TransferTLS: Sendable, Hashable {
    /// A file of certificate authorities in PEM format, in addition to the system's folder.
    package var authorities: String?
    /// A file of the only trusted authorities, in place of the system's and of `authorities`.
    package var ownAuthorities: String?
    /// Whether the certificate must match the name of the host.
    package var verifiesName = true
    /// The client certificate and its key, which needs no passphrase: files in PEM format.
    package var certificate: String?
    package var key: String?
    /// `sha256//…` of keys. One of them must be the server's, or that of an authority in its chain; empty: any key.
    package var pinnedPublicKeys: [String] = []
    /// Whether any certificate is accepted.
    package var allowInvalid = false

    package init() {}

    /// The digests of the pinned keys, concatenated.
    var pins: [UInt8] { pinnedPublicKeys.flatMap { Base64.bytes(of: Array($0.utf8.dropFirst("sha256//".utf8.count))) ?? [] } }
}

/// The receiver's answer to offered bytes.
package enum TransferVerdict: Sendable {
    /// The bytes were taken. Go on.
    case proceed
    /// The bytes were not taken. Offer them again once the transfer's gate is opened.
    case pause
    /// Enough: end the transfer now. It counts as successful but not whole.
    case stop
}

/// Resumes a paused transfer. Each gate belongs to one transfer. Opening a gate without a paused transfer has no effect.
@Loop package final class TransferGate {
    var onOpen: (@Loop () -> Void)?

    package init() {}

    /// Resumes the transfer: the same bytes are offered again, possibly before this returns. Do not call it from a transfer's callbacks.
    package func open() {
        let waiting = onOpen
        onOpen = nil
        waiting?()
    }
}

/// The cookies before and after a transfer. Each hop sends the ones meant for its server, and stores those that it sets.
///
/// The lines have the format of Netscape's cookie file, which curl reads and writes. Cookies are secrets: never log them.
@Loop package final class TransferCookies {
    package internal(set) var lines: [String]

    package init(lines: [String]) { self.lines = lines }
}
