import CLinux
import Glibc
import ImageHeads

/// The memory use of a pixel process. The descriptor is opened before the sandbox forbids to open files.
struct ChildMemory {
    private let descriptor = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)

    /// The bytes of address space.
    var mapped: Int { pages(0) }
    /// The resident bytes.
    var resident: Int { pages(1) }
    /// The limit of address space in bytes.
    var limit: Int {
        var limits = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limits)
        return Int(clamping: limits.rlim_cur)
    }

    private func pages(_ column: Int) -> Int {
        var buffer = [UInt8](repeating: 0, count: 128)
        let count = pread(descriptor, &buffer, buffer.count, 0)
        let words = buffer.prefix(max(0, count)).split(separator: UInt8(ascii: " "))
        guard column < words.count else { return 0 }
        return (Int(String(decoding: words[column], as: UTF8.self)) ?? 0) * Int(getpagesize())
    }
}

/// A descriptor that is closed when its last owner is gone.
final class OwnedDescriptor: Sendable {
    let number: Int32

    init(_ number: Int32) { self.number = number }
    deinit { close(number) }
}
