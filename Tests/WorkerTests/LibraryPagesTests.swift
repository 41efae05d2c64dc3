import Glibc
import Testing

@testable import Worker

/// The pages of libraries that a pixel process gives back after its warm-up.
@Suite struct LibraryPagesTests {
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

    @Test(arguments: ["Private_Dirty:         4 kB", "Anonymous:             4 kB"]) func `What was changed is left alone`(line: String) {
        #expect(Self.found("1-2 r-xp 0 fe:00 12 /usr/lib/a.so", line, Self.code, line, Self.code) == [0x7f10..<0x7f30])
        // Lines of another kind of mapping say nothing about the code before it.
        #expect(Self.found(Self.code, "8000-9000 rw-p 0 00:00 0 [heap]", line) == [0x7f10..<0x7f30])
    }

    @Test func `A process runs on without its pages, and fetches them again`() throws {
        try VipsRuntime.start()
        let memory = ChildMemory()
        let before = memory.resident
        #expect(LibraryPages.unmap() > 4 << 20)
        #expect(memory.resident < before)
        #expect(try PlanarTests.waves(40, 30).width == 40)
    }
}
