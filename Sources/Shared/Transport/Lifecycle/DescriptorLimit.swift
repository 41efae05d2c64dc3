import Glibc
package import TintypeCore

/// Raises the limit of descriptors of this process to the maximum that the system allows. The usual soft limit of 1,024, made for `select`, is less
/// than the connections of one busy server.
package func raiseDescriptorLimit() {
    var limits = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0, limits.rlim_cur < limits.rlim_max else { return }
    limits.rlim_cur = limits.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
}

package enum Descriptors {
    /// The maximum number of descriptors.
    package static var limit: Int {
        var limits = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0 else { return 1024 }
        return Int(clamping: limits.rlim_cur)
    }

    /// Returns whether an errno says that no descriptor is left, for this process or the machine.
    package static func isShortage(_ number: Int32) -> Bool { number == EMFILE || number == ENFILE }

    /// Whether this process has no descriptor left at this moment.
    package static var areUsedUp: Bool {
        let copy = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { return errno == EMFILE }
        close(copy)
        return false
    }
}

extension TintypeError {
    /// The error for a process without descriptors. Another process may have some.
    package static func noDescriptor(_ phase: Phase) -> TintypeError {
        TintypeError(.internalError, phase, "no file descriptor is left here", details: ["which": "descriptors"])
    }

    package var isOfDescriptors: Bool { name == .internalError && details["which"] == "descriptors" }
}
