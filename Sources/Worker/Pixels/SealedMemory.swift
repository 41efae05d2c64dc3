import CLinux
import Glibc
import TintypeCore
import TintypeTransport

/// Bytes in memory that nobody can change any more, and that another process can get by descriptor.
package final class SealedMemory: Sendable {
    private let owned: OwnedDescriptor
    var descriptor: Int32 { owned.number }
    package let count: Int

    /// Copies `bytes` into new memory and seals it.
    /// - Throws: `CallFailure` if no memory or no descriptor is left.
    package init(_ bytes: UnsafeRawBufferPointer) throws(CallFailure) {
        let memory = memfd_create("tintype", UInt32(MFD_CLOEXEC | MFD_ALLOW_SEALING))
        guard memory >= 0 else { throw CallFailure(call: "memfd_create", number: errno) }
        owned = OwnedDescriptor(memory)
        count = bytes.count
        try OutputMemory.write(bytes, to: memory)
        guard fcntl(memory, F_ADD_SEALS, Self.seals) == 0 else { throw CallFailure(call: "fcntl", number: errno) }
    }

    /// Adopts a descriptor that another process sent.
    /// - Throws: `CallFailure` if it is not sealed memory.
    init(adopting passed: OwnedDescriptor) throws(CallFailure) {
        owned = passed
        var facts = stat()
        let seals = fcntl(passed.number, F_GET_SEALS)
        guard tintype_fstat(passed.number, &facts) == 0, seals >= 0, seals & Self.seals == Self.seals else {
            throw CallFailure(call: "sealed memory", number: EINVAL)
        }
        count = Int(facts.st_size)
    }

    private static let seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL

    /// Returns a copy of all bytes.
    /// - Throws: `CallFailure` if reading fails.
    func copied() throws(CallFailure) -> [UInt8] { try Self.copy(descriptor, count) }

    /// Returns a copy of the first `count` bytes of a descriptor.
    /// - Throws: `CallFailure` if reading fails, or if there are fewer bytes.
    static func copy(_ descriptor: Int32, _ count: Int) throws(CallFailure) -> [UInt8] {
        var number: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let got = pread(descriptor, buffer.baseAddress?.advanced(by: filled), count - filled, filled)
                if got < 0, errno == EINTR { continue }
                guard got > 0 else {
                    number = got < 0 ? errno : EIO
                    return
                }
                filled += got
            }
        }
        guard number == 0 else { throw CallFailure(call: "pread", number: number) }
        return bytes
    }

    /// Maps the bytes for reading while `body` runs.
    /// - Throws: `CallFailure` if they cannot be mapped.
    func withMapping<R>(_ body: (UnsafeRawBufferPointer) -> R) throws(CallFailure) -> R {
        guard count > 0 else { return body(UnsafeRawBufferPointer(start: nil, count: 0)) }
        guard let start = mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0), start != MAP_FAILED else {
            throw CallFailure(call: "mmap", number: errno)
        }
        defer { munmap(start, count) }
        return body(UnsafeRawBufferPointer(start: start, count: count))
    }
}

/// A call that the kernel refused, and its errno.
package struct CallFailure: Error, CustomStringConvertible {
    let call: String
    let number: Int32
    package var description: String { "\(call): \(String(cString: strerror(number)))" }

    /// The error of a picture that finds no memory.
    func error(_ phase: Phase, for what: String) -> TintypeError {
        Descriptors.isShortage(number) ? .noDescriptor(phase) : TintypeError(.internalError, phase, "no memory for the \(what): \(self)")
    }
}
