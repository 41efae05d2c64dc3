import CLinux
import Glibc

/// Keeps what is in the memory of this process to itself: passwords, keys and cookies. A crash leaves no core file, and no other process of the same user
/// may read the memory or stop at a line of it. What it starts leaves no core file either. First thing in `main`.
package func keepMemoryPrivate() {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    _ = tintype_prctl(PR_SET_DUMPABLE, 0)
}
