import TestSupport
import Testing
import TintypeCore
import TintypeTransport

@testable import Engine
@testable import Worker

/// Gain maps in a real pixel process, behind its filter of system calls.
@Suite(.tags(.optimized), .timeLimit(.minutes(2)), .serialized, .scoped)
@Loop
struct GainMapProcessTests {
    @Test(arguments: [#"{"format":"jpeg","gainMap":"keep"}"#, #"{"format":"png","gainMap":"apply"}"#])
    func `A pixel process keeps and applies maps as this process does`(output: String) async throws {
        let pool = PixelPoolTests().pool()
        let source = try TestGainMaps.picture()
        let rendition = try PictureTests.rendition(#"{"op":"crop","x":40,"y":0,"width":300,"height":200},{"op":"rotate","angle":90}"#, output)
        let made = try await pool.run(PixelJob(source: PixelPoolTests.source(source), rendition: rendition))
        let bytes = try #require(made.output?.bytes)
        let here = try TestPictures.made(source, rendition, graphs: PlanarGraphs())
        #expect(bytes == here && ["GainMapMax", "cICP"].contains { bytes.firstRange(of: Array($0.utf8)) != nil })
    }
}
