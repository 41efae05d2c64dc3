import Glibc

/// The control group of this process (version 2), with the groups that contain it. A value, with its reader.
///
/// Each group limits everything in it, and a service manager writes its limits to one in the middle. So the least of all limits counts.
package struct ControlGroup: Sendable, Hashable {
    /// The folders from the own group to the root that this process sees.
    package let folders: [String]

    private static let root = "/sys/fs/cgroup"

    /// - Parameter text: the text of `/proc/self/cgroup`, which has `0::<path>` for version 2.
    /// - Returns: nil without a group of version 2.
    package init?(text: String) {
        guard let path = text.split(whereSeparator: \.isNewline).first(where: { $0.hasPrefix("0::/") })?.dropFirst(3) else { return nil }
        let names = path.split(separator: "/")
        // A group outside of what this process sees (`/../x`) has no folder here.
        guard !names.contains("..") else {
            folders = [Self.root]
            return
        }
        folders = (0...names.count).reversed().map { ([Self.root] + names.prefix($0).map(String.init)).joined(separator: "/") }
    }

    private init() { folders = [Self.root] }

    /// Returns the group of this process; nil without one of version 2.
    package static func own() -> ControlGroup? { (try? ConfigurationFile.read("/proc/self/cgroup")).flatMap { ControlGroup(text: $0) } }

    /// Returns the least limit of this name for this process, such as `memory.max`; nil without one.
    package static func limit(_ name: String) -> Int? { (own() ?? ControlGroup()).least(name) { try? ConfigurationFile.read($0) } }

    /// Returns the least limit of this name above zero; nil without one.
    ///
    /// A group without the file is passed over. A container may see its own group as the root, but the path of its machine.
    /// - Parameter read: returns the text of a file; nil without it.
    func least(_ name: String, read: (_ path: String) -> String?) -> Int? {
        // The text is "max" without a limit.
        folders.compactMap { read("\($0)/\(name)").flatMap { Int($0.trimmed) } }.filter { $0 > 0 }.min()
    }
}

/// The memory for this process.
package enum MachineMemory {
    /// Returns the bytes of the machine, or fewer by the limit of a container or service (`ControlGroup`).
    package static func usable() -> Int {
        let machine = max(1, Int(sysconf(Int32(_SC_PHYS_PAGES)))) * max(1, Int(sysconf(Int32(_SC_PAGESIZE))))
        return min(machine, ControlGroup.limit("memory.max") ?? machine)
    }
}

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
