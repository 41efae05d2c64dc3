package import TintypeCore
package import TintypeTransport
package import TintypeImages

/// The authenticator: decides which sessions are admitted and what they may do. Without tokens of the operator, every session may do everything.
@Loop
package final class AccessControl {
    /// The only method that needs no authentication: clients send their token by it.
    package nonisolated static let method = "session.authenticate"

    /// The answer to an HTTP request that may bring a token.
    enum Attempt {
        case granted(AccessGrant)
        /// The token is missing or wrong.
        case refused
        /// The certificate would do, but not for a request of this page or to this host (`foreign`).
        case strange
        /// Too many wrong tokens came from the client's address. The request's token was not looked at.
        case throttled(TintypeError)

        /// nil for a client that is not admitted.
        var grant: AccessGrant? { if case .granted(let grant) = self { grant } else { nil } }
    }

    /// The tokens and certificates that are accepted; nil if none is required.
    var tokens: AccessTokens? {
        didSet {
            clients.apply(tokens?.names ?? [:])
            sessions = PageSessions(tokens)
        }
    }

    /// The secret for the result keys that clients choose. It turns the keys of a token with a scope into keys of that scope.
    package var keys = KeySecret.none

    /// The sessions of browsers, which send a cookie in place of a token.
    private var sessions = PageSessions()
    private var wrongCookies = CountedCookies()

    /// Seconds since 1970, for the ends of these sessions.
    var wallClock: @Loop () -> Double = { WallClock.now }

    /// The named clients of `tokens`, with their limits.
    package let clients: ClientQuotas
    private var wrongTokens: WrongTokens
    private let hosts: AllowedHosts
    private let metrics: Metrics
    private let logger: Logger

    /// - Parameters:
    ///   - hosts: The names of this service.
    ///   - wrongTokens: The limit of wrong tokens from one address.
    init(_ clients: ClientQuotas, hosts: AllowedHosts = AllowedHosts(), wrongTokens: WrongTokens, metrics: Metrics, logger: Logger) {
        (self.clients, self.hosts, self.wrongTokens, self.metrics, self.logger) = (clients, hosts, wrongTokens, metrics, logger)
    }

    /// Whether a token is required.
    package var isGuarded: Bool { tokens != nil }

    /// Returns whether the session is authenticated, or no token is required.
    func admits(_ session: Session) -> Bool { grant(session) != nil }

    /// Returns what a session may do, by the current tokens; nil for an unauthenticated session.
    package func grant(_ session: Session) -> AccessGrant? {
        guard let tokens else { return .everything }
        if let until = session.until, until <= wallClock() { return nil }
        if let token = session.token { return tokens.grant(token) }
        return tokens.grant(token: nil, certificate: session.certificate())
    }

    /// Returns what an HTTP request may do, by the token in `Authorization: Bearer …` or by the certificate of its connection. Its token was counted before.
    package func grant(_ exchange: HTTPExchange) -> AccessGrant? {
        let proof = proof(of: exchange)
        return grant(proof.token, proof.certificate)
    }

    private func grant(_ token: [UInt8]?, _ certificate: CertificateNames?) -> AccessGrant? {
        guard let tokens else { return .everything }
        return tokens.grant(token: token, certificate: certificate)
    }

    // MARK: Proofs

    /// The proof of its client that an HTTP request brings.
    private struct Proof {
        var token: [UInt8]?
        /// The end of the session whose cookie stands for the token; nil for the token itself.
        var until: Double?
        var wrongCookie: String?
        /// The names of the certificate, where it counts.
        var certificate: CertificateNames?
    }

    /// Gives a session the token of an HTTP request, or the one that its cookie stands for, or the certificate of its connection.
    package func identify(_ session: Session, by exchange: HTTPExchange) {
        let proof = proof(of: exchange)
        (session.token, session.until) = (proof.token, proof.until)
        session.certificate = { proof.certificate }
    }

    private func proof(of exchange: HTTPExchange) -> Proof { proof(exchange.authorization, exchange.peer) { exchange.header($0) } }

    private func proof(_ head: HTTPHead, from peer: ConnectionPeer) -> Proof { proof(head.authorization, peer) { head.header($0) } }

    /// Browsers send cookies and show certificates by themselves, whichever page asks. So both count only for pages of this origin. A certificate counts
    /// only under a name of this service too: the name of a cookie has its host already.
    /// - Parameter header: Returns the value of a header. The cookie is looked for only without a token.
    private func proof(_ authorization: String?, _ peer: ConnectionPeer, _ header: (String) -> String?) -> Proof {
        let words = authorization?.split(separator: " ") ?? []
        if words.count == 2, words[0].lowercased() == "bearer" { return Proof(token: AccessTokens.digest(String(words[1]))) }
        guard isGuarded else { return Proof() }
        let (origin, site, host) = (header("Origin"), header("Sec-Fetch-Site"), header("Host"))
        var proof = Proof()
        if authorization == nil, let cookies = header("Cookie"), PageOrigin.stranger(origin: origin, site: site, host: host) == nil {
            switch sessions.read(cookies, host: host, at: wallClock()) {
            case .nothing: break
            case .session(let token, let until): return Proof(token: token, until: until)
            case .wrong(let cookie): proof.wrongCookie = cookie
            }
        }
        if hosts.answers(to: host), PageOrigin.refusal(origin: origin, site: site, host: host, own: hosts) == nil { proof.certificate = peer.certificate }
        return proof
    }

    /// Begins the session of a browser for a token.
    /// - Parameter name: The name of its cookie.
    /// - Returns: The value of the cookie, a secret.
    /// - Throws: As `authenticate`.
    package func beginSession(_ session: Session, _ token: String, in name: String) throws(TintypeError) -> String {
        _ = try authenticate(session, token)
        return sessions.begin(AccessTokens.digest(token), in: name, at: wallClock()) ?? ""
    }

    // MARK: Attempts

    /// Authenticates a session by a token. A wrong token changes nothing: an authenticated session stays authenticated.
    /// - Returns: The grant of the session.
    /// - Throws: `unauthenticated`, or `overloaded` if too many wrong tokens came from the address.
    func authenticate(_ session: Session, _ token: String) throws(TintypeError) -> AccessGrant {
        let digest = AccessTokens.digest(token)
        if let error = throttle(session.network) { throw error }
        guard let grant = grant(digest, nil) else {
            count(session.network)
            throw Self.refusal("the token is wrong")
        }
        (session.token, session.until) = (digest, nil)
        return grant
    }

    /// Authenticates an HTTP request, and counts a wrong token.
    func attempt(_ exchange: HTTPExchange) -> Attempt { attempt(proof(of: exchange), exchange.peer) }

    /// The same for a request that ends at its head.
    func attempt(_ head: HTTPHead, from peer: ConnectionPeer) -> Attempt { attempt(proof(head, from: peer), peer) }

    /// Returns what an HTTP request may do, before its body has arrived. A wrong token is counted when the request ends.
    package func grant(_ head: HTTPHead, from peer: ConnectionPeer) -> AccessGrant? {
        let proof = proof(head, from: peer)
        guard let token = proof.token else { return grant(nil, proof.certificate) }
        return wait(peer.network) == nil ? grant(token, nil) : nil
    }

    private func attempt(_ proof: Proof, _ peer: ConnectionPeer) -> Attempt {
        guard isGuarded else { return .granted(.everything) }
        if proof.token != nil || proof.wrongCookie != nil, let error = throttle(peer.network) { return .throttled(error) }
        if let token = proof.token {
            if let grant = grant(token, nil) { return .granted(grant) }
            count(peer.network)
            return .refused
        }
        if let cookie = proof.wrongCookie, wrongCookies.isNew(cookie) { count(peer.network) }
        if let grant = grant(nil, proof.certificate) { return .granted(grant) }
        return grant(nil, peer.certificate) == nil ? .refused : .strange
    }

    /// Returns the seconds for which an address has to wait; nil if it may try.
    private func wait(_ network: String?) -> Double? {
        guard isGuarded, let network else { return nil }
        return wrongTokens.attempt(by: network, at: clients.clock())
    }

    /// Returns the error for an address that has to wait, and counts its attempt.
    private func throttle(_ network: String?) -> TintypeError? {
        guard let seconds = wait(network) else { return nil }
        metrics.add(.tokensRefused, labels: "throttled")
        // bounded: by the time that an address is refused.
        let whole = max(1, Int(seconds.rounded(.up)))
        return TintypeError(
            .overloaded, .admission,
            "\(wrongTokens.most) wrong tokens came from your address within a minute, so none of its tokens is looked at: try again in \(whole) s",
            details: ["limit": "wrongTokens", "allowed": JSON(wrongTokens.most), "retryAfter": JSON(whole)])
    }

    private func count(_ network: String?) {
        metrics.add(.tokensRefused, labels: "wrong")
        guard let network, wrongTokens.count(network, at: clients.clock()) else { return }
        logger.notice("tokens of an address are refused for a minute: too many were wrong", ["peer": network, "wrong": wrongTokens.most])
    }

    private nonisolated static func refusal(_ reason: String) -> TintypeError { TintypeError(.unauthenticated, .admission, reason) }
    nonisolated static let missing = refusal("a token is required: call session.authenticate {token}, or over HTTP send the header Authorization: Bearer")

    /// The answer to a request whose certificate does not count.
    nonisolated static let foreign = TintypeError(
        .forbidden, .admission,
        "a certificate counts only for pages of this service, under its address or a name of --host-names; send a token instead")
}
