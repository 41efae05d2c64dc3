import TintypeCore
import TintypeTransport
import TintypeImages

/// The authenticator: decides which sessions are admitted and what they may do. Without tokens of the operator, every session may do everything.
@Loop
final class AccessControl {
    /// The only method that needs no authentication: clients send their token by it.
    nonisolated static let method = "session.authenticate"

    /// The tokens that are accepted; nil if none is required.
    var tokens: AccessTokens?

    /// The secret for the result keys that clients choose. It turns the keys of a token with a scope into keys of that scope.
    var keys = KeySecret.none

    /// Whether a token is required.
    var isGuarded: Bool { tokens != nil }

    /// Returns whether the session is authenticated, or no token is required.
    func admits(_ session: Session) -> Bool { grant(session.token) != nil }

    /// Returns what a session may do, by the current tokens; nil for an unauthenticated session.
    func grant(_ session: Session) -> AccessGrant? { grant(session.token) }

    /// Returns what an HTTP request may do, by the token in `Authorization: Bearer …`.
    func grant(_ exchange: HTTPExchange) -> AccessGrant? { grant(Self.token(of: exchange)) }

    /// Returns what an HTTP request may do, before its body has arrived.
    func grant(_ head: HTTPHead) -> AccessGrant? { grant(Self.token(head.authorization)) }

    private func grant(_ digest: [UInt8]?) -> AccessGrant? {
        guard let tokens else { return .everything }
        return digest.flatMap { tokens.grant($0) }
    }

    /// Returns the digest of the token in an HTTP request.
    static func token(of exchange: HTTPExchange) -> [UInt8]? { token(exchange.header("Authorization")) }

    private static func token(_ authorization: String?) -> [UInt8]? {
        guard let words = authorization?.split(separator: " "), words.count == 2, words[0].lowercased() == "bearer" else { return nil }
        return AccessTokens.digest(String(words[1]))
    }

    /// Authenticates a session by a token. A wrong token changes nothing: an authenticated session stays authenticated.
    /// - Returns: The grant of the session.
    /// - Throws: `unauthenticated`.
    func authenticate(_ session: Session, _ token: String) throws(TintypeError) -> AccessGrant {
        let digest = AccessTokens.digest(token)
        guard let grant = grant(digest) else { throw Self.refusal("the token is wrong") }
        session.token = digest
        return grant
    }

    private nonisolated static func refusal(_ reason: String) -> TintypeError { TintypeError(.unauthenticated, .admission, reason) }
    nonisolated static let missing = refusal("a token is required: call session.authenticate {token}, or over HTTP send the header Authorization: Bearer")
}
