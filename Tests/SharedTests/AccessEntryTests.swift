import TintypeCore
import TintypeTransport
@testable import TintypeImages
import Testing

/// The entries of a token file: tokens, certificates, and the limits of their names.
@Suite(.timeLimit(.minutes(1))) struct AccessEntryTests {
    private static func tokens(_ text: String) throws -> AccessTokens { try AccessTokens(text: text, path: "t") }

    private static let file = """
        sesame-sesame role=load name=shop certificate=spiffe://prod/shop,Shop.Example.org perSecond=200 burst=400 running=64 queued=20000
        sesame-of-next-year role=put name=shop
        certificate=spiffe://prod/ops name=ops
        certificate=blog.example.org role=load
        other-token-here role=load name=blog perSecond=0.5 uploads=1.5GiB
        """

    /// A token, the names in a certificate, and the client that they stand for.
    private static let table: [(token: String?, certificate: CertificateNames?, name: String?, role: AccessRole?)] = [
        (nil, nil, nil, nil),
        ("sesame-sesame", nil, "shop", .load), ("sesame-of-next-year", nil, "shop", .put), ("sesame-sesamf", nil, nil, nil),
        (nil, CertificateNames(uris: ["spiffe://prod/shop"]), "shop", .load), (nil, CertificateNames(dns: ["shop.example.org"]), "shop", .load),
        (nil, CertificateNames(dns: ["SHOP.example.ORG"]), "shop", .load),
        (nil, CertificateNames(uris: ["spiffe://prod/ops"]), "ops", .admin), (nil, CertificateNames(dns: ["blog.example.org"]), nil, .load),
        // URIs are compared as they are, and nothing stands for a part of a name.
        (nil, CertificateNames(uris: ["SPIFFE://prod/shop"]), nil, nil), (nil, CertificateNames(uris: ["spiffe://prod/shop/x"]), nil, nil),
        (nil, CertificateNames(dns: ["example.org", "*.example.org"]), nil, nil), (nil, CertificateNames(), nil, nil),
        // URIs come before DNS names, and the first known name decides.
        (nil, CertificateNames(uris: ["spiffe://prod/unknown", "spiffe://prod/ops"], dns: ["shop.example.org"]), "ops", .admin),
        // A token decides alone: a wrong one is not saved by a certificate.
        ("sesame-sesame", CertificateNames(uris: ["spiffe://prod/ops"]), "shop", .load),
        ("sesame-sesamf", CertificateNames(uris: ["spiffe://prod/ops"]), nil, nil),
    ]

    @Test func `tokens and certificates lead to clients`() throws {
        let tokens = try Self.tokens(Self.file)
        for (number, row) in Self.table.enumerated() {
            let grant = tokens.grant(token: row.token.map { AccessTokens.digest($0) }, certificate: row.certificate)
            #expect(grant?.client.name == row.name && grant?.role == row.role, "row \(number): \(String(describing: grant))")
        }
        // One name is one client, however it authenticates. Certificates without a name are clients of their own.
        let keys = [CertificateNames(uris: ["spiffe://prod/shop"]), CertificateNames(dns: ["blog.example.org"])].map {
            tokens.grant(token: nil, certificate: $0)?.client.key
        }
        #expect(keys[0] == "n-shop" && keys[1]?.hasPrefix("t-") == true)
    }

    @Test func `a name has the limits of its line, and other names have none`() throws {
        let tokens = try Self.tokens(Self.file)
        #expect(
            tokens.names == [
                "shop": NameLimits(perSecond: 200, burst: 400, running: 64, queued: 20000), "ops": .unlimited,
                "blog": NameLimits(perSecond: 0.5, uploads: 1_610_612_736),
            ])
        #expect(try Self.tokens("sesame-sesame name=shop").names == ["shop": .unlimited])
        // The limits stand in any line of the name, and may be repeated.
        for text in ["sesame-sesame name=a\nsesame-2-sesame name=a running=3", "sesame-sesame name=a running=3\nsesame-2-sesame name=a running=3"] {
            #expect(try Self.tokens(text).names == ["a": NameLimits(running: 3)])
        }
    }

    @Test(arguments: [
        ("sesame-sesame running=3", ":1: limits are those of a name"), ("sesame-sesame name=a burst=3", "burst needs perSecond"),
        ("sesame-sesame name=a queued=3", "queued needs running"), ("sesame-sesame name=a perSecond=0", "0.001 to 1000000"),
        ("sesame-sesame name=a perSecond=1e3", "0.001 to 1000000"), ("sesame-sesame name=a perSecond=nan", "0.001 to 1000000"),
        ("sesame-sesame name=a perSecond=-1", "0.001 to 1000000"), ("sesame-sesame name=a perSecond=", "0.001 to 1000000"),
        ("sesame-sesame name=a uploads=0", "a size such as"), ("sesame-sesame name=a uploads=much", "a size such as"),
        ("sesame-sesame uploads=1GiB", ":1: limits are those of a name"), ("sesame-sesame name=a running=0", "1 to 1000000"),
        ("sesame-sesame name=a running=+3", "1 to 1000000"),
        ("sesame-sesame name=a running=99999999999999999999", "1 to 1000000"), ("sesame-sesame name=a running=3 queued=-1", "0 to 1000000"),
        ("sesame-sesame name=a running=3 running=4", ":1: expected"), ("sesame-sesame name=a Running=3", ":1: expected"),
        ("sesame-sesame name=a running=3\nsesame-2-sesame name=a running=4", ":2: a line before it has other limits for the name a"),
        ("sesame-sesame certificate=", ":1: certificate has names"), ("certificate=a,,b", ":1: certificate has names"),
        ("certificate=a,A", ":1: certificate has names"), ("certificate=ä", ":1: certificate has names"),
        ("certificate=a.test\nsesame-sesame certificate=A.test", ":2: a certificate is in a line before it"),
        ("certificate=a.test scope=x", ":1: an admin reaches"), ("# nothing\n", "expected a token"),
    ]) func `a wrong entry is refused with what is wrong, without the token`(text: String, message: String) throws {
        let mistake = try #require(throws: SettingError.self) { _ = try Self.tokens(text) }
        #expect(mistake.message.contains(message) && !mistake.message.contains("sesame"), "\(mistake.message)")
    }

    @Test func `limits are shown, and a refusal names the limit and the time to wait`() {
        let limits = NameLimits(perSecond: 2.5, running: 3)
        #expect(limits.wholeBurst == 3 && NameLimits(perSecond: 0.1).wholeBurst == 1 && NameLimits(perSecond: 9, burst: 2).wholeBurst == 2)
        #expect(limits.json == ["perSecond": 2.5, "burst": 3, "running": 3, "queued": 0] && NameLimits.unlimited.json == nil)
        #expect(NameLimits(uploads: 9).json == ["uploads": 9])
        let error = limits.refusal(.perSecond, of: "shop", retryAfter: 0.1234)
        #expect(error.name == .overloaded && error.ownLimitSeconds == 0.124, "\(error)")
        #expect(error.details == ["limit": "perSecond", "allowed": 2.5, "client": "shop", "retryAfter": 0.124], "\(error)")
        #expect(error.message.contains("shop") && error.message.contains("2.5 requests a second") && error.message.contains("0.124 s"))
        // The service's own limits are not the client's.
        #expect(TintypeError(.overloaded, .queue, "full", details: ["retryAfter": 1]).ownLimitSeconds == nil)
        #expect(TintypeError(.limitExceeded, .decode, "large", details: ["limit": "maxPixels"]).ownLimitSeconds == nil)
    }

    @Test(arguments: [
        ("10.0.0.1", "10.0.0.1"), ("2001:db8::1", "2001:db8::/64"), ("2001:db8::ffff:1", "2001:db8::/64"), ("::ffff:10.0.0.1", "10.0.0.1"),
        ("2001:db8:0:1:ffff::1", "2001:db8:0:1::/64"), ("::1", "::1"), ("fe80::1%eth0", "fe80::/64"), ("", nil), ("unknown", nil), ("/run/tintype.sock", nil),
    ]) func `clients are counted by IPv4 address or IPv6 network of 64 bits, and not on Unix sockets`(address: String, network: String?) {
        #expect(ConnectionPeer(address: address).network == network)
    }
}
