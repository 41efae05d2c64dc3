import Shared
import TestSupport
import Testing
import Worker

@Suite(.timeLimit(.minutes(1)))
struct SourceLoaderTests {
    @Loop private func load(_ h: WorkerHarness, _ url: String, isProbe: Bool = false, share: ByteBudget.Share? = nil) async throws -> LoadedSource {
        let source = try Source(canonical: ["url": .string(url), "probe": .bool(isProbe)])
        let reporter = FetchReporter(
            queue: h.queue, held: Held(fetch: "none", token: 0), isWatched: false, scope: h.scope, onAnswer: { _ in })
        return try await h.tools.loader.load(source, accepting: Acceptance(), share: share ?? h.tools.budget.begin(), reporter: reporter)
    }

    @Test @Loop func `a source is loaded whole, with what the server says of it`() async throws {
        let h = try await WorkerHarness()
        let url = h.url("/picture.png?size=320x200")
        let loaded = try await load(h, url)
        let whole = [UInt8](try await HTTP.get(url).body)
        #expect(loaded.bytes == whole)
        #expect(loaded.info.sha256 == Digest.sha256Hex(whole))
        #expect(loaded.info.bytes == whole.count && loaded.info.status == 200 && loaded.info.etag?.isEmpty == false)
        #expect(loaded.contentType == "image/png")
        #expect(loaded.timings.total > 0)
        await h.stop()
    }

    @Test @Loop func `a host named data is asked over the network like any other`() async throws {
        let h = try await WorkerHarness()
        await #expect(performing: { _ = try await load(h, "http://data/picture.png") }, throws: { ($0 as? TintypeError)?.name != .invalidURL })
        await h.stop()
    }

    @Test @Loop func `a probe reads no more than the header`() async throws {
        let h = try await WorkerHarness()
        // At this rate the whole picture would take longer than the test may.
        let loaded = try await load(h, h.url("/picture.png?size=1000x800&rate=20000"), isProbe: true)
        #expect(loaded.header?.width == 1000 && loaded.header?.height == 800)
        #expect(loaded.bytes.count < 100_000)
        #expect(loaded.info.bytes > 2_400_000)
        await h.stop()
    }

    @Test @Loop func `a download waits while there is no room, and the oldest never does`() async throws {
        let h = try await WorkerHarness(budget: 100_000)
        let (first, second) = (h.tools.budget.begin(), h.tools.budget.begin())
        #expect(first.take(90_000))
        let whole = OneShot<LoadedSource>()
        h.scope.run("second") {
            do {
                whole.complete(.success(try await load(h, h.url("/picture.png?size=400x200"), share: second)))
            } catch {
                whole.complete(.failure(error))
            }
        }
        while h.tools.budget.pausedDownloads == 0 { try await Loop.sleep(.milliseconds(5)) }
        #expect(!whole.isComplete && h.tools.budget.used <= 100_000)
        // With nobody before it, it may go beyond the budget.
        first.release()
        #expect(try await whole.wait().bytes.count > 240_000)
        let third = h.tools.budget.begin()
        let fourth = h.tools.budget.begin()
        #expect(third.take(1))
        #expect(!fourth.take(1))
        #expect(h.tools.budget.pausedDownloads == 1)
        for share in [second, third] { share.release() }
        #expect(h.tools.budget.pausedDownloads == 0)
        #expect(fourth.take(1))
        fourth.release()
        #expect(h.tools.budget.used == 0)
        await h.stop()
    }
}
