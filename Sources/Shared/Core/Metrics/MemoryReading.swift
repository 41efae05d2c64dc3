/// The memory of this process and of its control group. A pure value, with its reader.
package struct MemoryReading: Sendable, Hashable {
    /// Resident bytes of this process.
    package var resident = 0
    /// The memory of its control group; nil outside of one, and with version 1 only.
    package var group: GroupMemory?
    /// `GroupMemory.stalled` of the machine.
    package var machineStalled: Double?

    package init(resident: Int = 0, group: GroupMemory? = nil, machineStalled: Double? = nil) {
        (self.resident, self.group, self.machineStalled) = (resident, group, machineStalled)
    }

    /// The percentage of the last ten seconds in which a process waited for memory. It is the control group's if the kernel counts that, else the machine's.
    package var stalled: Double? { group?.stalled ?? machineStalled }

    /// Reads the memory from a few small files of the kernel.
    /// - Parameter folder: the folder of the control group; nil: none.
    package static func now(of folder: String?) -> MemoryReading {
        let group = folder.flatMap { folder in GroupMemory { try? ConfigurationFile.read(folder + "/" + $0) } }
        var reading = MemoryReading(resident: ProcessStatistics().residentBytes, group: group)
        if group?.stalled == nil { reading.machineStalled = (try? ConfigurationFile.read("/proc/pressure/memory")).flatMap { GroupMemory.stalled($0) } }
        return reading
    }

    /// Returns the folder of this process' control group; nil without one of version 2.
    package static func groupFolder() -> String? { ControlGroup.own()?.folders.first }
}
