import TintypeCore
import TintypeTransport
import TintypeImages

/// Decides who is let in, and to do what: everybody everything, unless the operator has named tokens.
@Loop
final class Door {
    /// The one method that is open to all: by it they show a token.
    nonisolated static let method = "session.authenticate"

    /// nil: everybody.
    var tokens: AccessTokens?

    /// What makes the keys of results that a token bound to a scope names by keys of its own.
    var keys = KeySecret.none

    /// Whether it is closed to strangers.
    var isGuarded: Bool { tokens != nil }

    /// Whether what this session asks for is done.
    func admits(_ session: Session) -> Bool { grant(session.token) != nil }

    /// What a session may do, by the tokens of now; nil for a stranger.
    func grant(_ session: Session) -> AccessGrant? { grant(session.token) }

    /// What an HTTP request may do by the token that it has brought, as `Authorization: Bearer …`.
    func grant(_ exchange: HTTPExchange) -> AccessGrant? { grant(Self.token(of: exchange)) }

    /// The same for the head of one of which the rest is not there yet.
    func grant(_ head: HTTPHead) -> AccessGrant? { grant(Self.token(head.authorization)) }

    private func grant(_ digest: [UInt8]?) -> AccessGrant? {
        guard let tokens else { return .everything }
        return digest.flatMap { tokens.grant($0) }
    }

    /// The digest of the token that an HTTP request has brought.
    static func token(of exchange: HTTPExchange) -> [UInt8]? { token(exchange.header("Authorization")) }

    private static func token(_ authorization: String?) -> [UInt8]? {
        guard let words = authorization?.split(separator: " "), words.count == 2, words[0].lowercased() == "bearer" else { return nil }
        return AccessTokens.digest(String(words[1]))
    }

    /// A session brings a token. A wrong one changes nothing: a session that was let in stays.
    /// - Returns: what it may do.
    /// - Throws: `unauthenticated`.
    func knock(_ session: Session, _ token: String) throws(TintypeError) -> AccessGrant {
        let digest = AccessTokens.digest(token)
        guard let grant = grant(digest) else { throw Self.refusal("the token is wrong") }
        session.token = digest
        return grant
    }

    private nonisolated static func refusal(_ reason: String) -> TintypeError { TintypeError(.unauthenticated, .admission, reason) }
    nonisolated static let missing = refusal("this service asks for a token: session.authenticate {token}, over HTTP the header Authorization: Bearer")
}
