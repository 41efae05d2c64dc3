import Glibc
package import TintypeCore

/// Lets this process have as many descriptors as the system allows it: the usual soft limit of 1,024, made for `select`, is fewer than
/// the connections of one busy server.
package func raiseDescriptorLimit() {
    var limits = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0, limits.rlim_cur < limits.rlim_max else { return }
    limits.rlim_cur = limits.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
}

/// The descriptors of this process.
package enum Descriptors {
    /// How many it may have.
    package static var limit: Int {
        var limits = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0 else { return 1024 }
        return Int(clamping: limits.rlim_cur)
    }

    /// Whether `number`, an errno, says that there is none left, of this process or of the machine.
    package static func isShortage(_ number: Int32) -> Bool { number == EMFILE || number == ENFILE }

    /// Whether this process has none left at this moment.
    package static var areUsedUp: Bool {
        let copy = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { return errno == EMFILE }
        close(copy)
        return false
    }
}

extension TintypeError {
    /// Nobody's fault but this process': another one may have room.
    package static func noDescriptor(_ phase: Phase) -> TintypeError {
        TintypeError(.internalError, phase, "no file descriptor is left here", details: ["which": "descriptors"])
    }

    package var isOfDescriptors: Bool { name == .internalError && details["which"] == "descriptors" }
}
