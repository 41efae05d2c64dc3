import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Worker

/// The blame for the death of a pixel process: the source while it is decoded, otherwise the request.
@Suite(.timeLimit(.minutes(2)), .serialized, .scoped)
@Loop
struct PixelDeathTests {
    private func failure(hook: String, format: ImageFormat = .png, _ rendition: Rendition = PixelPoolTests.small) async throws -> TintypeError? {
        let pool = PixelPoolTests().pool()
        let picture = try TestPictures.encoded(TestPictures.quarters(200, 100), format)
        let source = try PixelPoolTests.source(picture + Array("tintype-test-hook:\(hook)".utf8))
        var failure: TintypeError?
        do throws(TintypeError) { _ = try await pool.run(PixelJob(source: source, rendition: rendition)) } catch { failure = error }
        // The next process knows nothing of it.
        #expect(try await pool.run(PixelPoolTests.job()).output?.width == 50)
        return failure
    }

    @Test(arguments: [
        ("crash", ErrorName.badImageData, Phase.decode), ("crash in transform", .transformFailed, .transform), ("crash in encode", .encodeFailed, .encode),
    ])
    func `A death is blamed on the begun phase, and blacklists the source only in the first`(hook: String, name: ErrorName, phase: Phase) async throws {
        for format in [ImageFormat.png, .jpeg] {
            let error = try #require(try await failure(hook: hook, format: format))
            #expect(error.name == name && error.phase == phase && !error.isRetryable, "\(error)")
            #expect(error.message.contains("SIGSEGV") && error.details["cause"]?.string?.contains("SIGSEGV") == true)
            #expect((BlacklistRules().seconds(for: error) != nil) == (phase == .decode))
        }
    }

    @Test func `A described source is blacklisted for faults of its decoder, not of its description`() async throws {
        let told = try Rendition(canonical: ["describe": ["palette"]])
        #expect(try await failure(hook: "crash in transform", told)?.name == .transformFailed)
        #expect(try await failure(hook: "crash", told)?.name == .badImageData)
    }

    /// GLib, its lists, C++ and Swift each end in their own way without memory.
    @Test(arguments: ["starve g_malloc", "starve g_slice_alloc", "starve _Znwm", "grasp"])
    func `A death by missing memory counts as a limit in every library, and blacklists no source`(hook: String) async throws {
        let error = try #require(try await failure(hook: hook))
        #expect(error.name == .limitExceeded && error.details["limit"] == "memory" && error.phase == .decode, "\(error)")
        #expect(BlacklistRules().seconds(for: error) == nil)
        // The needed size is unknown.
        let limit = PixelSettings(processes: 1).memoryLimit
        #expect(error.details["value"] == nil && error.details["allowed"] == JSON(limit) && error.message.contains("more memory than the \(limit) bytes"))
    }
}
