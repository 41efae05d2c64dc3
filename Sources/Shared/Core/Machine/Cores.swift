import Glibc

/// The number of cores for this process: those of the machine, or fewer by a container's CPU quota.
package enum Cores {
    /// At least 1.
    package static func usable() -> Int {
        let online = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        guard let text = try? ConfigurationFile.read("/sys/fs/cgroup/cpu.max") else { return online }
        let parts = text.split(whereSeparator: \.isWhitespace)
        guard parts.count == 2, let quota = Double(parts[0]), let period = Double(parts[1]), period > 0 else { return online }
        return max(1, min(online, Int((quota / period).rounded(.up))))
    }
}
