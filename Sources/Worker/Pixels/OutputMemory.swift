import CLinux
import Glibc

/// Memory that a worker lends a pixel process for one result. The process cannot make any of its own, and when the worker has read this it is
/// taken back empty, whoever still holds it: so much as one result is all that a process keeps outside its own limits.
///
/// The process may write while the worker reads; the worker looks at its own copy alone.
final class OutputMemory: Sendable {
    let descriptor: Int32

    /// - Throws: `SealedMemory.Failure` when there is no memory or no descriptor left.
    init() throws(SealedMemory.Failure) {
        descriptor = memfd_create("tintype-result", UInt32(MFD_CLOEXEC | MFD_ALLOW_SEALING))
        guard descriptor >= 0 else { throw SealedMemory.Failure(call: "memfd_create", number: errno) }
    }

    deinit {
        // A process may not seal: nothing that it does can keep these from succeeding.
        ftruncate(descriptor, 0)
        _ = fcntl(descriptor, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL)
        close(descriptor)
    }

    /// How many bytes are in it now.
    var count: Int {
        var facts = stat()
        return fstat(descriptor, &facts) == 0 ? Int(clamping: facts.st_size) : 0
    }

    /// A copy of what is in it. Takes about a millisecond for 4 MB.
    /// - Throws: `SealedMemory.Failure` when it is empty, larger than `most` bytes, or becomes shorter meanwhile.
    func copied(most: Int) throws(SealedMemory.Failure) -> [UInt8] {
        let count = count
        guard count > 0, count <= most else { throw SealedMemory.Failure(call: "result of \(count) bytes", number: EINVAL) }
        return try SealedMemory.copy(descriptor, count)
    }

    /// Writes a result, in the process that it was lent to.
    /// - Throws: `SealedMemory.Failure` when it is larger than files of this process may be, or there is no memory.
    static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws(SealedMemory.Failure) {
        var done = 0
        while done < bytes.count {
            let written = Glibc.write(descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done)
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw SealedMemory.Failure(call: "write", number: written < 0 ? errno : EIO) }
            done += written
        }
    }
}
