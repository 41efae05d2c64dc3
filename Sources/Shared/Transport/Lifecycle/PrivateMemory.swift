import CLinux
import Glibc

/// Keeps the memory of this process private: passwords, keys and cookies. A crash leaves no core file, and no other process of the same user may read
/// the memory or debug the process. Child processes leave no core file either. Call it first in `main`.
package func keepMemoryPrivate() {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    _ = tintype_prctl(PR_SET_DUMPABLE, 0)
}
