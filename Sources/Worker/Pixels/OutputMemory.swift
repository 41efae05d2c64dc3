import CLinux
import Glibc
import TintypeImages

/// Memory that a worker lends a pixel process for its results, one after another. The process cannot create such memory itself.
///
/// The pages of short results stay for the next one: making and sending a new memory for each picture cost more than copying it. Memory that holds more than
/// that is emptied after the worker has read the result, even if the process still holds it. So one result is all that a process can keep outside of
/// its own limits.
///
/// No two processes get the same memory. The process may write while the worker reads, so the worker looks only at its own copy.
final class OutputMemory: Sendable {
    let descriptor: Int32

    /// - Throws: `CallFailure` if no memory or no descriptor is left.
    init() throws(CallFailure) {
        descriptor = memfd_create("tintype-result", UInt32(MFD_CLOEXEC | MFD_ALLOW_SEALING))
        guard descriptor >= 0 else { throw CallFailure(call: "memfd_create", number: errno) }
    }

    deinit {
        // The process may not seal, so it cannot make these calls fail.
        ftruncate(descriptor, 0)
        _ = fcntl(descriptor, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL)
        close(descriptor)
    }

    /// The most bytes that are kept for the next result.
    static let mostKept = 256 << 10

    /// Whether the memory may be used for the next result.
    var isKept: Bool { count <= Self.mostKept }

    /// The present number of bytes. Earlier results may have been longer than the present one.
    private var count: Int {
        var facts = stat()
        return fstat(descriptor, &facts) == 0 ? Int(clamping: facts.st_size) : 0
    }

    /// Returns a copy of the result. Takes about a millisecond for 4 MB.
    /// - Parameter length: the length that the process has reported.
    /// - Throws: `CallFailure` if that is no length of a result, or more than there is.
    func copied(_ length: Int) throws(CallFailure) -> [UInt8] {
        guard length > 0, length <= min(count, OutputOptions.largestFile) else { throw CallFailure(call: "result of \(length) bytes", number: EINVAL) }
        return try SealedMemory.copy(descriptor, length)
    }

    /// Writes a result from the beginning, in the process that borrowed the memory.
    /// - Throws: `CallFailure` if the result is larger than files of this process may be, or no memory is left.
    static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws(CallFailure) {
        var done = 0
        while done < bytes.count {
            let written = pwrite(descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done, done)
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw CallFailure(call: "pwrite", number: written < 0 ? errno : EIO) }
            done += written
        }
    }
}
