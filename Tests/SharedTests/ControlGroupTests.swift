@testable import TintypeCore
import Testing

/// The control groups of a process, and the least of their limits.
@Suite struct ControlGroupTests {
    private static let root = "/sys/fs/cgroup"
    private static let service = "0::/system.slice/tintype.service\n"

    @Test(
        arguments: [
            ("0::/\n", [root]), ("12:cpu:/x\n0::/a.slice/b.service\n", ["\(root)/a.slice/b.service", "\(root)/a.slice", root]),
            ("0::/../other\n", [root]), ("4:memory:/x\n", nil), ("", nil), ("0::\n", nil), ("0::///a//\n", ["\(root)/a", root]),
        ] as [(String, [String]?)])
    func `the folders go from the own group to the root`(text: String, folders: [String]?) { #expect(ControlGroup(text: text)?.folders == folders) }

    @Test(
        arguments: [
            // A limit of the service, of the slice above it, or of the root (a container that sees the path of its machine).
            (["system.slice/tintype.service/memory.max": "1000\n"], 1000), (["system.slice/memory.max": "2000", "memory.max": "max"], 2000),
            (["memory.max": "3000"], 3000), (["system.slice/tintype.service/memory.max": "max\n"], nil), ([:], nil),
            (["system.slice/tintype.service/memory.max": "4000", "system.slice/memory.max": "50", "memory.max": "60"], 50),
            (["system.slice/tintype.service/memory.max": "0", "system.slice/memory.max": "-1", "memory.max": "x"], nil),
            (["system.slice/tintype.service/pids.max": "7", "other.slice/memory.max": "7"], nil),
        ] as [([String: String], Int?)])
    func `the least of all limits counts`(files: [String: String], limit: Int?) throws {
        let group = try #require(ControlGroup(text: Self.service))
        #expect(group.least("memory.max") { path in path.hasPrefix(Self.root) ? files[String(path.dropFirst(Self.root.count + 1))] : nil } == limit)
    }

    @Test func `this process has some memory, and no more than its groups allow`() {
        let usable = MachineMemory.usable()
        #expect(usable > 1 << 20 && usable <= ControlGroup.limit("memory.max") ?? .max)
    }
}
