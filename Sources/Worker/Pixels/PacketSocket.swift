import CLinux
import Glibc
import Shared

/// One end of the socket between a worker and a pixel process: each packet is one JSON object and at most one sealed memory.
/// Belongs to one thread.
final class PacketSocket {
    let descriptor: Int32
    /// Kept: a buffer of this size would be mapped and unmapped for each packet.
    private let room = UnsafeMutableRawBufferPointer.allocate(byteCount: longest, alignment: 16)

    init(descriptor: Int32) { self.descriptor = descriptor }
    deinit { room.deallocate() }

    /// Longest packet, in bytes. The rest of a job, the picture, travels as a descriptor.
    static let longest = 128 << 10

    enum Arrival {
        case packet(JSON, SealedMemory?)
        /// Nothing there yet.
        case nothing
        /// The other side is gone, or does not speak our language.
        case end
    }

    /// - Returns: whether it was sent whole.
    func send(_ message: JSON, _ memory: SealedMemory? = nil) -> Bool {
        let bytes = message.bytes()
        guard bytes.count <= Self.longest else { return false }
        while true {
            let sent = tintype_send_packet(descriptor, bytes, bytes.count, memory?.descriptor ?? -1, 0)
            if sent < 0, errno == EINTR { continue }
            return sent == bytes.count
        }
    }

    /// - Parameter waits: whether it blocks until something comes.
    func receive(waits: Bool) -> Arrival {
        var descriptor: Int32 = -1
        var count = 0
        repeat {
            count = tintype_receive_packet(self.descriptor, room.baseAddress, room.count, &descriptor, waits ? 0 : Int32(MSG_DONTWAIT))
        } while count < 0 && errno == EINTR
        guard count > 0 else { return count < 0 && errno == EAGAIN ? .nothing : .end }
        let memory = descriptor < 0 ? nil : try? SealedMemory(adopting: descriptor, most: OutputOptions.largestFile)
        guard let message = try? JSON(parsing: UnsafeRawBufferPointer(rebasing: room[..<count])) else { return .end }
        return .packet(message, memory)
    }
}
