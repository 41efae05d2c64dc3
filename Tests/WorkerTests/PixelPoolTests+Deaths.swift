import Foundation
import Glibc
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing
@testable import Worker

extension PixelPoolTests {
    @Test func `A process killed in the middle of a picture costs one retry`() async throws {
        let pool = pool(1)
        let job = try slow()
        var isKilled = false
        var victim: Int32 = 0
        let result = try await pool.run(job) { _ in
            guard !isKilled else { return }
            isKilled = true
            victim = pool.processIDs[0]
            kill(victim, SIGKILL)
        }
        #expect(isKilled)
        #expect(result.output?.width == 640)
        #expect(!pool.processIDs.contains(victim))
        // Reaped, not a zombie: the kernel does not know it any more.
        #expect(kill(victim, 0) == -1)
    }

    @Test func `A picture whose processes are all killed from outside does not count as bad`() async throws {
        let pool = pool(1)
        var kills = 0
        let job = try slow()
        do throws(TintypeError) {
            _ = try await pool.run(job) { _ in
                kill(pool.processIDs[0], SIGKILL)
                kills += 1
            }
        } catch {
            #expect(error.name == .workerLost && error.isRetryable, "\(error)")
        }
        #expect(kills >= 4)
    }

    @Test(arguments: [("crash", "SIGSEGV"), ("abort", "SIGABRT"), ("exec", "SIGSYS")])
    func `A picture that kills its process twice is bad, with the signal named`(hook: String, signal: String) async throws {
        let pool = pool(1)
        let error = await failure(pool, try Self.job(hook: hook))
        #expect(error?.name == .badImageData)
        #expect(error?.message.contains(signal) == true, "\(error?.message ?? "")")
        _ = try await pool.run(Self.job())
    }

    @Test(arguments: ["hang", "spin"])
    func `A picture that hangs is killed at its deadline, and others are not affected`(hook: String) async throws {
        let pool = pool(2)
        async let hung = failure(pool, Self.job(hook: hook, deadline: .seconds(1)))
        var made = 0
        for _ in 0..<20 { made += try await pool.run(Self.job()).output == nil ? 0 : 1 }
        #expect(made == 20)
        let error = try await hung
        #expect(error?.name == .timeout)
        #expect(error?.isRetryable == false)
        _ = try await pool.run(Self.job())
    }

    /// Nobody kills it: the processor time of all its cores together is used up.
    @Test func `A picture that uses up its processor time is too slow, not bad, and not tried again`() async throws {
        let metrics = Metrics()
        let pool = pool(metrics: metrics) { $0.patience = .seconds(600) }
        let error = await failure(pool, try Self.job(hook: "burn", deadline: .milliseconds(1)))
        #expect(error?.name == .timeout && error?.isRetryable == false, "\(error?.description ?? "made")")
        #expect(metrics.value(.pixelExits, labels: "deadline") == 1 && metrics.value(.pixelExits, labels: "crashed") == 0)
        _ = try await pool.run(Self.job())
    }

    @Test func `A slow picture stops by itself at its deadline and its process is kept`() async throws {
        let pool = pool(1) { $0.patience = .seconds(30) }
        _ = try await pool.run(Self.job())
        let before = pool.processIDs
        #expect(await failure(pool, try Self.job(hook: "doze", deadline: .milliseconds(600)))?.name == .timeout)
        #expect(pool.processIDs == before)
    }

    @Test func `libvips itself is stopped in the middle of a computation`() async throws {
        let pool = pool(1) { $0.patience = .seconds(30) }
        _ = try await pool.run(Self.job())
        let before = pool.processIDs
        var job = try Self.job(
            Rendition(operations: [AnyOperation(Resize(width: 6000, height: 6000, fit: .fill, enlarge: true))], output: OutputOptions(format: .png)))
        job.deadline = .milliseconds(550)
        #expect(await failure(pool, job)?.name == .timeout)
        #expect(pool.processIDs == before)
    }

