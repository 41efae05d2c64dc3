import CLinux
import Glibc
import TintypeCore

/// One end of the socket between a worker and a pixel process: each packet is one JSON object, and from the worker at most one descriptor.
/// Belongs to one thread.
final class PacketSocket {
    let descriptor: Int32
    private let side: Side
    /// Kept: a buffer of this size would be mapped and unmapped for each packet.
    private let room = UnsafeMutableRawBufferPointer.allocate(byteCount: longest, alignment: 16)

    /// Whose end it is. Descriptors go one way: a process that was taken over could fill up the worker's table with them.
    enum Side { case worker, process }

    init(descriptor: Int32, _ side: Side) { (self.descriptor, self.side) = (descriptor, side) }
    deinit { room.deallocate() }

    /// Longest packet, in bytes. The rest of a job, the picture, travels as a descriptor.
    static let longest = 128 << 10

    enum Arrival {
        case packet(JSON, OwnedDescriptor?)
        /// Nothing there yet.
        case nothing
        /// The other side is gone.
        case end
        /// The other side does not speak our language: a packet that is too long or no JSON, or carries what it may not.
        case violation
    }

    /// - Returns: whether it was sent whole.
    func send(_ message: JSON, _ memory: SealedMemory) -> Bool { send(message, descriptor: memory.descriptor) }

    /// - Parameter descriptor: goes with the packet; -1 for none.
    /// - Returns: whether it was sent whole.
    func send(_ message: JSON, descriptor passed: Int32 = -1) -> Bool {
        let bytes = message.bytes()
        guard bytes.count <= Self.longest else { return false }
        while true {
            let sent = tintype_send_packet(descriptor, bytes, bytes.count, passed, 0)
            if sent < 0, errno == EINTR { continue }
            return sent == bytes.count
        }
    }

    /// - Parameter waits: whether it blocks until something comes.
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
