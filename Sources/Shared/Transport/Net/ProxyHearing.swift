import CEvent
import Glibc

/// The connection of a trusted proxy until its header has arrived (`ProxyHeader`), but for at most 10 s.
@Loop
final class ProxyHearing {
    /// The time for a header. Proxies send it with the first bytes of a connection.
    private nonisolated static let patience = Duration.seconds(10)

    private let descriptor: Int32
    private var header = ProxyHeader()
    private var watch: DescriptorWatch?
    private var timer: LoopTimer?
    private var done: (@Loop (ProxyHearing, ProxyHeader.Reading?) -> Void)?

    /// Begins to listen.
    /// - Parameters:
    ///   - descriptor: the socket. The hearing closes it, unless it ends with a client.
    ///   - limit: the time for the header.
    ///   - done: called once, in a later turn of the loop; with nil if the proxy has closed the connection.
    init(_ descriptor: Int32, within limit: Duration = patience, _ done: @escaping @Loop (ProxyHearing, ProxyHeader.Reading?) -> Void) {
        (self.descriptor, self.done) = (descriptor, done)
        watch = DescriptorWatch(descriptor, .read) { [unowned self] _ in read() }
        timer = LoopTimer(after: limit) { [unowned self] in end(.broken("did not arrive in time")) }
    }

    /// Reads the bytes that have arrived, and takes those of the header alone: those behind it are the client's, perhaps of a TLS handshake.
    private func read() {
        let isOver = withUnsafeTemporaryAllocation(byteCount: ProxyHeader.most, alignment: 1) { buffer in
            let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_PEEK))
            guard count > 0 else { return count == 0 || !SocketWire.mustWait }
            let taken = header.take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            return recv(descriptor, buffer.baseAddress, taken, 0) != taken
        }
        if isOver { end(nil) } else if header.reading != .more { end(header.reading) }
    }

    private func end(_ reading: ProxyHeader.Reading?) {
        (watch, timer) = (nil, nil)
        let done = done
        self.done = nil
        if case .client? = reading {} else { Glibc.close(descriptor) }
        done?(self, reading)
    }

    isolated deinit {
        guard done != nil else { return }
        watch = nil
        Glibc.close(descriptor)
    }
}
