import CLinux
import Glibc

/// The memory in which a worker shows one pixel process its short sources, one after another.
///
/// Sealed memory of its own for each source costs more than all copying: the kernel makes and frees every page of it. That took 0.4 ms of processor time
/// for 829 kB, and the copy into a window takes 0.02 ms. Receiving the bytes directly into sealed memory saved nothing for this reason, and through a
/// mapping it took 0.7 ms.
///
/// A process can do no more with a window than with sealed memory of its own:
///
/// - Only the worker can write. It maps the window first and then seals it (`F_SEAL_FUTURE_WRITE`): from there on `write` fails, and nobody gets another
///   writable mapping. No one can change the length, so no mapping loses its pages.
/// - Only one process ever sees a window. A process that was taken over could keep a copy of every source that it gets. In the window it finds exactly
///   these sources, one at a time. Windows that processes share would show it the sources of others too.
/// - The worker writes only while the process has no job. A process that reads at that time reads nonsense, and harms nobody else.
final class SourceWindow {
    /// The most bytes of a source. A longer copy would delay the loop, and the pages stay for as long as the process.
    static let most = 2 << 20

    private let owned: OwnedDescriptor
    var descriptor: Int32 { owned.number }
    private let start: UnsafeMutableRawPointer
    /// The number of the source that the process sees.
    private var shown: Int?
    /// The bytes from the start that have memory.
    private var filled = 0

    private static let fixed = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL

    /// Whether the kernel knows the seal. Linux does since 5.1.
    static let isKnown: Bool = {
        let memory = memfd_create("tintype-probe", UInt32(MFD_CLOEXEC | MFD_ALLOW_SEALING))
        defer { if memory >= 0 { close(memory) } }
        return memory >= 0 && fcntl(memory, F_ADD_SEALS, F_SEAL_FUTURE_WRITE) == 0
    }()

    static func takes(_ count: Int) -> Bool { count <= most }

    /// Makes an empty window. Its pages are made when they are first written.
    /// - Throws: `CallFailure` if no memory or no descriptor is left, or if the kernel does not know the seal (`isKnown`).
    init() throws(CallFailure) {
        let memory = memfd_create("tintype-source", UInt32(MFD_CLOEXEC | MFD_ALLOW_SEALING))
        guard memory >= 0 else { throw CallFailure(call: "memfd_create", number: errno) }
        owned = OwnedDescriptor(memory)
        guard ftruncate(memory, Self.most) == 0 else { throw CallFailure(call: "ftruncate", number: errno) }
        guard let mapped = mmap(nil, Self.most, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0), mapped != MAP_FAILED else {
            throw CallFailure(call: "mmap", number: errno)
        }
        start = mapped
        // Without the seal no process gets the window. The mapping is released by deinit, since all members are set.
        guard fcntl(memory, F_ADD_SEALS, F_SEAL_FUTURE_WRITE | Self.fixed) == 0 else { throw CallFailure(call: "fcntl", number: errno) }
    }

    deinit { munmap(start, Self.most) }

    /// Shows a source, unless it is shown already. Only while the process has no job.
    /// - Throws: `CallFailure` if no memory is left.
    func show(_ bytes: [UInt8], number: Int) throws(CallFailure) {
        precondition(Self.takes(bytes.count))
        guard shown != number else { return }
        if bytes.count > filled {
            // A page without memory would end the worker by SIGBUS when it is written.
            while fallocate(descriptor, 0, 0, bytes.count) != 0 {
                guard errno == EINTR else { throw CallFailure(call: "fallocate", number: errno) }
            }
            filled = bytes.count
        }
        bytes.withUnsafeBytes { bytes in if let from = bytes.baseAddress { memcpy(start, from, bytes.count) } }
        shown = number
    }
}

/// A window as its process sees it.
final class ShownWindow {
    private let start: UnsafeMutableRawPointer
    private let count: Int

    /// Maps the window for reading, for as long as the process lives: so its pages are looked up once, and not for each picture.
    /// - Throws: `CallFailure` if its length is not sealed, or if it cannot be mapped.
    init(adopting passed: OwnedDescriptor) throws(CallFailure) {
        var facts = stat()
        let seals = fcntl(passed.number, F_GET_SEALS)
        guard tintype_fstat(passed.number, &facts) == 0, seals >= 0, seals & F_SEAL_SHRINK != 0 else {
            throw CallFailure(call: "window", number: EINVAL)
        }
        count = Int(facts.st_size)
        guard let mapped = mmap(nil, count, PROT_READ, MAP_SHARED, passed.number, 0), mapped != MAP_FAILED else {
            throw CallFailure(call: "mmap", number: errno)
        }
        start = mapped
    }

    deinit { munmap(start, count) }

    /// Returns the bytes of the source that is shown; nil for more bytes than the window has.
    func bytes(_ count: Int) -> UnsafeRawBufferPointer? {
        (0...self.count).contains(count) ? UnsafeRawBufferPointer(start: start, count: count) : nil
    }
}
