import Glibc
import TintypeTransport
import TintypeImages
import TestSupport
import Testing

@testable import Engine
@testable import Worker

/// The memory in which a pixel process returns one result after another.
@Suite(.tags(.optimized), .timeLimit(.minutes(2)), .serialized, .scoped)
@Loop
struct OutputMemoryTests {
    private let tests = PixelPoolTests()

    private func write(_ bytes: [UInt8], to memory: OutputMemory) throws {
        try bytes.withUnsafeBytes { bytes in try OutputMemory.write(bytes, to: memory.descriptor) }
    }

    @Test func `A short result after a long one is read without the rest of that`() throws {
        let memory = try OutputMemory()
        #expect(throws: CallFailure.self) { try memory.copied(1) }
        try write([UInt8](repeating: 7, count: 1000), to: memory)
        try write([1, 2, 3], to: memory)
        #expect(try memory.copied(3) == [1, 2, 3] && memory.isKept)
        for told in [-1, 0, 1001, OutputOptions.largestFile + 1, .max] { #expect(throws: CallFailure.self) { try memory.copied(told) } }
    }

    @Test func `Memory with a long result is not kept, and is emptied though the process still holds it`() throws {
        var memory: OutputMemory? = try OutputMemory()
        let held = dup(memory?.descriptor ?? -1)
        defer { close(held) }
        try write([UInt8](repeating: 7, count: 300 << 10), to: #require(memory))
        #expect(memory?.isKept == false)
        memory = nil
        #expect(lseek(held, 0, SEEK_END) == 0)
        var byte: UInt8 = 1
        #expect(pwrite(held, &byte, 1, 0) == -1 && errno == EPERM)
    }

    /// The end of every PNG.
    private static let end: [UInt8] = [0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82]

    @Test func `One process returns results of all lengths in turn, each whole and nothing else`() async throws {
        let pool = tests.pool(1)
        let noise = try VipsOperation("gaussnoise").set("width", 1400).set("height", 1000).set("mean", 128.0).set("sigma", 60.0).set("seed", 7).image()
        let plain = try VipsOperation("cast").set("in", noise).set("format", 0).image()
        let source = try await pool.source(TestPictures.encoded(plain, .png))
        var lengths: Set<Int> = []
        for width in [1400, 40, 700, 20, 1400, 1400, 30] {
            let rendition = Rendition(operations: [AnyOperation(Resize(width: width, height: nil))], output: OutputOptions(format: .png))
            let bytes = try #require(try await pool.run(PixelJob(source: source, rendition: rendition)).output?.bytes)
            #expect(bytes.suffix(12) == Self.end[...] && ImageSniff.of(bytes) == .image(.png), "\(width)")
            #expect(try await pool.run(PixelJob(source: pool.source(bytes), rendition: nil)).source.width == width)
            lengths.insert(bytes.count)
        }
        // Short ones are copied at once, long ones on another thread.
        #expect(
            lengths.contains { $0 >= PixelPool.large } && lengths.contains { $0 < 100 << 10 } && lengths.contains { (256 << 10..<PixelPool.large).contains($0) }
        )
    }
}
