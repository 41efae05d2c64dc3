import Foundation
import Testing
import TintypeTransport

/// Serial: the resident memory is that of the whole process.
@Suite(.serialized) struct FreedMemoryTests {
    private static let size = 64 << 10
    private static let count = 1024

    /// The resident bytes of this process.
    private func resident() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        return try #require(text.split(separator: " ").dropFirst().first.flatMap { Int($0) }) * sysconf(Int32(_SC_PAGESIZE))
    }

    @Test func `free pages between buffers in use go back to the kernel`() throws {
        let buffers = (0..<Self.count).map { number -> UnsafeMutableRawPointer in
            let buffer = malloc(Self.size)!
            memset(buffer, Int32(number & 0xff), Self.size)
            return buffer
        }
        let full = try resident()
        // The last buffer holds the top of the heap, and every sixteenth holds its neighbors apart.
        let kept = buffers.enumerated().filter { $0.offset % 16 == 15 }.map { $0.element }
        for (number, buffer) in buffers.enumerated() where number % 16 != 15 { free(buffer) }
        trimHeap()
        let half = Self.size * Self.count / 2
        let now = try resident()
        #expect(full - now > half, "\(full >> 20) MiB, then \(now >> 20)")
        #expect(kept.allSatisfy { $0.load(as: UInt8.self) == $0.load(fromByteOffset: Self.size - 1, as: UInt8.self) })
        for buffer in kept { free(buffer) }
    }
}