    @Test func `Memory over the limit is refused, and the worker goes on`() async throws {
        let pool = pool(1) { $0.memoryLimit = 128 << 20 }
        let error = await failure(pool, try Self.job(hook: "eat"))
        switch error?.name {
        case .limitExceeded:
            #expect(
                error?.details["limit"] == "memory" && error?.details["value"] == nil && error?.details["allowed"] == JSON(128 << 20), "\(error?.json ?? "")")
        case .badImageData:
            // There is no memory for the answer either, so its author dies in one way or another.
            #expect(error?.message.hasPrefix("its decoder died 2 times, last by signal") == true && error?.isRetryable == false, "\(error?.json ?? "")")
        default: Issue.record("\(error?.description ?? "made")")
        }
        _ = try await pool.run(Self.job())
    }

    @Test func `The sandbox holds for every thread of a process, including those that decode`() async throws {
        let pool = pool(1)
        _ = try await pool.run(Self.job())
        let tasks = "/proc/\(try #require(pool.processIDs.first))/task"
        let threads = try FileManager.default.contentsOfDirectory(atPath: tasks)
        #expect(threads.count > 1)
        for thread in threads {
            // A thread that has ended meanwhile needs no sandbox.
            guard let status = try? String(contentsOfFile: "\(tasks)/\(thread)/status", encoding: .utf8), !status.isEmpty else { continue }
            #expect(status.contains("Seccomp:\t2") && status.contains("NoNewPrivs:\t1"), "\(status.prefix(40))")
        }
    }

    @Test(arguments: ["socket", "open", "create", "fork", "kill"])
    func `The sandbox holds`(hook: String) async throws {
        let pool = pool(1)
        let error = await failure(pool, try Self.job(hook: hook))
        #expect(error?.message.hasSuffix("errno \(EPERM)") == true, "\(error?.description ?? "")")
    }

    @Test func `A canceled picture is given up at once and its process serves the next`() async throws {
        let pool = pool(1)
        _ = try await pool.run(Self.job())
        let started = OneShot<Void>()
        let job = try slow()
        let task = Task { @Loop in
            do throws(TintypeError) {
                _ = try await pool.run(job) { _ in started.complete(.success(())) }
                return ErrorName?.none
            } catch { return error.name }
        }
        try await started.wait()
        task.cancel()
        #expect(await task.value == .cancelled)
        #expect(pool.busy == 0)
        _ = try await pool.run(Self.job())
    }

    @Test func `A canceled picture that still waits never reaches a process`() async throws {
        let pool = pool(1)
        _ = try await pool.run(Self.job())
        let held = Task { @Loop in await failure(pool, try Self.job(hook: "hang", deadline: .seconds(2))) }
        try await until { pool.busy == 1 }
        let waiting = Task { @Loop in await failure(pool, try Self.job(hook: "crash")) }
        try await Loop.sleep(.milliseconds(20))
        waiting.cancel()
        #expect(try await waiting.value?.name == .cancelled)
        #expect(try await held.value?.name == .timeout)
    }

    @Test func `Processes are replaced after a number of pictures and never left behind`() async throws {
        let pool = pool(1) { $0.maxImages = 2 }
        var seen: Set<Int32> = []
        for _ in 0..<6 {
            _ = try await pool.run(Self.job())
            seen.formUnion(pool.processIDs)
        }
        #expect(seen.count >= 3)
        await pool.stop()
        for process in seen { #expect(kill(process, 0) == -1) }
    }

    @Test func `The processor time of pixel processes stays when they end, and never falls`() async throws {
        let pool = pool(1) { $0.maxImages = 1 }
        var seen = [pool.cpuSeconds]
        for _ in 0..<3 {
            _ = try await pool.run(try slow())
            // The process of the picture is leaving, or has left; its successor has only begun.
            seen.append(pool.cpuSeconds)
        }
        await pool.stop()
        seen.append(pool.cpuSeconds)
        #expect(seen == seen.sorted(), "\(seen)")
        // Each of these pictures keeps a core busy for a second or so.
        #expect(pool.processIDs.isEmpty && zip(seen, seen.dropFirst()).prefix(3).allSatisfy { $1 > $0 }, "\(seen)")
        #expect(pool.cpuSeconds == seen.last, "what has ended stays")
    }

    @Test func `Pictures that wait are served first in, first out`() async throws {
        let pool = pool(1)
        var order: [Int] = []
        var tasks: [Task<Void, any Error>] = []
        for index in 0..<8 {
            tasks.append(
                Task { @Loop in
                    _ = try await pool.run(Self.job())
                    order.append(index)
                })
            try await until { pool.busy + pool.queued + order.count == index + 1 }
        }
        for task in tasks { try await task.value }
        #expect(order == Array(0..<8))
    }

    @Test func `Stopping ends everything that waits or runs`() async throws {
        let pool = pool(1)
        let running = Task { @Loop in await failure(pool, try Self.job(hook: "hang")) }
        try await until { pool.busy == 1 }
        let waiting = Task { @Loop in await failure(pool, try Self.job()) }
        try await Loop.sleep(.milliseconds(20))
        let processes = pool.processIDs
        await pool.stop()
        #expect(try await running.value?.name == .shuttingDown)
        #expect(try await waiting.value?.name == .shuttingDown)
        for process in processes { #expect(kill(process, 0) == -1) }
        #expect(await failure(pool, try Self.job())?.name == .shuttingDown)
    }

    @Test func `A program that cannot be started is an error, not a wait for ever`() async throws {
        let pool = pool(2) {
            $0.executable = "/nonexistent/tintype-worker"
            if !TestTimes.areReal { $0.startPatience = .seconds(1) }
        }
        #expect(await failure(pool, try Self.job())?.name == .internalError)
    }

    @Test func `A job without a rendition describes its source`() async throws {
        let pool = pool(1)
        let result = try await pool.run(Self.job(nil))
        #expect(result.source.width == 200)
        #expect(result.output == nil)
    }
}
