import Glibc

/// The memory this process may use.
package enum MachineMemory {
    /// Bytes of the machine, or fewer where a container's limit says so.
    package static func usable() -> Int {
        let machine = max(1, Int(sysconf(Int32(_SC_PHYS_PAGES)))) * max(1, Int(sysconf(Int32(_SC_PAGESIZE))))
        // "max" where there is no limit.
        guard let text = try? ConfigurationFile.read("/sys/fs/cgroup/memory.max"), let limit = Int(text.trimmed), limit > 0 else { return machine }
        return min(machine, limit)
    }
}
