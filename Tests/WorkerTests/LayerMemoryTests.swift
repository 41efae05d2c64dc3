import Foundation
import Glibc
import TintypeCore
import TintypeTransport
import TintypeImages
@testable import TintypeQueue
import TestSupport
import Testing

@testable import Worker

/// The memory of a worker for other pictures, including the kernel's view.
@Suite(.tags(.optimized), .timeLimit(.minutes(2)), .serialized, .scoped) struct LayerMemoryTests {
    private static let budget = 16 << 20
    private static let size = 4 << 20
    /// The memory for results stays with its process.
    private static let kept = OutputMemory.mostKept

    /// The bytes of memory that this process shares with pixel processes.
    private static var shared: Int {
        let links = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return links.compactMap { Int32($0) }.reduce(0) { sum, descriptor in
            var (name, facts) = ([CChar](repeating: 0, count: 64), stat())
            let length = readlink("/proc/self/fd/\(descriptor)", &name, 63)
            guard length > 0, fstat(descriptor, &facts) == 0 else { return sum }
            // Long sources and results. Windows of short sources are left out; the phase records of two bytes have another name.
            let text = String(decoding: name.prefix(length).map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
            guard text.hasPrefix("/memfd:tintype ") || text.hasPrefix("/memfd:tintype-result") else { return sum }
            return sum + Int(facts.st_size)
        }
    }

    /// Makes pictures of 4 MiB each, which are small ones with zeros behind them, and `broken.png`, which begins like one.
    private func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder("layers")
        let small = try TestPictures.encoded(TestPictures.quarters(20, 10), .jpeg)
        let large = Data(small + [UInt8](repeating: 0, count: Self.size - small.count))
        for index in 0..<20 { try large.write(to: URL(fileURLWithPath: "\(folder.path)/\(index).jpg")) }
        let broken = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] + [UInt8](repeating: 0, count: Self.size)
        try Data(broken).write(to: URL(fileURLWithPath: folder.path + "/broken.png"))
        return folder
    }

    @Loop private func request(_ h: WorkerHarness, _ width: Int, _ names: [String]) -> JSON {
        let step: JSON = ["op": "animate", "urls": .array(names.map { .string(h.url("/\($0)")) })]
        return ["url": .string(h.url("/picture.png?size=\(width)x10")), "transform": [step], "output": ["format": "gif"]]
    }

    /// Runs fetches to their ends, including released ones.
    /// - Returns: the most shared memory that was seen.
    @Loop private func run(_ h: WorkerHarness, _ receipts: [String]) async throws -> Int {
        var most = 0
        let watching = TaskScope()
        watching.run("watch") {
            while (try? await Loop.sleep(.milliseconds(1))) != nil { most = max(most, Self.shared) }
        }
        while true {
            var open = 0
            for receipt in receipts where try await h.snapshot(receipt).ending == nil { open += 1 }
            guard open > 0 else { break }
            let fetches = try await h.queue.claim(worker: "w1", count: open).fetches
            let runs = fetches.map { FetchRunner($0, queue: h.queue, parts: h.parts).run(h.keeper, claimedAt: .now) }
            for run in runs { await run.value }
            if fetches.isEmpty { try await Loop.sleep(.milliseconds(20)) }
        }
        watching.cancelAll()
        await watching.drain()
        return most
    }

    @Test(arguments: [false, true]) @Loop func `twenty large pictures of one request are refused, and take no more than the budget and one`(fromCache: Bool)
        async throws
    {
        let folder = try folder()
        let h = try await WorkerHarness(budget: Self.budget, root: folder.path)
        let names = (0..<20).map { "\($0).jpg" }
        if fromCache {
            for name in names {
                let receipt = try await h.submit(["url": .string(h.url("/\(name)"))])
                _ = try await run(h, [receipt])
            }
        }
        let receipt = try await h.submit(request(h, 20, names))
        let most = try await run(h, [receipt])
        let error = try await h.failure(receipt)
        #expect(error.name == .transformFailed && error.details["cause"] == "limitExceeded" && !error.isRetryable, "\(error.json)")
        #expect(error.message.contains("memory budget of \(Self.budget) bytes"))
        #expect(most > Self.size && most <= Self.budget + Self.size + Self.kept, "\(most)")
        #expect(h.budget.used == 0 && Self.shared <= Self.kept)
    }

    /// Each request alone has room, both together have none.
    @Test @Loop func `two requests that each wait for room for their pictures both succeed`() async throws {
        let folder = try folder()
        let h = try await WorkerHarness(budget: Self.budget, root: folder.path)
        var receipts: [String] = []
        for index in 0..<4 {
            let names = (0..<4).map { "\(index * 4 + $0).jpg?rate=8000000" }
            receipts.append(try await h.submit(request(h, 20 + index, names)) { $0.readResults = false })
        }
        let most = try await run(h, receipts)
        for receipt in receipts { #expect(try await h.result(receipt)["state"] == "succeeded") }
        #expect(most <= Self.budget + Self.size + Self.kept, "\(most)")
        #expect(h.budget.used == 0 && Self.shared <= Self.kept)
    }

    @Test @Loop func `a file that is no picture takes no shared memory, however large`() async throws {
        let folder = try folder()
        let h = try await WorkerHarness(budget: Self.budget, root: folder.path)
        let receipt = try await h.submit(request(h, 20, ["broken.png"]))
        let most = try await run(h, [receipt])
        #expect(try await h.failure(receipt).details["cause"] == "badImageData")
        #expect(most <= Self.kept, "\(most)")
    }

    @Test @Loop func `a picture and the source are freed after the last rendition that needs them`() async throws {
        let folder = try folder()
        let h = try await WorkerHarness(budget: Self.budget, root: folder.path)
        let reservation = h.budget.begin()
        let reporter = FetchReporter(queue: h.queue, lease: RunLease(fetch: "none", token: 0), interval: nil, scope: h.scope, onAnswer: { _ in })
        let request = try ImageRequest(request(h, 20, ["0.jpg", "1.jpg"]), isProbe: false)
        let other = try ImageRequest(self.request(h, 20, ["1.jpg"]), isProbe: false)
        let owed = [request, other].map { ReadRendition(OwedRendition(digest: $0.renditions[0].digest(source: "x"), json: $0.renditions[0].canonical.text)) }
        let source = try await h.loader.load(request.source, accepting: Acceptance(), reservation: reservation, reporter: reporter)
        let length = source.bytes.count
        let writes = SourceWrites(h.scope)
        let layers = LayerLoader(
            loader: h.loader, making: h.parts.making, reservation: reservation, writes: writes, use: CacheUse(), access: nil, reporter: reporter,
            onBusy: { _, _ in })
        let maker = RenditionMaker(
            source: source, ttl: 60, use: CacheUse(), fetch: "none", parts: h.parts.making, layers: layers, reporter: reporter, reservation: reservation,
            writes: writes)
        func sizes(_ made: MadeRendition) -> Int { made.picture?.bytes.count ?? 0 }
        let first = try await maker.make(owed[0], part: 0...0.5, before: owed[1...])
        #expect(!first.hasFailed && h.budget.used == Self.size + length + sizes(first), "one of the two is needed again")
        let second = try await maker.make(owed[1], part: 0.5...1, before: [])
        #expect(!second.hasFailed && h.budget.used == length + sizes(first) + sizes(second), "\(h.budget.used)")
        // A rendition joins late: the freed source is there again.
        let third = try await maker.make(owed[0], part: 0...1, before: [])
        #expect(third.picture?.bytes == first.picture?.bytes)
        reservation.release()
        #expect(h.budget.used == 0)
    }
}
