import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Worker

/// Whose fault it is that a pixel process dies: the source's while it is decoded, else that of what was asked for.
@Suite(.timeLimit(.minutes(2)), .serialized, .scoped)
@Loop
struct PixelDeathTests {
    private func failure(hook: String, format: ImageFormat = .png, _ rendition: Rendition = PixelPoolTests.small) async throws -> TintypeError? {
        var settings = PixelSettings(processes: 1)
        (settings.executable, settings.testHooks) = (ServiceProcess.path("tintype-worker"), true)
        let pool = PixelPool(settings: settings, logger: Logger(label: "test", level: .error), metrics: Metrics())
        let picture = try TestPictures.encoded(TestPictures.quarters(200, 100), format)
        let source = try PixelPoolTests.sealed(picture + Array("tintype-test-hook:\(hook)".utf8))
        var failure: TintypeError?
        do throws(TintypeError) { _ = try await pool.run(PixelJob(source: source, rendition: rendition)) } catch { failure = error }
        // Who takes its place knows nothing of it.
        #expect(try await pool.run(PixelPoolTests.job()).output?.width == 50)
        await pool.stop()
        return failure
    }

    @Test(arguments: [
        ("crash", ErrorName.badImageData, Phase.decode), ("crash in transform", .transformFailed, .transform), ("crash in encode", .encodeFailed, .encode),
    ])
    func `A death is said to be of the phase that was begun, and lists the source only in the first`(hook: String, name: ErrorName, phase: Phase) async throws {
        for format in [ImageFormat.png, .jpeg] {
            let error = try #require(try await failure(hook: hook, format: format))
            #expect(error.name == name && error.phase == phase && !error.isRetryable, "\(error)")
            #expect(error.message.contains("SIGSEGV") && error.details["cause"]?.string?.contains("SIGSEGV") == true)
            #expect((BlacklistRules().seconds(for: error) != nil) == (phase == .decode))
        }
    }

    @Test func `A source that is only described is listed for what its decoder does, not for what is told of it`() async throws {
        let told = try Rendition(canonical: ["describe": ["palette"]])
        #expect(try await failure(hook: "crash in transform", told)?.name == .transformFailed)
        #expect(try await failure(hook: "crash", told)?.name == .badImageData)
    }

    /// GLib, its lists, C++ and Swift have each their own way to end without memory.
    @Test(arguments: ["starve g_malloc", "starve g_slice_alloc", "starve _Znwm", "grasp"])
    func `A death for want of memory is the limit's, in whosever words, and lists no source`(hook: String) async throws {
        let error = try #require(try await failure(hook: hook))
        #expect(error.name == .limitExceeded && error.details["limit"] == "memory" && error.phase == .decode, "\(error)")
        #expect(BlacklistRules().seconds(for: error) == nil)
        // How much it would have been nobody knows.
        let limit = PixelSettings(processes: 1).memoryLimit
        #expect(error.details["value"] == nil && error.details["allowed"] == JSON(limit) && error.message.contains("more memory than the \(limit) bytes"))
    }
}
