import Glibc

/// The memory for this process.
package enum MachineMemory {
    /// Returns the bytes of the machine, or fewer by a container's limit.
    package static func usable() -> Int {
        let machine = max(1, Int(sysconf(Int32(_SC_PHYS_PAGES)))) * max(1, Int(sysconf(Int32(_SC_PAGESIZE))))
        // The text is "max" without a limit.
        guard let text = try? ConfigurationFile.read("/sys/fs/cgroup/memory.max"), let limit = Int(text.trimmed), limit > 0 else { return machine }
        return min(machine, limit)
    }
}
