import Shared

/// Who is let in: everybody, unless the operator has named tokens.
@Loop
final class Door {
    /// The one method that is open to all: by it they show a token.
    nonisolated static let method = "session.authenticate"

    /// nil: everybody.
    var tokens: AccessTokens?

    /// Whether it is closed to strangers.
    var isGuarded: Bool { tokens != nil }

    /// Whether what this session asks for is done.
    func admits(_ session: Session) -> Bool { admits(session.token) }

    /// Whether an HTTP request has brought a token, as `Authorization: Bearer …`.
    func admits(_ exchange: HTTPExchange) -> Bool { admits(Self.token(of: exchange)) }

    /// Whether the head of one has, of which the rest is not there yet.
    func admits(_ head: HTTPHead) -> Bool { admits(Self.token(head.authorization)) }

    private func admits(_ digest: [UInt8]?) -> Bool {
        guard let tokens else { return true }
        return digest.map { tokens.admit($0) } ?? false
    }

    /// The digest of the token that an HTTP request has brought.
    static func token(of exchange: HTTPExchange) -> [UInt8]? { token(exchange.header("Authorization")) }

    private static func token(_ authorization: String?) -> [UInt8]? {
        guard let words = authorization?.split(separator: " "), words.count == 2, words[0].lowercased() == "bearer" else { return nil }
        return AccessTokens.digest(String(words[1]))
    }

    /// A session brings a token. A wrong one changes nothing: who was let in stays.
    /// - Throws: `unauthenticated`.
    func knock(_ session: Session, _ token: String) throws(TintypeError) {
        let digest = AccessTokens.digest(token)
        guard admits(digest) else { throw Self.refusal("the token is wrong") }
        session.token = digest
    }

    private nonisolated static func refusal(_ reason: String) -> TintypeError { TintypeError(.unauthenticated, .admission, reason) }
    nonisolated static let missing = refusal("this service asks for a token: session.authenticate {token}, over HTTP the header Authorization: Bearer")
}
