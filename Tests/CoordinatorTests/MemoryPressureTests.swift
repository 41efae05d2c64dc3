import TestSupport
import Testing
@testable import TintypeCore
import TintypeImages
import TintypeStores
import TintypeTransport

@testable import Coordinator

/// The times at which the memory tier is emptied, with readings and a clock that the tests set; and the reasons why results leave it.
@Suite(.timeLimit(.minutes(1)), .scoped) struct MemoryPressureTests {
    /// The values that a test sets.
    @Loop private final class Moment {
        var clock = 0.0
        var reading = MemoryReading()
    }

    private static func group(_ used: Int, of limit: Int? = 1000, shortages: Int = 0, stalled: Double? = nil) -> MemoryReading {
        MemoryReading(resident: 100, group: GroupMemory(used: used, limit: limit, shortages: shortages, stalled: stalled))
    }

    @Test(
        arguments: [
            (MemoryReading(), nil), (MemoryReading(resident: 499), nil), (MemoryReading(resident: 500), .resident),
            (group(899), nil), (group(900), .limit), (group(2000), .limit), (group(.max, of: nil), nil), (group(1, of: 0), nil), (group(.max, of: 1), .limit),
            (group(10, stalled: 9.9), nil), (group(10, stalled: 10), .stall), (group(10, of: nil, stalled: 50), .stall),
            (MemoryReading(machineStalled: 10), .stall), (MemoryReading(group: GroupMemory(stalled: 0), machineStalled: 99), nil),
        ] as [(MemoryReading, MemoryPressure.Cause?)])
    func `one reading gives the reason to empty the tier`(reading: MemoryReading, cause: MemoryPressure.Cause?) {
        var pressure = MemoryPressure(maxResident: 500)
        #expect(pressure.judge(reading, at: 0) == cause)
        var unlimited = MemoryPressure(maxResident: nil)
        #expect(unlimited.judge(reading, at: 0) == (cause == .resident ? nil : cause))
    }

    @Test func `a reached limit counts once, and only when memory is short`() {
        var pressure = MemoryPressure(maxResident: nil)
        #expect(pressure.judge(Self.group(800, shortages: 7), at: 0) == nil, "before our time")
        #expect(pressure.judge(Self.group(800, shortages: 7), at: 1) == nil)
        #expect(pressure.judge(Self.group(749, shortages: 8), at: 2) == nil, "pages of files went")
        #expect(pressure.judge(Self.group(750, shortages: 9), at: 3) == .shortage)
        #expect(pressure.judge(Self.group(750, shortages: 9), at: 10) == nil)
        #expect(pressure.judge(MemoryReading(), at: 11) == nil)
        #expect(pressure.judge(Self.group(800, shortages: 99), at: 12) == nil, "a group that was away is looked at anew")
    }

    @Test func `no further decision is made until freed memory shows`() {
        var pressure = MemoryPressure(maxResident: 500)
        let much = MemoryReading(resident: 600)
        let judged = [0, 1, 4.9, 5, 6, 10].map { pressure.judge(much, at: $0) != nil }
        #expect(judged == [true, false, false, true, false, true])
    }

    @Test @Loop func `the tier is emptied, and later entries stay until the next check`() {
        let metrics = Metrics()
        let moment = Moment()
        let memory = MemoryTier(capacity: 1 << 20, metrics: metrics, now: { moment.clock })
        let watch = PressureWatch(
            memory, maxResident: 1000, logger: Logger(label: "test", level: .error), read: { moment.reading }, now: { moment.clock })
        func fill() { memory.remember(renditions: [["key": "a"], ["key": "b"]], source: [:]) }
        fill()
        watch.look()
        #expect(memory.statistics.count == 2)
        moment.reading.resident = 1000
        watch.look()
        #expect(memory.statistics.count == 0 && metrics.value(.cacheEvictions, labels: "memory", "pressure") == 2)
        fill()
        moment.clock += 1
        watch.look()
        #expect(memory.verified(["a", "b"]) != nil, "it is left alone for a while")
        moment.clock += 10
        watch.look()
        #expect(memory.verified(["a"]) == nil && metrics.value(.cacheEvictions, labels: "memory", "pressure") == 4)
    }

    @Test @Loop func `the reason of each removal is counted`() async {
        let metrics = Metrics()
        let moment = Moment()
        let memory = MemoryTier(capacity: 1 << 20, count: 4, lowWater: 50, age: .seconds(60), metrics: metrics, now: { moment.clock })
        func gone(_ reason: String) -> Double { metrics.value(.cacheEvictions, labels: "memory", reason) }
        for key in ["a", "b", "c", "d", "e"] { memory.remember(renditions: [["key": .string(key)]], source: [:]) }
        #expect(memory.statistics.count == 2 && gone("full") == 3, "a half is left")
        memory.remove("e")
        memory.remove("e")
        #expect(gone("forgotten") == 1)
        moment.clock = 59
        #expect(memory.entry("d") != nil)
        moment.clock = 60
        #expect(memory.entry("d") == nil && gone("expired") == 1, "an age of its own")
        memory.remember(renditions: [["key": "f"]], source: [:], lifetime: 3600)
        moment.clock = 120
        await memory.trim()
        #expect(gone("expired") == 2 && memory.statistics.count == 0)
        memory.remember(renditions: [["key": "g"]], source: [:])
        _ = memory.clear()
        #expect(gone("forgotten") == 2)
    }
}
