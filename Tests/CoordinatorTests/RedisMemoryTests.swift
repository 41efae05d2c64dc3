import Testing

@testable import Coordinator

/// The part of a Redis that new requests may fill.
@Suite struct RedisMemoryTests {
    @Test(arguments: [
        ("used_memory:1000\r\nmaxmemory:8000\r\ntotal_system_memory:64000\r\n", 1000, 7000),
        ("# Memory\r\nused_memory:5\r\nmaxmemory:0\r\ntotal_system_memory:32000\r\n", 5, 21_000),
        ("used_memory:5\r\nmaxmemory:0\r\n", 5, Int.max / 8 * 7), ("used_memory:5\r\nmaxmemory:1\r\n", 5, 0),
    ])
    func `new requests may fill seven eighths of Redis`(info: String, used: Int, budget: Int) throws {
        let memory = try #require(RedisMemory(info: info))
        #expect(memory.used == used && memory.budget == budget)
    }

    @Test func `an invalid answer of Redis gives no memory figures`() {
        for info in ["", "used_memory:x\r\nmaxmemory:0", "maxmemory:0"] { #expect(RedisMemory(info: info) == nil) }
    }
}
