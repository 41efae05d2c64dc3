import TintypeCore
import TintypeTransport
import TestSupport
import Testing

@Suite(.tags(.optimized), .timeLimit(.minutes(1)))
struct AddressPolicyTests {
    @Test(arguments: [
        ("127.0.0.1", "loopback"), ("127.255.255.255", "loopback"), ("0.0.0.0", "unspecified"), ("0.1.2.3", "unspecified"),
        ("10.0.0.1", "private"), ("172.16.0.1", "private"), ("172.31.255.255", "private"), ("192.168.1.1", "private"),
        ("169.254.169.254", "link-local"), ("100.64.0.1", "carrier-grade NAT"), ("100.127.255.255", "carrier-grade NAT"),
        ("192.0.0.1", "protocol assignments"), ("192.0.2.1", "documentation"), ("198.18.0.1", "benchmarking"),
        ("198.19.255.255", "benchmarking"), ("198.51.100.7", "documentation"), ("203.0.113.7", "documentation"),
        ("192.88.99.1", "6to4 relay"), ("224.0.0.1", "multicast"), ("239.255.255.255", "multicast"), ("240.0.0.1", "reserved"),
        ("255.255.255.255", "reserved"), ("::", "unspecified"), ("::1", "loopback"), ("fe80::1", "link-local"),
        ("febf::1", "link-local"), ("fec0::1", "site-local"), ("fc00::1", "unique local"), ("fdff::1", "unique local"),
        ("ff02::1", "multicast"), ("2001:db8::1", "documentation"), ("100::1", "discard"),
        ("2001:2::1", "benchmarking"), ("2001:1f::1", "ORCHID"), ("2001:2f::1", "ORCHID"), ("3fff:fff::1", "documentation"), ("5f00::1", "segment routing"),
        ("168.63.129.16", "a cloud's own service"),
    ])
    func `an address that is not public is refused with the reason`(address: String, reason: String) throws {
        #expect(AddressPolicy().refusal(of: try #require(IPAddress(address))) == reason)
    }

    @Test(arguments: [
        ("mapped", "::ffff:127.0.0.1"), ("mapped", "::ffff:10.1.2.3"), ("compatible", "::169.254.169.254"),
        ("translated", "::ffff:0:192.168.0.1"), ("6to4", "2002:7f00:1::"), ("6to4", "2002:a9fe:a9fe::1"),
        ("NAT64", "64:ff9b::10.0.0.1"), ("NAT64", "64:ff9b::127.0.0.1"), ("local NAT64", "64:ff9b:1::8.8.8.8"),
        ("local NAT64", "64:ff9b:1:ffff::1"), ("Teredo server", "2001:0:7f00:1::f7f7:f7f7"),
        ("Teredo client", "2001:0:808:808::80ff:fffe"), ("ISATAP", "2a00:1450::5efe:10.0.0.1"),
        ("ISATAP", "2a00:1450::200:5efe:192.168.0.1"), ("ISATAP", "fe80::5efe:8.8.8.8"),
    ])
    func `looks inside IPv6 for the IPv4 address it leads to`(form: String, address: String) throws {
        #expect(AddressPolicy().refusal(of: try #require(IPAddress(address))) != nil)
    }

    @Test(arguments: [
        "8.8.8.8", "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.1",
        "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0", "192.167.255.255", "192.169.0.0",
        "198.17.255.255", "198.20.0.0", "223.255.255.255", "2606:4700::1111", "2a00:1450:4001:800::200e", "::ffff:8.8.8.8",
        "64:ff9b::8.8.8.8", "2002:808:808::1", "2001:0:808:808::f7f7:f7f7", "2a00:1450::5efe:8.8.8.8", "fbff::1", "2001:1::1", "2001:2:1::1", "2001:30::1",
        "3fff:1000::1", "168.63.129.17",
    ])
    func `public addresses are allowed, up to the edges of the refused blocks`(address: String) throws {
        #expect(AddressPolicy().refusal(of: try #require(IPAddress(address))) == nil)
    }

