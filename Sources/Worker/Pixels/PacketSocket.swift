import CLinux
import Glibc
import TintypeCore

/// One end of the socket between a worker and a pixel process. Each packet is one JSON object; from the worker it may carry one descriptor.
/// Belongs to one thread.
final class PacketSocket {
    let descriptor: Int32
    private let side: Side
    /// A reused buffer: a new one of this size would be mapped and unmapped for each packet.
    private let room = UnsafeMutableRawBufferPointer.allocate(byteCount: longest, alignment: 16)

    /// The side of this end. Only the worker sends descriptors: a compromised process could fill the worker's descriptor table with them.
    enum Side { case worker, process }

    init(descriptor: Int32, _ side: Side) { (self.descriptor, self.side) = (descriptor, side) }
    deinit { room.deallocate() }

    /// The longest packet in bytes. The picture travels as a descriptor.
    static let longest = 128 << 10

    enum Arrival {
        case packet(JSON, OwnedDescriptor?)
        /// No packet is there yet.
        case nothing
        /// The other side is gone.
        case end
        /// The other side broke the protocol: a packet is too long, is not JSON, or carries something that is not allowed.
        case violation
    }

    /// - Parameter descriptor: sent with the packet; -1 for none.
    /// - Returns: whether the whole packet was sent.
    func send(_ message: JSON, descriptor passed: Int32 = -1) -> Bool { send(message.bytes(), descriptor: passed) }

    /// The same, for a message that is written already.
    func send(_ bytes: [UInt8], descriptor passed: Int32 = -1) -> Bool {
        guard bytes.count <= Self.longest else { return false }
        while true {
            let sent = tintype_send_packet(descriptor, bytes, bytes.count, passed, 0)
            if sent < 0, errno == EINTR { continue }
            return sent == bytes.count
        }
    }

    /// - Parameter waits: whether to block until a packet comes.
    func receive(waits: Bool) -> Arrival {
        let flags = waits ? 0 : Int32(MSG_DONTWAIT)
        var descriptor: Int32 = -1
        var count = 0
        repeat {
            switch side {
            case .worker: count = tintype_receive_packet(self.descriptor, room.baseAddress, room.count, nil, flags)
            case .process: count = tintype_receive_packet(self.descriptor, room.baseAddress, room.count, &descriptor, flags)
            }
        } while count < 0 && errno == EINTR
        if count == 0 { return .end }
        if count < 0 { return errno == EAGAIN ? .nothing : errno == EMSGSIZE ? .violation : .end }
        let passed = descriptor < 0 ? nil : OwnedDescriptor(descriptor)
        guard let message = try? JSON(parsing: UnsafeRawBufferPointer(rebasing: room[..<count])), message.object != nil else { return .violation }
        return .packet(message, passed)
    }
}
