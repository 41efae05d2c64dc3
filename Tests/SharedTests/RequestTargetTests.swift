import Testing

@testable import TintypeTransport

/// The target of a request, byte for byte: signatures are about bytes.
@Suite struct RequestTargetTests {
    @Test(arguments: [
        ("/a%2Fb//c?d=%20#e", "/a%2Fb//c?d=%20#e"), ("http://h:1/a%2f?b", "/a%2f?b"), ("http://h", ""), ("http://h?b", "?b"), ("*", "*"),
        ("/plain/http://h/a?b=http://x/", "/plain/http://h/a?b=http://x/"),
    ])
    func `a target is given as it was sent, without scheme and host`(sent: String, target: String) {
        let head = HTTPHead(Array("GET \(sent) HTTP/1.1\r\nHost: h\r\n\r\n".utf8))
        #expect(String(decoding: head.target, as: UTF8.self) == target)
    }
}
