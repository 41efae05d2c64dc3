import Glibc

/// The kernel's numbers for a process: memory, time, descriptors. Read from `/proc`, which is cheap but not free: once a
/// scrape or heartbeat, not once a message.
package struct ProcessStatistics: Sendable {
    /// Resident memory in bytes; 0 if the process is gone.
    package let residentBytes: Int
    private let folder: String

    /// Reads the numbers of `processID`, or of this process.
    package init(of processID: Int32? = nil) {
        folder = processID.map { "/proc/\($0)" } ?? "/proc/self"
        let pages = Self.text(folder + "/statm").split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        residentBytes = pages * Int(getpagesize())
    }

    /// Open descriptors, counted at each call; 0 if the process is gone or belongs to another user.
    package var openFiles: Int { Self.entries(folder + "/fd") }

    /// User and system time of the process so far, in seconds, to a tick of the kernel. Read at each call; 0 if the process is gone.
    package var cpuSeconds: Double { Self.cpuSeconds(ofStatus: Self.text(folder + "/stat")) }

    /// - Parameter line: the line of `/proc/PID/stat`. The name of the program is in parentheses, and may contain anything.
    static func cpuSeconds(ofStatus line: String) -> Double {
        guard let end = line.lastIndex(of: ")") else { return 0 }
        let fields = line[line.index(after: end)...].split(separator: " ")
        // The state is the third field of the line and the first one here; the times are the 14th and 15th (proc_pid_stat(5)).
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return 0 }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// User and system time of this process so far, in seconds.
    package static func cpuSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func text(_ path: String) -> String { (try? ConfigurationFile.read(path)) ?? "" }

    private static func entries(_ path: String) -> Int {
        guard let folder = opendir(path) else { return 0 }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        return max(0, count - 3)  // ".", ".." and the descriptor of this very listing
    }
}

extension Metrics {
    /// Sets the metrics of the process itself, before each scrape.
    /// - Parameters:
    ///   - start: the start of the process, in seconds since 1970.
    ///   - descriptors: the most file descriptors that the process may have open.
    package func sampleProcess(role: String, start: Double, descriptors: Int) {
        let facts = ProcessStatistics()
        let (resident, open, cpu) = (Double(facts.residentBytes), Double(facts.openFiles), ProcessStatistics.cpuSeconds())
        set(.processResidentBytes, resident, labels: "parent")
        set(.processOpenFiles, open)
        set(.processCPUSeconds, cpu)
        set(.processStartSeconds, start)
        set(.standardResidentBytes, resident)
        set(.standardOpenFiles, open)
        set(.standardMaxOpenFiles, Double(descriptors))
        set(.standardCPUSeconds, cpu)
        set(.standardStartSeconds, start)
        set(.buildInfo, 1, labels: TintypeVersion.current, role)
    }
}

/// The memory of this process and of its control group. A pure value, with its reader.
package struct MemoryReading: Sendable, Hashable {
    /// Resident bytes of this process.
    package var resident = 0
    /// The memory of its control group; nil outside of one, and with version 1 only.
    package var group: GroupMemory?
    /// `GroupMemory.stalled` of the machine.
    package var machineStalled: Double?

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
