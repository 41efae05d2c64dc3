@testable import TintypeCore
import Testing

/// The kernel's files about memory, as texts.
struct GroupMemoryTests {
    private static let files = [
        "memory.current": "1000000\n", "memory.max": "2000000\n", "memory.high": "max\n",
        "memory.stat": "anon 600000\nfile 400000\ninactive_file 300000\nactive_file 100000\n",
        "memory.events": "low 5\nhigh 2\nmax 3\noom 1\noom_kill 1\noom_group_kill 0\n",
        "memory.pressure": "some avg10=12.34 avg60=5.00 avg300=1.00 total=99\nfull avg10=1.00 avg60=0.00 avg300=0.00 total=9\n",
    ]

    private func memory(_ change: [String: String?] = [:]) -> GroupMemory? {
        var files = Self.files
        for (name, text) in change { files[name] = text }
        return GroupMemory { files[$0] }
    }

    @Test func `the files of a control group are read`() {
        #expect(memory() == GroupMemory(used: 700_000, limit: 2_000_000, shortages: 6, stalled: 12.34))
        #expect(memory(["memory.high": "1500000"])?.limit == 1_500_000, "the lower one counts")
        #expect(memory(["memory.max": "max"])?.limit == nil)
        #expect(memory(["memory.current": nil as String?]) == nil, "there is no such group")
        let bare = memory(["memory.stat": nil, "memory.events": nil, "memory.pressure": nil, "memory.max": nil, "memory.high": nil])
        #expect(bare == GroupMemory(used: 1_000_000))
    }

    @Test(arguments: ["", "max", "-5", "1e9", "99999999999999999999999", "1000000 2", "\u{0}"])
    func `broken files are ignored, and do not trap`(text: String) {
        for name in Self.files.keys { _ = memory([name: text]) }
        #expect(memory(["memory.current": text]) == nil)
        #expect(memory(["memory.max": text])?.limit == nil)
        #expect(memory(["memory.pressure": text])?.stalled == nil)
        #expect(memory(["memory.stat": "inactive_file \(text)"])?.used ?? 0 >= 0)
        #expect(memory(["memory.events": "max \(text)\nhigh \(Int.max)\noom \(Int.max)"]) != nil)
    }

    @Test func `the memory of this process is above zero`() { #expect(MemoryReading.now(of: nil).resident > 1 << 20) }
}
