import CTestTLS
import Glibc
import TestSupport

@testable import TintypeTransport

/// TLS below streams and HTTP: libevent's bufferevents over OpenSSL.
// @unchecked: OpenSSL counts the references to its contexts, and nobody changes them.
final class TestTLS: Transport, @unchecked Sendable {
    private let server: UnsafeMutableRawPointer
    private let client: UnsafeMutableRawPointer

    /// Uses the certificates that `TestAuthority` made in a folder.
    init(_ path: String) throws {
        guard let server = test_tls_server(path + "/cert.pem", path + "/key.pem"), let client = test_tls_client(path + "/ca.pem") else {
            throw TestFailure("no certificates in \(path)")
        }
        (self.server, self.client) = (server, client)
    }

    deinit {
        test_tls_free(server)
        test_tls_free(client)
    }

    func makeBuffer(_ descriptor: Int32, _ side: TransportSide) -> OpaquePointer? {
        let base = UnsafeMutableRawPointer(Loop.eventLoop.base)
        return switch side {
        case .accepting: OpaquePointer(test_tls_buffer(base, descriptor, server, nil))
        case .connecting(.tcp(let host, _)): OpaquePointer(test_tls_buffer(base, descriptor, client, host))
        case .connecting(.unix): OpaquePointer(test_tls_buffer(base, descriptor, client, "localhost"))
        }
    }

    /// The bytes on the wire are encrypted.
    func send(_ bytes: UnsafeRawBufferPointer, past descriptor: Int32) -> Int { 0 }

    func sayEnd(on buffer: OpaquePointer) { test_tls_say_end(UnsafeMutableRawPointer(buffer)) }

    func unreceived(_ buffer: OpaquePointer) -> Int { PlainTransport().unreceived(buffer) }

    func failure(of buffer: OpaquePointer, code: Int32) -> String {
        test_tls_failure(UnsafeMutableRawPointer(buffer)).map { String(cString: $0) } ?? String(cString: strerror(code))
    }
}
