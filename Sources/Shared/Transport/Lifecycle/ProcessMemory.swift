import CLinux
import Glibc

/// Keeps the memory of this process private: passwords, keys and cookies. A crash leaves no core file, and no other process of the same user may read
/// the memory or debug the process. Child processes leave no core file either. Call it first in `main`.
package func keepMemoryPrivate() {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    _ = tintype_prctl(PR_SET_DUMPABLE, 0)
}

/// Gives freed memory back to the kernel. To be called before the first thread starts.
///
/// When a large buffer is freed, glibc raises both thresholds, the second one to 64 MiB in each of its arenas (`mallopt(3)`, `M_MMAP_THRESHOLD`).
/// A single long answer then enlarges the process for good: 36 MB were kept for 10 MB in use behind an open dashboard.
/// A given threshold stays as it is. The cost is a page fault for each page of a buffer of more than a mebibyte; few answers and pictures have as much.
///
/// Each thread would have an arena of its own, up to eight for each core. Free pages of one are of no use to the others: seven arenas had 17 MB for 6 MB in
/// use. Nearly all memory is that of the loop's thread, so two arenas are enough. Other allocators have their own rules and ignore these options.
package func returnFreedMemory() {
    mallopt(M_MMAP_THRESHOLD, 1 << 20)
    mallopt(M_TRIM_THRESHOLD, 4 << 20)
    mallopt(M_ARENA_MAX, 2)
}

/// Gives the free pages between buffers in use back to the kernel, in all arenas of glibc (`malloc_trim(3)`).
package func trimHeap() { malloc_trim(0) }
