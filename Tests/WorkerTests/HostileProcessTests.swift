import Foundation
import Glibc
import TintypeCore
import TintypeTransport
import TintypeImages
import TestSupport
import Testing

@testable import Worker

/// A compromised pixel process against the worker and the rest of the machine. `HostileHook` holds its attacks.
@Suite(.timeLimit(.minutes(3)), .serialized, .scoped) @Loop
struct HostileProcessTests {
    private let lines: LoggedLines
    private let metrics = Metrics()
    private let pool: PixelPool

    init() throws {
        lines = try LoggedLines()
        pool = PixelPool(settings: PixelPoolTests.settings(1), logger: lines.logger, metrics: metrics)
        TestScope.atEnd { [pool] in await pool.stop() }
    }

    private func failure(_ hook: String, deadline: Duration = .seconds(20)) async throws -> TintypeError {
        let job = try PixelPoolTests.job(hook: hook, deadline: deadline)
        do throws(TintypeError) { _ = try await pool.run(job) } catch { return error }
        throw TestFailure("\(hook) was let through")
    }

    private static var descriptors: Int { (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0 }

    @Test(arguments: [
        ("set owner", EPERM), ("set signal", EPERM), ("set async", EPERM), ("copy descriptor", EPERM), ("seal", EPERM), ("set affinity", EPERM),
        ("set scheduling", EPERM), ("outlive", EPERM), ("dump", EPERM), ("stat", ENOENT), ("stat empty", ENOENT), ("statx", ENOENT), ("memory", EPERM),
        ("grow", EFBIG), ("limits", EPERM), ("write source", EACCES),
    ])
    func `A system call that reaches outside is refused, and the process goes on`(hook: String, number: Int32) async throws {
        #expect(try await failure(hook).message.hasSuffix("errno \(number)"))
        let process = pool.processIDs
        #expect(try await pool.run(PixelPoolTests.job()).output?.width == 50 && pool.processIDs == process)
    }

    @Test(arguments: [
        ("two descriptors", "packet"), ("a descriptor", "packet"), ("many descriptors", "packet"), ("empty with descriptor", "packet"),
        ("no JSON with descriptor", "packet"), ("no JSON", "packet"), ("no object", "packet"), ("stranger", "message"), ("flood", "message"),
        ("endless text", "text"),
    ])
    func `A process that breaks a rule is killed, counted and logged, and the worker keeps nothing it sent`(hook: String, rule: String) async throws {
        let error = try await failure(hook)
        #expect(error.name == .badImageData && !error.isRetryable && error.message.contains("breaking a rule (\(rule))"), "\(error)")
        #expect(metrics.value(.pixelExits, labels: "violation") == 2 && lines.holding("broke a rule").count == 2)
        _ = try await pool.run(PixelPoolTests.job())
        await pool.stop()
        #expect(lines.all.count < 100, "\(lines.all.count)")
    }

    @Test(arguments: ["short tale", "long tale", "endless tale"]) func `A result that was never written is an error, whatever length is told`(hook: String)
        async throws
    {
        #expect(try await failure(hook).name == .internalError)
    }

    @Test func `Descriptors that a process sends never fill up the worker's table`() async throws {
        _ = try await pool.run(PixelPoolTests.job())
        let before = Self.descriptors
        for hook in ["two descriptors", "many descriptors", "empty with descriptor", "no JSON with descriptor"] { _ = try? await failure(hook) }
        _ = try await pool.run(PixelPoolTests.job())
        #expect(Self.descriptors <= before, "\(Self.descriptors), before \(before)")
    }

    @Test func `The output of a process is logged with its number, in few lines, and forges none`() async throws {
        #expect(try await failure("forged lines").name == .badImageData)
        await pool.stop()
        let forged = lines.holding("msg=forged")
        #expect(
            !forged.isEmpty && forged.count <= 2 * ChildOutput.maxLines && forged.allSatisfy { $0.contains("pixel process output") && $0.contains("process=") }
        )
        #expect(lines.all.allSatisfy { !$0.contains("\u{1b}") } && lines.holding("linesLeftOut=").count == 2)
    }

