import Foundation
import Shared
import TestSupport
import Testing

@testable import tintype

/// Files of results: whole or not there, and nothing beside them.
@Suite(.timeLimit(.minutes(1))) struct OutputNameTests {
    private func names(_ folder: TemporaryFolder) throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }

    @Test func `what others write beside a file is left alone`() throws {
        let folder = try TemporaryFolder("output")
        try "half of another's".write(toFile: folder.path + "/a.png.part", atomically: true, encoding: .utf8)
        for text in ["first", "second"] { try OutputName.write(Array(text.utf8), to: folder.path + "/a.png") }
        #expect(try String(contentsOfFile: folder.path + "/a.png", encoding: .utf8) == "second")
        #expect(try String(contentsOfFile: folder.path + "/a.png.part", encoding: .utf8) == "half of another's")
        #expect(try names(folder) == ["a.png", "a.png.part"])
    }

    @Test func `a failure leaves nothing`() throws {
        let folder = try TemporaryFolder("output")
        try FileManager.default.createDirectory(atPath: folder.path + "/a.png/b", withIntermediateDirectories: true)
        #expect(throws: OutputName.WriteFailure.self) { try OutputName.write([1, 2, 3], to: folder.path + "/a.png") }
        #expect(try names(folder) == ["a.png"])
    }

    @Test func `a name may be as long as names can be`() throws {
        let folder = try TemporaryFolder("output")
        let name = String(repeating: "n", count: 255)
        try OutputName.write([1], to: folder.path + "/" + name)
        #expect(try names(folder) == [name])
    }
}
