import Glibc
import TintypeTransport
import TintypeImages
import TestSupport
import Testing

@testable import Worker

/// The pages of libraries that a pixel process gives back after its warm-up.
@Suite(.timeLimit(.minutes(2)), .serialized, .scoped) struct LibraryPagesTests {
    private static let code = """
        7f10-7f30 r-xp 00001000 fe:00 12   /usr/lib/libaom.so.3
        Size:                 32 kB
        Private_Dirty:         0 kB
        Anonymous:             0 kB
        """

    private static func found(_ lines: String...) -> [Range<UInt>] {
        var reader = SmapsReader()
        for line in lines.joined(separator: "\n").split(separator: "\n") { reader.read(String(line) + "\n") }
        return reader.unchanged
    }

    @Test func `Only unchanged code and constants of a file are found`() {
        #expect(Self.found(Self.code) == [0x7f10..<0x7f30])
        #expect(Self.found(Self.code, "8000-9000 r-xp 0 fe:00 12 /usr/lib/b.so") == [0x7f10..<0x7f30, 0x8000..<0x9000])
        #expect(Self.found("1-2 r--p 0 fe:00 12 /usr/lib/a.so") == [1..<2])
        for kind in ["rw-p", "r-xs", "rwxp", "---p"] { #expect(Self.found("1-2 \(kind) 0 fe:00 12 /usr/lib/a.so").isEmpty, "\(kind)") }
        #expect(Self.found("1-2 r-xp 0 00:00 0 [vdso]").isEmpty)
        #expect(Self.found("1-2 r-xp 0 00:00 0").isEmpty)
        #expect(Self.found("2-1 r-xp 0 fe:00 12 /a").isEmpty && Self.found("x-y r-xp 0 fe:00 12 /a").isEmpty && Self.found("", "\n").isEmpty)
    }

    @Test(arguments: ["Private_Dirty:         4 kB", "Anonymous:             4 kB", "Swap:                  4 kB"]) func `What was changed is left alone`(
        line: String
    ) {
        #expect(Self.found("1-2 r-xp 0 fe:00 12 /usr/lib/a.so", line, Self.code, line, Self.code) == [0x7f10..<0x7f30])
        // Lines of another kind of mapping say nothing about the code before it.
        #expect(Self.found(Self.code, "8000-9000 rw-p 0 00:00 0 [heap]", line) == [0x7f10..<0x7f30])
    }

    /// Returns the bytes of libraries' code that a process has mapped.
    private static func resident(of process: Int32) throws -> Int {
        let file = try #require(fopen("/proc/\(process)/smaps", "re"))
        defer { fclose(file) }
        var (sum, counts, room) = (0, false, 0)
        var text: UnsafeMutablePointer<CChar>?
        defer { free(text) }
        while getline(&text, &room, file) > 0, let text {
            let words = String(cString: text).split(whereSeparator: \.isWhitespace)
            if !words[0].hasSuffix(":") { counts = words.count > 5 && words[1] == "r-xp" }
            if counts, words[0] == "Rss:" { sum += (Int(words[1]) ?? 0) << 10 }
        }
        return sum
    }

    @Test(.enabled(if: geteuid() == 0, "only root sees the memory of a sandboxed process")) @Loop
    func `A warm process has few pages of libraries, and works on`() async throws {
        let tests = PixelPoolTests()
        let pool = tests.pool(1)
        try await tests.until { pool.idle == 1 }
        let process = try #require(pool.processIDs.first)
        let before = try Self.resident(of: process)
        #expect(before > 0 && before < 16 << 20, "\(before)")
        for format in [ImageFormat.jpeg, .png, .webp, .avif] {
            let source = try await pool.source(TestPictures.encoded(TestPictures.quarters(200, 100), format))
            #expect(try await pool.run(PixelJob(source: source, rendition: PixelPoolTests.small)).output?.width == 50)
        }
        #expect(pool.processIDs == [process])
        #expect(try Self.resident(of: process) > before)
    }
}