    /// The first six are those of RFC 6052, section 2.4, with another address inside.
    @Test(arguments: [
        ("2001:db8::/32", "2001:db8:a01:203::"), ("2001:db8:100::/40", "2001:db8:10a:102:3::"), ("2001:db8:122::/48", "2001:db8:122:a01:2:300::"),
        ("2001:db8:122:300::/56", "2001:db8:122:30a:1:203::"), ("2001:db8:122:344::/64", "2001:db8:122:344:a:102:300::"),
        ("2001:db8:122:344::/96", "2001:db8:122:344::10.1.2.3"), ("64:ff9b:1::/96", "64:ff9b:1::10.1.2.3"), ("fd00:64::/96", "fd00:64::10.1.2.3"),
    ])
    func `the operator's NAT64 leads to the address inside`(prefix: String, address: String) throws {
        let (range, inside) = (try #require(AddressRange(prefix)), try #require(IPAddress(address)))
        #expect(range.translated(inside) == 0x0a01_0203)
        // A range that is allowed for the sake of the NAT64 changes nothing.
        let policy = AddressPolicy(allowing: [range], translating: [range])
        #expect(policy.refusal(of: inside) == "private inside IPv6")
        #expect(AddressPolicy(allowing: try [#require(AddressRange("10.0.0.0/8"))], translating: [range]).refusal(of: inside) == nil)
        let outside = try #require(IPAddress("2a00:1450::1"))
        #expect(policy.refusal(of: outside) == nil && range.translated(outside) == nil)
    }

    @Test func `a public address behind the operator's NAT64 is allowed, and other prefixes are no NAT64`() throws {
        let policy = AddressPolicy(translating: try ["64:ff9b:1:fffe::/96"].map { try #require(AddressRange($0)) })
        #expect(policy.refusal(of: try #require(IPAddress("64:ff9b:1:fffe::8.8.8.8"))) == nil)
        #expect(policy.refusal(of: try #require(IPAddress("64:ff9b:1:ffff::8.8.8.8"))) == "local NAT64")
        for text in ["2001:db8::/33", "2001:db8::/128", "10.0.0.0/32"] { #expect(AddressRange(text)?.isTranslated == false, "\(text)") }
        for text in ["2001:db8::/95", "10.0.0.0/8", "x"] {
            #expect(throws: SettingError.self) { _ = try SettingType<[String]>.translatedRanges.parse(text) }
        }
    }

    @Test func `the operator's blocks are allowed and nothing beside them`() throws {
        let ranges = try ["127.0.0.0/8", "::1", "fd12::/16"].map { try #require(AddressRange($0)) }
        let policy = AddressPolicy(allowing: ranges)
        for allowed in ["127.0.0.1", "127.9.9.9", "::1", "fd12::7", "::ffff:127.0.0.1"] {
            #expect(policy.refusal(of: try #require(IPAddress(allowed))) == nil, "\(allowed)")
        }
        for refused in ["10.0.0.1", "fd13::7", "::", "0.0.0.0"] {
            #expect(policy.refusal(of: try #require(IPAddress(refused))) != nil, "\(refused)")
        }
    }

    @Test(arguments: ["", "/", "1.2.3", "1.2.3.4/33", "1.2.3.4/-1", "1.2.3.4/+8", "1.2.3.4/8/9", "::1/129", "[::1]", "host", "1.2.3.4/"])
    func `a text that is no block of addresses is refused`(text: String) {
        #expect(AddressRange(text) == nil)
    }

    @Test(arguments: [("10.1.2.3/8", "10.0.0.0/8"), ("0.0.0.0/0", "0.0.0.0/0"), ("fe80::ffff/10", "fe80::/10"), ("::1", "::1/128")])
    func `a block is shown without the bits after its prefix`(text: String, shown: String) {
        #expect(AddressRange(text)?.description == shown)
    }
}
