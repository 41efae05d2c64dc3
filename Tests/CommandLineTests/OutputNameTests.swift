import Foundation
import TintypeCore
import TintypeImages
import TestSupport
import Testing

@testable import Console

/// The files of results: complete or absent, without temporary files beside them.
@Suite(.tags(.optimized), .timeLimit(.minutes(1))) struct OutputNameTests {
    private func names(_ folder: TemporaryFolder) throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }

    @Test func `writing a result keeps other files beside it`() throws {
        let folder = try TemporaryFolder("output")
        try "half of another's".write(toFile: folder.path + "/a.png.part", atomically: true, encoding: .utf8)
        for text in ["first", "second"] { try OutputName.write(Array(text.utf8), to: folder.path + "/a.png") }
        #expect(try String(contentsOfFile: folder.path + "/a.png", encoding: .utf8) == "second")
        #expect(try String(contentsOfFile: folder.path + "/a.png.part", encoding: .utf8) == "half of another's")
        #expect(try names(folder) == ["a.png", "a.png.part"])
    }

    @Test func `a failed write leaves no file`() throws {
        let folder = try TemporaryFolder("output")
        try FileManager.default.createDirectory(atPath: folder.path + "/a.png/b", withIntermediateDirectories: true)
        #expect(throws: OutputName.WriteFailure.self) { try OutputName.write([1, 2, 3], to: folder.path + "/a.png") }
        #expect(try names(folder) == ["a.png"])
    }

    @Test func `a result is written when its file name has the longest possible length`() throws {
        let folder = try TemporaryFolder("output")
        let name = String(repeating: "n", count: 255)
        try OutputName.write([1], to: folder.path + "/" + name)
        #expect(try names(folder) == [name])
    }

    @Test func `a pipe with a reader gets the bytes and stays a pipe`() async throws {
        let folder = try TemporaryFolder("output")
        let pipe = folder.path + "/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        // The pipe is open for both directions, so that neither end waits for the other.
        let reader = open(pipe, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        defer { close(reader) }
        try OutputName.write([1, 2, 3], to: pipe)
        var bytes = [UInt8](repeating: 0, count: 8)
        #expect(read(reader, &bytes, 8) == 3 && bytes.prefix(3) == [1, 2, 3])
        #expect(kind(pipe) == S_IFIFO)
        #expect(try names(folder) == ["pipe"])
    }

    @Test(.enabled(if: getuid() == 0, "only root may make a device")) func `writing to a device keeps the device`() throws {
        let folder = try TemporaryFolder("output")
        let device = folder.path + "/null"
        guard mknod(device, S_IFCHR | 0o666, 1 << 8 | 3) == 0 else { return }
        try OutputName.write([1, 2, 3], to: device)
        #expect(kind(device) == S_IFCHR)
        #expect(try names(folder) == ["null"])
    }

    @Test func `writing to a link writes its target`() throws {
        let folder = try TemporaryFolder("output")
        for (link, target) in [("there.png", "a.png"), ("new.png", "b.png")] {
            try FileManager.default.createSymbolicLink(atPath: folder.path + "/" + link, withDestinationPath: target)
        }
        try "before".write(toFile: folder.path + "/a.png", atomically: true, encoding: .utf8)
        for name in ["there.png", "new.png"] { try OutputName.write(Array(name.utf8), to: folder.path + "/" + name) }
        #expect(try String(contentsOfFile: folder.path + "/a.png", encoding: .utf8) == "there.png")
        #expect(try String(contentsOfFile: folder.path + "/b.png", encoding: .utf8) == "new.png")
        #expect(kind(folder.path + "/there.png") == S_IFLNK && kind(folder.path + "/new.png") == S_IFLNK)
        #expect(try names(folder) == ["a.png", "b.png", "new.png", "there.png"])
    }

    @Test(arguments: [
        ("a.bmp", "png", "a.bmp contains png, because Tintype cannot write bmp"), ("a.BMP", "jpeg", "a.BMP contains jpeg, because Tintype cannot write bmp"),
        ("a.bmp", "bmp", nil), ("a.webp", "png", nil), ("a", "png", nil), ("a.data", "png", nil), ("a.b/c", "png", nil),
    ]) func `a file name with a format that cannot be written gets a note`(name: String, held: String, note: String?) throws {
        let output = try OutputName(name, renditions: 1)
        #expect(output.note(on: name, ["format": .string(held)]) == note)
    }

    @Test func `an open descriptor is written from its current position`() throws {
        let folder = try TemporaryFolder("output")
        let file = folder.path + "/all.bin"
        try "head ".write(toFile: file, atomically: true, encoding: .utf8)
        let descriptor = open(file, O_WRONLY | O_APPEND | O_CLOEXEC)
        defer { close(descriptor) }
        let link = folder.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/dev/fd/\(descriptor)")
        for path in ["/dev/fd/\(descriptor)", "/proc/self/fd/\(descriptor)", link] { try OutputName.write(Array("more ".utf8), to: path) }
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "head more more more ")
        #expect(Glibc.write(descriptor, "end", 3) == 3)
        #expect(try String(contentsOfFile: file, encoding: .utf8).hasSuffix("end"))
        let error = #expect(throws: OutputName.WriteFailure.self) { try OutputName.write([1], to: "/dev/fd/1000000") }
        #expect(error?.code == EBADF)
        #expect(try names(folder) == ["all.bin", "link"])
    }

    /// Returns the kind of the entry itself: a file, a pipe, a device or a link.
    private func kind(_ path: String) -> mode_t {
        var facts = stat()
        return lstat(path, &facts) == 0 ? facts.st_mode & S_IFMT : 0
    }
}
