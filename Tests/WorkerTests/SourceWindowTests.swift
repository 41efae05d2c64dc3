import Glibc
import TintypeTransport
import TintypeImages
import TestSupport
import Testing

@testable import Worker

/// The window in which a pixel process sees its sources: who can write it, and what is in it.
@Suite(.timeLimit(.minutes(2)), .serialized, .scoped)
@Loop
struct SourceWindowTests {
    private let tests = PixelPoolTests()

    /// Returns the number of the error of a call; 0 if it succeeded.
    private func refusal(_ call: () -> Bool) -> Int32 { call() ? 0 : errno }

    @Test func `Nobody but the worker writes a window, and nobody changes its length`() throws {
        let window = try SourceWindow()
        let copy = dup(window.descriptor)
        defer { close(copy) }
        let shown = try ShownWindow(adopting: OwnedDescriptor(dup(copy)))
        try window.show([1, 2, 3], number: 1)
        #expect(shown.bytes(3).map(Array.init) == [1, 2, 3])
        var byte: UInt8 = 9
        #expect(refusal { pwrite(copy, &byte, 1, 0) == 1 } == EPERM)
        #expect(refusal { mmap(nil, 1, PROT_READ | PROT_WRITE, MAP_SHARED, copy, 0) != MAP_FAILED } == EPERM)
        let mapped = try #require(shown.bytes(1)?.baseAddress)
        #expect(refusal { mprotect(UnsafeMutableRawPointer(mutating: mapped), 1, PROT_READ | PROT_WRITE) == 0 } == EACCES)
        for length in [0, SourceWindow.most / 2, SourceWindow.most * 2] { #expect(refusal { ftruncate(copy, length) == 0 } == EPERM) }
        #expect(refusal { fcntl(copy, F_ADD_SEALS, F_SEAL_WRITE) == 0 } == EPERM)
        try window.show([4, 5], number: 2)
        #expect(shown.bytes(2).map(Array.init) == [4, 5])
    }

    @Test func `A window shows no more bytes than it has, and adopts only memory that cannot shrink`() throws {
        let window = try SourceWindow()
        let shown = try ShownWindow(adopting: OwnedDescriptor(dup(window.descriptor)))
        #expect(shown.bytes(SourceWindow.most)?.count == SourceWindow.most && shown.bytes(0)?.count == 0)
        #expect(shown.bytes(SourceWindow.most + 1) == nil && shown.bytes(-1) == nil)
        let loose = memfd_create("tintype-test", UInt32(MFD_CLOEXEC | MFD_ALLOW_SEALING))
        #expect(throws: CallFailure.self) { try ShownWindow(adopting: OwnedDescriptor(loose)) }
    }

    /// Returns a picture of this width in a file of this length at least. PNG readers leave out what follows the end.
    private nonisolated static func picture(_ width: Int, padded length: Int = 0) throws -> [UInt8] {
        let bytes = try TestPictures.encoded(TestPictures.quarters(width, 100), .png)
        return bytes + [UInt8](repeating: 0, count: max(0, length - bytes.count))
    }

    @Test func `One process gets sources of all lengths in turn, and confuses none`() async throws {
        let pool = tests.pool(1)
        let most = SourceWindow.most
        for (index, length) in [0, most, 0, most + 1, 0, most - 1, most + 1, most].enumerated() {
            let source = try await pool.source(Self.picture(100 + index * 2, padded: length))
            #expect(source.isCopy == (length > most))
            let result = try await pool.run(PixelJob(source: source, rendition: PixelPoolTests.small))
            #expect(result.source.width == 100 + index * 2 && result.output?.width == 50)
            // Again, after the window has shown others or the same.
            #expect(try await pool.run(PixelJob(source: source, rendition: nil)).source.width == 100 + index * 2)
        }
    }

    @Test func `Without windows each source has sealed memory of its own`() async throws {
        let pool = tests.pool(1) { $0.hasWindows = false }
        for width in [100, 102] {
            let source = try await pool.source(Self.picture(width))
            #expect(source.isCopy)
            for _ in 0..<2 { #expect(try await pool.run(PixelJob(source: source, rendition: PixelPoolTests.small)).source.width == width) }
        }
    }

    @Test func `A source goes to many processes at once, also to those that replace dead ones`() async throws {
        let pool = tests.pool(2)
        let crew = TaskScope()
        for index in 0..<12 {
            let source = try JobSource(Self.picture(100 + index % 3 * 2))
            crew.run("picture") {
                if index % 4 == 3 { kill(pool.processIDs[index / 4 % pool.processIDs.count], SIGKILL) }
                for _ in 0..<2 {
                    let result = try? await pool.run(PixelJob(source: source, rendition: PixelPoolTests.small))
                    #expect(result?.source.width == 100 + index % 3 * 2, "\(index)")
                }
            }
        }
        await crew.drain()
    }

    @Test(.holdsLoop("the test makes and compares millions of bytes one by one"))
    func `The bytes of a source are given back as they came`() async throws {
        let pool = tests.pool(1)
        for length in [1, SourceWindow.most, SourceWindow.most + 1] {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            let source = try await pool.source(bytes)
            #expect(source.count == length)
            #expect(try await pool.bytes(of: source) == bytes)
        }
    }
}
