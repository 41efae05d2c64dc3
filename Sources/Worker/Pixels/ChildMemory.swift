import Glibc
import ImageHeads
import CLinux

/// What a pixel process has of memory, read from a descriptor that was opened before nothing can be opened any more.
struct ChildMemory {
    private let descriptor = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)

    /// Bytes of address space.
    var mapped: Int { pages(0) }
    /// Bytes resident.
    var resident: Int { pages(1) }
    /// The most that may be mapped.
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
