import TintypeTransport
import Testing

@testable import Console

/// The addresses of coordinators on the command line.
@Suite(.timeLimit(.minutes(1))) struct ServiceAddressTests {
    @Test(arguments: [
        ("h:1", ServiceAddress.Port.rpc, "h:1", false), ("tls://h:1", .rpc, "h:1", true), ("TLS://[::1]:1", .rpc, "[::1]:1", true),
        ("tcp://h:1", .rpc, "h:1", false), ("unix:/tmp/s", .rpc, "unix:/tmp/s", false), ("h:1", .http, "h:1", false),
        ("http://h:1/", .http, "h:1", false), ("https://h:1", .http, "h:1", true), ("https://h", .http, "h:443", true), ("http://h", .http, "h:80", false),
        ("https://[::1]", .http, "[::1]:443", true), ("https://[::1]:2/", .http, "[::1]:2", true),
    ])
    func `an address says whether its port speaks TLS`(text: String, port: ServiceAddress.Port, address: String, isSecure: Bool) throws {
        let read = try ServiceAddress(text, port, option: "o")
        #expect("\(read.address)" == address && read.isSecure == isSecure)
        // Without `tls:` and the like, the other port decides.
        if !text.contains("://") { #expect(try ServiceAddress(text, port, option: "o", isSecure: true).isSecure) }
    }

    @Test(arguments: [
        ("https://h:1", ServiceAddress.Port.rpc), ("tls://h:1", .http), ("tls://h", .rpc), ("tls://h:1/path", .rpc), ("tls://", .rpc), ("https://", .http),
        ("https://h:1/images", .http), ("rediss://h:1", .rpc), ("h", .http), ("tls://unix:/s", .rpc),
    ])
    func `anything else is refused`(text: String, port: ServiceAddress.Port) {
        #expect(throws: UsageError.self) { try ServiceAddress(text, port, option: "o") }
    }
}
