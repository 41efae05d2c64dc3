import CLinux
package import TintypeCore

/// The two directions of an accepted connection, for a server that keeps its own buffers.
///
/// `SocketWire` is the socket itself, and is fast: bytes go from the server's memory to the kernel. `BufferedWire` is any other transport.
@Loop
package protocol Wire: AnyObject {
    /// Called when there is something to read: bytes, or the end.
    var onReadable: (@Loop () -> Void)? { get set }
    /// Called when bytes can be written, and when the kernel has taken all pending ones.
    var onWritable: (@Loop () -> Void)? { get set }
    /// The socket; -1 once closed.
    var descriptor: Int32 { get }
    /// Bytes that `write` has taken and the kernel has not.
    var pending: Int { get }
    /// The names in the client's certificate, once it is verified. nil without TLS, or without a certificate.
    var certificate: CertificateNames? { get }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> WireRead

    /// Writes three parts, one after the other; any of them may be empty.
    /// - Returns: how many bytes were taken, perhaps 0; nil if the connection broke.
    func write(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer, _ third: UnsafeRawBufferPointer) -> Int?

    /// Writes bytes, and a part of a file after them. By default the file is read and its bytes are written.
    /// - Parameter count: the most bytes of the part.
    /// - Returns: how many bytes were taken, perhaps 0; nil if the connection broke, or the file ends before the part does.
    func write(_ first: UnsafeRawBufferPointer, _ part: FilePart, upTo count: Int) -> Int?

    /// Sets the callbacks that are called from now on. Bytes that are not read wait in the kernel, then at the peer.
    func wants(_ interest: DescriptorWatch.Interest)

    /// Tells the peer that no more bytes come. Reading goes on.
    func endSending()

    /// Closes at once. No callback is called any more.
    func close()
}

extension Wire {
    /// Bytes that the kernel has taken, and the peer's kernel has not. There may be megabytes of them, though the peer reads none.
    var unacknowledged: Int { Int(tintype_unreceived(descriptor)) }
}

/// The outcome of a read.
package enum WireRead: Sendable, Hashable {
    case bytes(Int)
    /// Nothing has arrived yet.
    case nothing
    /// The peer sends no more.
    case end
    case broken
}
