import CEvent
import CLinux
import Glibc

/// A transport that writes bytes to the socket unchanged.
package struct PlainTransport: Transport {
    package init() {}

    package func makeBuffer(_ descriptor: Int32, to address: SocketAddress?) -> OpaquePointer? {
        bufferevent_socket_new(Loop.eventLoop.base, descriptor, Int32(BEV_OPT_CLOSE_ON_FREE.rawValue))
    }

    /// There is nothing to prepare.
    package func accept(_ descriptor: Int32, peer: String, _ ready: @escaping @Loop (AcceptedSocket?) -> Void) { ready(.plain(descriptor)) }

    package func send(_ bytes: UnsafeRawBufferPointer, past descriptor: Int32) -> Int {
        Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
    }

    /// Closing the socket tells the peer.
    package func sayEnd(on buffer: OpaquePointer) {}

    package func unreceived(_ buffer: OpaquePointer) -> Int { Int(tintype_unreceived(bufferevent_getfd(buffer))) }

    package func failure(of buffer: OpaquePointer, code: Int32) -> String { String(cString: strerror(code)) }
}
