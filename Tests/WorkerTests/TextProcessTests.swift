import Foundation
import Glibc
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Engine
@testable import Worker

/// Text in real pixel processes, which can open no file any more when they draw it.
@Suite(.tags(.optimized), .timeLimit(.minutes(2)), .serialized, .scoped)
@Loop
struct TextProcessTests {
    private func job(_ members: String) throws -> PixelJob {
        let source = try PixelPoolTests.source(OperationTests.flat([255, 255, 255], 300, 80))
        return PixelJob(source: source, rendition: try PictureTests.rendition(#"{"op":"text",\#(members)}"#))
    }

    /// Returns the picture as it is drawn while files can be opened.
    private func here(_ members: String) throws -> [UInt8] {
        try TestPictures.made(OperationTests.flat([255, 255, 255], 300, 80), PictureTests.rendition(#"{"op":"text",\#(members)}"#))
    }

    @Test func `every font in every style is drawn alike inside and outside of the sandbox`() async throws {
        let pool = PixelPoolTests().pool()
        var seen: Set<[UInt8]> = []
        for font in ["sans", "serif", "monospace"] {
            for style in ["", #","bold":true"#, #","italic":true"#, #","bold":true,"italic":true"#] {
                let members = #""text":"Tintype \u00e9\u0436","font":"\#(font)","size":31\#(style)"#
                let bytes = try #require(try await pool.run(job(members)).output?.bytes)
                #expect(try TestPictures.decoded(bytes).samples() == TestPictures.decoded(here(members)).samples(), "\(members)")
                seen.insert(bytes)
            }
        }
        #expect(seen.count == 12)
        #expect(pool.codecs?["fonts"] == ["sans", "serif", "monospace"])
    }

    @Test func `no text makes a process look for a file, crash or wait`() async throws {
        let pool = PixelPoolTests().pool()
        let plain = try TestPictures.decoded(OperationTests.flat([255, 255, 255], 300, 80)).samples()
        let first = try await pool.run(job(#""text":"a""#)).output
        #expect(first != nil)
        let processes = pool.processIDs
        for text in TextTests.texts + [String(repeating: "w ", count: 500), String(repeating: "\u{1f600}", count: 1000)] {
            let members = #""text":\#(JSON.string(text).text),"size":20,"width":1,"gravity":"topLeft""#
            let bytes = try #require(try await pool.run(job(members)).output?.bytes, "\(text)")
            let samples = try TestPictures.decoded(bytes).samples()
            if !text.hasPrefix("\n") { #expect(samples != plain, "\(text)") }
            #expect(try samples == TestPictures.decoded(here(members)).samples(), "\(text)")
        }
        #expect(pool.processIDs == processes)
    }

    @Test func `faces stay open however many sizes are drawn`() async throws {
        let pool = PixelPoolTests().pool { $0.maxImages = 1000 }
        _ = try await pool.run(job(#""text":"a""#))
        let processes = pool.processIDs
        for size in 0..<300 {
            let font = ["sans", "serif", "monospace"][size % 3]
            _ = try await pool.run(job(#""text":"\#(size) g","size":\#(8 + Double(size) / 8),"font":"\#(font)","bold":\#(size % 2 == 0)"#))
        }
        for font in ["sans", "serif", "monospace"] {
            for style in ["", #","bold":true"#, #","italic":true"#] {
                let members = #""text":"Tintype","font":"\#(font)"\#(style)"#
                let bytes = try #require(try await pool.run(job(members)).output?.bytes)
                #expect(try TestPictures.decoded(bytes).samples() == TestPictures.decoded(here(members)).samples(), "\(members)")
            }
        }
        #expect(pool.processIDs == processes)
    }

    @Test func `a text that is too large is an error with its size, and the process lives on`() async throws {
        let pool = PixelPoolTests().pool()
        let long = String(repeating: "W\\n", count: 500)
        let error = await PixelPoolTests().failure(pool, try job(#""text":"\#(long)","size":900"#))
        #expect(error?.name == .limitExceeded && error?.details["limit"]?.string?.hasPrefix("text") == true, "\(error?.description ?? "")")
        // The largest possible text.
        let large = try await pool.run(job(#""text":"WWWWWWWWWWWWW","size":1000"#)).output
        #expect(large?.width == 300)
    }

    @Test func `fonts are those that the operator names, and missing ones are logged`() async throws {
        let some = PixelPoolTests().pool { $0.fonts = ["DejaVu Serif", "No Such Font"] }
        #expect(try await some.run(job(#""text":"a","font":"dejavu serif""#)).output != nil)
        #expect(some.codecs?["fonts"] == ["dejavu serif"])
        // The default is the first installed one.
        let usual = try await some.run(job(#""text":"a""#)).output?.bytes
        #expect(try await some.run(job(#""text":"a","font":"dejavu serif""#)).output?.bytes == usual)
        let error = await PixelPoolTests().failure(some, try job(#""text":"a","font":"no such font""#))
        #expect(error?.name == .unsupportedFormat && error?.phase == .transform, "\(error?.description ?? "")")
        #expect(error?.message.contains("dejavu serif") == true)
        await some.stop()
        let none = PixelPoolTests().pool { $0.fonts = ["No Such Font"] }
        let nothing = await PixelPoolTests().failure(none, try job(#""text":"a""#))
        #expect(nothing?.name == .unsupportedFormat && nothing?.message.contains("fonts-dejavu-core") == true, "\(nothing?.description ?? "")")
        #expect(try await none.run(PixelPoolTests.job()).output?.width == 50)
    }
}
