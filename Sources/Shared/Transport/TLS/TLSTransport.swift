import CTLS
import Glibc

/// One side of TLS as a transport. Both sides carry the bytes in the same way.
package protocol TLSTransport: Transport {}

extension TLSTransport {
    /// The bytes on the wire are encrypted.
    @Loop package func send(_ bytes: UnsafeRawBufferPointer, past descriptor: Int32) -> Int { 0 }

    @Loop package func sayEnd(on buffer: OpaquePointer) { tintype_tls_say_end(buffer) }

    @Loop package func unreceived(_ buffer: OpaquePointer) -> Int { PlainTransport().unreceived(buffer) }

    @Loop package func failure(of buffer: OpaquePointer, code: Int32) -> String { TLSFailure(of: buffer).reason ?? String(cString: strerror(code)) }
}
