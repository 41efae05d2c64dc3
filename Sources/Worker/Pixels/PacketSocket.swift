import CLinux
import Glibc
import Shared

/// One end of the socket between a worker and a pixel process: each packet is one JSON object and at most one sealed memory.
struct PacketSocket: Sendable {
    let descriptor: Int32

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
        var number: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: Self.longest) { buffer, filled in
            repeat {
                count = tintype_receive_packet(
                    self.descriptor, buffer.baseAddress, Self.longest, &descriptor, waits ? 0 : Int32(MSG_DONTWAIT))
                number = count < 0 ? errno : 0
            } while number == EINTR
            filled = max(0, count)
        }
        guard count > 0 else { return number == EAGAIN ? .nothing : .end }
        let memory = descriptor < 0 ? nil : try? SealedMemory(adopting: descriptor, most: 1 << 30)
        guard let message = try? JSON(parsing: bytes) else { return .end }
        return .packet(message, memory)
    }
}
