import TintypeCore

/// One HTTP exchange to make, redirects included. A pure value.
///
/// Defaults are PROTOCOL.md's for `fetch`: connect 10 s, idle 15 s, total 60 s, 64 MiB, five redirects.
package struct TransferRequest: Sendable {
    /// `http` or `https`; a user and password in it count as `credentials` and never leave with a redirect.
    package var url: String
    package var method = "GET"
    package var headers: [(name: String, value: String)] = []
    /// Names of headers that are not sent, though curl would send them by itself.
    package var omittedHeaders: [String] = []
    package var body: [UInt8]?
    package var credentials: TransferCredentials?
    package var timeouts = TransferTimeouts()
    /// The least that the response's bytes must come at; slower ones end in `timeout` with `which` rate. nil: any rate will do.
    package var lowestRate: LowestRate?
    /// The most bytes of body, counted after decompression, that are taken.
    package var maxBytes: Int64 = 64 << 20
    /// How many redirects are followed at most.
    package var maxRedirects = 5
    /// Whether a redirect to another host is refused.
    package var sameHostRedirects = false
    /// The statuses whose body is delivered; any other ends in `httpStatus`.
    package var acceptableStatus: [ClosedRange<Int>] = [200...299]
    /// The content types whose body is delivered, any other ends in `contentType`; nil: any. A response without one is delivered.
    package var acceptableTypes: [MediaRange]?
    /// What answers are taken for.
    package var revision: TransferRevision?
    package var tls = TransferTLS()
    /// How servers of some hosts are met in place of that, by `TransferURL.plainHost`, behind redirects too; nil: none.
    package var tlsOfHost: (@Sendable (_ host: String) -> TransferTLS?)?
    /// How many bytes of the body are there already: asked for is what follows them, as long as the body is the one with this validator.
    package var resume: Resume?
    /// Validators by which the server can tell that nothing has changed; a 304 is delivered then, without a body.
    package var conditions: [(name: String, value: String)] = []
    /// The resource that `resume` and `conditions` speak of, by its URL or as `UnsignedURL` shows that; nil: the one of `url`. Where redirects
    /// lead elsewhere they are not sent: a date of one resource is newer or older than another's and says nothing of it, and a range of one is no part of another.
    package var subject: String?

    package init(url: String) { self.url = url }

    /// How the server of one hop is met. What the request says itself of pins and of any certificate holds beside what its host's says.
    func tls(for url: TransferURL) -> TransferTLS {
        guard let host = url.plainHost, var other = tlsOfHost?(host) else { return tls }
        (other.pinnedPublicKeys, other.allowInvalid, other.authorities) = (tls.pinnedPublicKeys, tls.allowInvalid, tls.authorities)
        return other
    }

    /// The beginning of a body that is there already.
    package struct Resume: Sendable {
        package let offset: Int64
        /// A strong ETag, or the date of the last change.
        package let validator: String
        /// The length of the whole, if it was said.
        package let total: Int64?
        /// What the response of the beginning said of the whole: that of the rest need not repeat it.
        package let headers: [(name: String, value: String)]

        package init(offset: Int64, validator: String, total: Int64?, headers: [(name: String, value: String)] = []) {
            (self.offset, self.validator, self.total, self.headers) = (offset, validator, total, headers)
        }
    }
}

/// What a server may ask for. Sent to the host of the request only, never to one it redirects to.
package enum TransferCredentials: Sendable {
    case basic(user: String, password: String)
    case digest(user: String, password: String)
    case bearer(String)
    /// Signs the request by AWS' Signature Version 4. The digest is that of the body.
    case aws(AWSSigning)
}

/// What a request to an AWS service is signed with.
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

/// How long a transfer may take. Each ends in `timeout` with `which` naming it.
package struct TransferTimeouts: Sendable, Hashable {
    /// For name, connection and TLS together, at each redirect anew.
    package var connect: Duration
    /// Without a byte from the server; time spent paused does not count.
    package var idle: Duration
    /// For everything, redirects included.
    package var total: Duration

    package init(connect: Duration = .seconds(10), idle: Duration = .seconds(15), total: Duration = .seconds(60)) {
        (self.connect, self.idle, self.total) = (connect, idle, total)
    }
}

/// How the server's certificate is judged, and which one it is shown.
package struct TransferTLS: Sendable, Hashable {
    /// A file of certificate authorities in PEM form, besides the system's folder of them.
    package var authorities: String?
    /// A file of the only authorities that count, in place of the system's and of `authorities`.
    package var ownAuthorities: String?
    /// Whether the certificate has to be for the name of the host.
    package var verifiesName = true
    /// The certificate that the server is shown if it asks for one, and its key, which needs no passphrase: files in PEM form.
    package var certificate: String?
    package var key: String?
    /// `sha256//…` of the keys of which one must be the server's, or that of an authority that vouches for it; empty: any.
    package var pinnedPublicKeys: [String] = []
    /// Whether any certificate will do.
    package var allowInvalid = false

    package init() {}

    /// The digests of the pinned keys, one behind the other.
    var pins: [UInt8] { pinnedPublicKeys.flatMap { Base64.bytes(of: Array($0.utf8.dropFirst("sha256//".utf8.count))) ?? [] } }
}

/// What becomes of bytes offered to the receiver.
package enum TransferVerdict: Sendable {
    /// They were taken; go on.
    case proceed
    /// They were not taken: offer them again once the transfer's gate is opened.
    case pause
    /// Enough: end the transfer now; it counts as successful but not whole.
    case stop
}

/// Opens a paused transfer again. One belongs to one transfer; a gate that nothing waits at opens without effect.
@Loop package final class TransferGate {
    var onOpen: (@Loop () -> Void)?

    package init() {}

    /// Lets the transfer go on where it paused: the same bytes are offered again, possibly before this returns.
    /// Not to be called from within a transfer's callbacks.
    package func open() {
        let waiting = onOpen
        onOpen = nil
        waiting?()
    }
}