    @Test func `Numbers that no honest process sends are limited`() async throws {
        let result = try await pool.run(PixelPoolTests.job(hook: "huge numbers", nil))
        #expect(result.source == PixelSource(format: .png, width: 10_000_000, height: 0, frames: 1_000_000, hasAlpha: false, orientation: 8))
        #expect(result.timings == PixelTimings(decode: 86_400, transform: 0, encode: 86_400))
    }

    @Test func `A process has no capability, and has its own namespaces and root if the system allows it`() async throws {
        _ = try await pool.run(PixelPoolTests.job())
        let folder = "/proc/\(try #require(pool.processIDs.first))"
        func link(_ name: String, of folder: String) -> String { (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")) ?? "" }
        let status = try String(contentsOfFile: folder + "/status", encoding: .utf8)
        #expect(status.contains("CapEff:\t0000000000000000") && status.contains("CapPrm:\t0000000000000000"))
        for name in ["net", "ipc", "user"] {
            #expect(link("ns/\(name)", of: folder) != link("ns/\(name)", of: "/proc/self") || !lines.holding("feature=\"namespaces").isEmpty, "\(lines.all)")
        }
        #expect(link("root", of: folder).hasSuffix("(deleted)") || !lines.holding("feature=\"chroot").isEmpty, "\(link("root", of: folder)) \(lines.all)")
        let limits = try String(contentsOfFile: folder + "/limits", encoding: .utf8).split(separator: "\n")
        for (name, most) in [("Max core file size", 0), ("Max file size", OutputOptions.largestFile)] {
            let words = limits.first { $0.hasPrefix(name) }?.dropFirst(name.count).split(separator: " ").prefix(2)
            #expect(words.map(Array.init) == ["\(most)", "\(most)"])
        }
    }

    @Test func `With a reuse of one no process sees a second picture`() async throws {
        let careful = PixelPool(settings: PixelPoolTests.settings(1) { $0.maxImages = 1 }, logger: lines.logger, metrics: metrics)
        var seen: Set<Int32> = []
        for _ in 0..<3 {
            _ = try await careful.run(PixelPoolTests.job()) { _ in seen.formUnion(careful.processIDs) }
        }
        #expect(metrics.value(.pixelExits, labels: "retired") + metrics.value(.pixelExits, labels: "stopped") >= 2)
        await careful.stop()
        await pool.stop()
        #expect(metrics.value(.pixelExits, labels: "retired") == 3)
    }
}

/// The output of a pixel process, as the log gets it.
@Suite(.tags(.optimized), .scoped) struct ChildOutputTests {
    private func lines(_ texts: String...) -> (told: [String], words: ChildOutput) {
        var (words, told) = (ChildOutput(), [String]())
        for text in texts { told += Array(text.utf8).withUnsafeBytes { words.take($0) } }
        if let last = words.finish() { told.append(last) }
        return (told, words)
    }

    @Test func `Lines are joined across reads, and long ones are cut`() {
        #expect(lines("one\ntw", "o\n\nthree").told == ["one", "two", "three"])
        #expect(lines(String(repeating: "x", count: 9000) + "\ny\n").told.map(\.count) == [ChildOutput.maxLine, 1])
    }

    @Test func `Lines over the limit are only counted, and bytes over the limit are endless until the next picture`() {
        let many = lines(String(repeating: "x\n", count: 50))
        #expect(many.told.count == ChildOutput.maxLines && many.words.omitted == 50 - ChildOutput.maxLines && !many.words.isEndless)
        var words = lines(String(repeating: "x", count: ChildOutput.mostBytes + 1)).words
        #expect(words.isEndless)
        words.begin()
        #expect(!words.isEndless)
    }
}
