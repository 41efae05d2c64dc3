import Glibc

/// Lets this process have as many descriptors as the system allows it: the usual soft limit of 1,024, made for `select`, is fewer than
/// the connections of one busy server.
package func raiseDescriptorLimit() {
    var limits = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0, limits.rlim_cur < limits.rlim_max else { return }
    limits.rlim_cur = limits.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
}
