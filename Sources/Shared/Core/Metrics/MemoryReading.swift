/// The memory that this process takes, and its control group. A pure value, and where it is read.
package struct MemoryReading: Sendable, Hashable {
    /// Resident bytes of this process.
    package var resident = 0
    /// Its control group's; nil outside of one, or where there are only those of version 1.
    package var group: GroupMemory?
    /// As `GroupMemory.stalled`, of the machine.
    package var machineStalled: Double?

    package init(resident: Int = 0, group: GroupMemory? = nil, machineStalled: Double? = nil) {
        (self.resident, self.group, self.machineStalled) = (resident, group, machineStalled)
    }

    /// The part of the last ten seconds in which somebody waited for memory, in percent: of those nearest to us that the kernel counts.
    package var stalled: Double? { group?.stalled ?? machineStalled }

    /// Reads it: a handful of small files that the kernel makes up.
    /// - Parameter folder: of the control group; nil: there is none.
    package static func now(of folder: String?) -> MemoryReading {
        let group = folder.flatMap { folder in GroupMemory { try? ConfigurationFile.read(folder + "/" + $0) } }
        var reading = MemoryReading(resident: ProcessFacts().residentBytes, group: group)
        if group?.stalled == nil { reading.machineStalled = (try? ConfigurationFile.read("/proc/pressure/memory")).flatMap { GroupMemory.stalled($0) } }
        return reading
    }

    /// Where the control group of this process has its files; nil where there is none of version 2.
    package static func groupFolder() -> String? {
        (try? ConfigurationFile.read("/proc/self/cgroup")).flatMap { folder(inGroups: $0) }
    }

    /// - Parameter text: of `/proc/self/cgroup`, which says `0::<path>` of version 2.
    static func folder(inGroups text: String) -> String? {
        guard let path = text.split(whereSeparator: \.isNewline).first(where: { $0.hasPrefix("0::/") })?.dropFirst(3) else { return nil }
        return path == "/" ? "/sys/fs/cgroup" : "/sys/fs/cgroup" + path
    }
}
