import Glibc

/// The memory for this process.
package enum MachineMemory {
    /// Returns the bytes of the machine, or fewer by the limit of a container or service (`ControlGroup`).
    package static func usable() -> Int {
        let machine = max(1, Int(sysconf(Int32(_SC_PHYS_PAGES)))) * max(1, Int(sysconf(Int32(_SC_PAGESIZE))))
        return min(machine, ControlGroup.limit("memory.max") ?? machine)
    }
}
