import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import Testing

@testable import Coordinator

/// The client whose part of the limits the requests of a session use.
@Suite @Loop struct SessionTests {
    private func session(_ peer: String, address: String? = nil, _ grant: AccessGrant? = nil, token: String? = nil) -> Session {
        let session = Session(peer: peer, ownsReceipts: true, address: address, send: nil)
        session.grant = grant
        session.token = token.map { AccessTokens.digest($0) }
        return session
    }

    @Test func `without tokens an address is a client, whatever port or token it uses`() {
        let one = session("192.0.2.1:4000", .everything).sharer
        #expect(session("192.0.2.1:4001", .everything, token: "any word").sharer == one)
        #expect(session("http", address: "192.0.2.1", .everything).sharer == one)
        #expect(session("http", address: "192.0.2.2", .everything).sharer != one)
        #expect(session("[2001:db8::1]:4000", .everything).sharer == session("[2001:db8::2]:5000", .everything).sharer, "one network of 64 bits")
    }

    @Test func `with tokens a client is one client from any address`() throws {
        let tokens = try AccessTokens(
            text: "first-token-of-the-client-0000000000 name=a\nsecond-token-of-the-client-000000000 name=a\nthird-token-000000000000000000000000 name=b\n",
            path: "tokens")
        func grant(_ token: String) throws -> AccessGrant { try #require(tokens.grant(AccessTokens.digest(token))) }
        let one = session("192.0.2.1:4000", try grant("first-token-of-the-client-0000000000")).sharer
        #expect(session("192.0.2.9:1", try grant("second-token-of-the-client-000000000")).sharer == one)
        #expect(session("192.0.2.1:4000", try grant("third-token-000000000000000000000000")).sharer != one)
    }
}
