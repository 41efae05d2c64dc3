import CLinux
import Glibc

/// Memory that a worker lends a pixel process for one result. The process cannot create such memory itself. After the worker has read the result, the memory
/// is emptied, even if the process still holds it. So one result is all that a process can keep outside of its own limits.
///
/// The process may write while the worker reads, so the worker looks only at its own copy.
final class OutputMemory: Sendable {
    let descriptor: Int32

    /// - Throws: `SealedMemory.Failure` if no memory or no descriptor is left.
    init() throws(SealedMemory.Failure) {
        descriptor = memfd_create("tintype-result", UInt32(MFD_CLOEXEC | MFD_ALLOW_SEALING))
        guard descriptor >= 0 else { throw SealedMemory.Failure(call: "memfd_create", number: errno) }
    }

    deinit {
        // The process may not seal, so it cannot make these calls fail.
        ftruncate(descriptor, 0)
        _ = fcntl(descriptor, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL)
        close(descriptor)
    }

    /// The present number of bytes.
    var count: Int {
        var facts = stat()
        return fstat(descriptor, &facts) == 0 ? Int(clamping: facts.st_size) : 0
    }

    /// Returns a copy of the bytes. Takes about a millisecond for 4 MB.
    /// - Throws: `SealedMemory.Failure` if it is empty, larger than `most` bytes, or becomes shorter meanwhile.
    func copied(most: Int) throws(SealedMemory.Failure) -> [UInt8] {
        let count = count
        guard count > 0, count <= most else { throw SealedMemory.Failure(call: "result of \(count) bytes", number: EINVAL) }
        return try SealedMemory.copy(descriptor, count)
    }

    /// Writes a result, in the process that borrowed the memory.
    /// - Throws: `SealedMemory.Failure` if the result is larger than files of this process may be, or no memory is left.
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
