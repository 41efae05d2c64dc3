import TintypeCore
import TintypeTransport
import TintypeImages

/// The authenticator: decides which sessions are admitted and what they may do. Without tokens of the operator, every session may do everything.
@Loop
final class AccessControl {
    /// The only method that needs no authentication: clients send their token by it.
    nonisolated static let method = "session.authenticate"

    /// The answer to an HTTP request that may bring a token.
    enum Attempt {
        case granted(AccessGrant)
        /// The token is missing or wrong.
        case refused
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
    var keys = KeySecret.none

    /// The sessions of browsers, which send a cookie in place of a token.
    private var sessions = PageSessions()
    private var wrongCookies = CountedCookies()

    /// Seconds since 1970, for the ends of these sessions.
    var wallClock: @Loop () -> Double = { WallClock.now }

    /// The named clients of `tokens`, with their limits.
    let clients: NamedClients
    private var wrongTokens: WrongTokens
    private let metrics: Metrics
    private let logger: Logger

    /// - Parameter wrongTokens: The limit of wrong tokens from one address.
    init(_ clients: NamedClients, wrongTokens: WrongTokens, metrics: Metrics, logger: Logger) {
        (self.clients, self.wrongTokens, self.metrics, self.logger) = (clients, wrongTokens, metrics, logger)
    }

    /// Whether a token is required.
    var isGuarded: Bool { tokens != nil }

    /// Returns whether the session is authenticated, or no token is required.
    func admits(_ session: Session) -> Bool { grant(session) != nil }

    /// Returns what a session may do, by the current tokens; nil for an unauthenticated session.
    func grant(_ session: Session) -> AccessGrant? {
        guard let tokens else { return .everything }
        if let until = session.until, until <= wallClock() { return nil }
        if let token = session.token { return tokens.grant(token) }
        return tokens.grant(token: nil, certificate: session.certificate())
    }

    /// Returns what an HTTP request may do, by the token in `Authorization: Bearer …` or by the certificate of its connection. Its token was counted before.
    func grant(_ exchange: HTTPExchange) -> AccessGrant? { grant(proof(of: exchange).token, exchange.peer.certificate) }

    private func grant(_ token: [UInt8]?, _ certificate: CertificateNames?) -> AccessGrant? {
        guard let tokens else { return .everything }
        return tokens.grant(token: token, certificate: certificate)
    }

    // MARK: Proofs

    /// The proof of its client that an HTTP request brings.
    private enum Proof {
        case nothing
        /// - until: The end of the session whose cookie stands for the token; nil for the token itself.
        case token([UInt8], until: Double? = nil)
        case wrongCookie(String)

        var token: [UInt8]? { if case .token(let token, _) = self { token } else { nil } }
    }

    /// Gives a session the token of an HTTP request, or the one that its cookie stands for.
    func identify(_ session: Session, by exchange: HTTPExchange) {
        guard case .token(let token, let until) = proof(of: exchange) else { return }
        (session.token, session.until) = (token, until)
    }

    private func proof(of exchange: HTTPExchange) -> Proof { proof(exchange.authorization) { exchange.header($0) } }

    private func proof(_ head: HTTPHead) -> Proof { proof(head.authorization) { head.header($0) } }

    /// - Parameter header: Returns the value of a header. The cookie is looked for only without a token, and counts only for pages of this origin.
    private func proof(_ authorization: String?, _ header: (String) -> String?) -> Proof {
        if let authorization {
            let words = authorization.split(separator: " ")
            guard words.count == 2, words[0].lowercased() == "bearer" else { return .nothing }
            return .token(AccessTokens.digest(String(words[1])))
        }
        guard isGuarded, let cookies = header("Cookie") else { return .nothing }
        let host = header("Host")
        guard PageOrigin.stranger(origin: header("Origin"), site: header("Sec-Fetch-Site"), host: host) == nil else { return .nothing }
        switch sessions.read(cookies, host: host, at: wallClock()) {
        case .nothing: return .nothing
        case .session(let token, let until): return .token(token, until: until)
        case .wrong(let cookie): return .wrongCookie(cookie)
        }
    }

    /// Begins the session of a browser for a token.
    /// - Parameter name: The name of its cookie.
    /// - Returns: The value of the cookie, a secret.
    /// - Throws: As `authenticate`.
    func beginSession(_ session: Session, _ token: String, in name: String) throws(TintypeError) -> String {
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
    func attempt(_ head: HTTPHead, from peer: ConnectionPeer) -> Attempt { attempt(proof(head), peer) }

    /// Returns what an HTTP request may do, before its body has arrived. A wrong token is counted when the request ends.
    func grant(_ head: HTTPHead, from peer: ConnectionPeer) -> AccessGrant? {
        guard let token = proof(head).token else { return grant(nil, peer.certificate) }
        return wait(peer.network) == nil ? grant(token, nil) : nil
    }

    private func attempt(_ proof: Proof, _ peer: ConnectionPeer) -> Attempt {
        func byCertificate() -> Attempt { grant(nil, peer.certificate).map { .granted($0) } ?? .refused }
        guard isGuarded else { return byCertificate() }
        switch proof {
        case .nothing: return byCertificate()
        case .token(let token, _):
            if let error = throttle(peer.network) { return .throttled(error) }
            if let grant = grant(token, nil) { return .granted(grant) }
            count(peer.network)
            return .refused
        case .wrongCookie(let cookie):
            if let error = throttle(peer.network) { return .throttled(error) }
            if wrongCookies.isNew(cookie) { count(peer.network) }
            return byCertificate()
        }
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
}
