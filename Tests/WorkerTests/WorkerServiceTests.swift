import Foundation
import TintypeCore
import TintypeTransport
import TintypeQueue
import TestSupport
import Testing

@testable import Worker

/// The real process, with signals.
@Suite(.tags(.realTimes), .timeLimit(.minutes(1)), .scoped)
struct WorkerServiceTests {
    @Test @Loop func `a worker reports ready, serves its health port and works`() async throws {
        let h = try await WorkerHarness()
        let worker = try await ServiceProcess.worker(redis: h.server.url, ["--results", "file://\(h.folder.path)"])
        #expect(worker.ready["worker"]?.isEmpty == false && worker.ready["pid"] == "\(worker.process.identifier)")
        #expect(try await HTTP.get(worker.base + "/healthz").status == 200)
        #expect(try await HTTP.get(worker.base + "/readyz").status == 200)
        let receipt = try await h.submit(["url": .string(h.url("/picture.png?size=64x48")), "as": "bytes"])
        while try await h.snapshot(receipt).ending == nil { try await Loop.sleep(.milliseconds(20)) }
        #expect(try await h.result(receipt)["worker"]?.string == worker.ready["worker"])
        let metrics = String(decoding: try await HTTP.get(worker.base + "/metrics").body, as: UTF8.self)
        #expect(metrics.contains(#"tintype_fetches_finished_total{queue="default",outcome="succeeded"} 1"#))
        #expect(try await h.queue.workers().first?.info["state"] == "running")
        // The first heartbeat may come before the pixel processes are warm.
        while try await h.queue.workers().first?.info["codecs"]?["decode"]?.array?.contains("jpeg") != true { try await Loop.sleep(.milliseconds(50)) }
        #expect(await worker.stop() == 0)
        #expect(try await h.queue.workers().isEmpty, "a worker that has stopped is not lost")
    }

    @Test @Loop func `a first SIGTERM lets work end, a second releases it at once, without an attempt counted`() async throws {
        let h = try await WorkerHarness()
        let worker = try await ServiceProcess.worker(redis: h.server.url, ["--results", "file://\(h.folder.path)"])
        let quick = try await h.submit(["url": .string(h.url("/slow/picture.png?size=64x48&delay=3")), "as": "bytes"])
        let slow = try await h.submit(["url": .string(h.url("/hang")), "as": "bytes"])
        try await h.untilAsked(2)
        worker.process.signal(SIGTERM)
        while try await h.snapshot(quick).ending == nil { try await Loop.sleep(.milliseconds(20)) }
        #expect(try await h.result(quick)["state"] == "succeeded")
        #expect(worker.process.exitStatus == nil)
        #expect(try await HTTP.get(worker.base + "/readyz").status == 503)
        // This fetch is for others.
        try await h.submit(["url": "data:,late", "as": "bytes"])
        worker.process.signal(SIGTERM)
        #expect(await worker.process.exit() == 0)
        let snapshot = try await h.snapshot(slow)
        #expect(snapshot.state == .queued && snapshot.attempts == 0)
        #expect(try await h.queue.info()?.queued == 2)
    }

    @Test @Loop func `a draining worker ends its runs and claims nothing new until it is told to`() async throws {
        let h = try await WorkerHarness()
        let worker = try await ServiceProcess.worker(redis: h.server.url, ["--results", "file://\(h.folder.path)"])
        let id = worker.ready["worker"] ?? ""
        let slow = try await h.submit(["url": .string(h.url("/slow/picture.png?size=64x48&delay=1")), "as": "bytes"])
        try await h.untilAsked(1)
        #expect(try await h.queue.quiet(worker: id, true))
        while try await h.queue.workers().first?.info["state"] != "quiet" { try await Loop.sleep(.milliseconds(10)) }
        let ready = try await HTTP.get(worker.base + "/readyz")
        #expect(ready.status == 503 && String(decoding: ready.body, as: UTF8.self) == "quiet\n")
        let late = try await h.submit(["url": "data:,late", "as": "bytes"])
        while try await h.snapshot(slow).ending == nil { try await Loop.sleep(.milliseconds(10)) }
        #expect(try await h.result(slow)["state"] == "succeeded")
        #expect(try await h.snapshot(late).state == .queued)
        #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [])
        #expect(try await h.queue.quiet(worker: id, false))
        while try await h.snapshot(late).ending == nil { try await Loop.sleep(.milliseconds(10)) }
        #expect(try await HTTP.get(worker.base + "/readyz").status == 200)
        // Asleep by now, with nothing to do: it claims nothing then, either.
        #expect(try await h.queue.quiet(worker: id, true))
        while try await h.queue.workers().first?.info["state"] != "quiet" { try await Loop.sleep(.milliseconds(10)) }
        let other = try await ServiceProcess.worker(redis: h.server.url, ["--results", "file://\(h.folder.path)"])
        for number in 1...5 {
            let receipt = try await h.submit(["url": .string("data:,\(number)"), "as": "bytes"])
            while try await h.snapshot(receipt).ending == nil { try await Loop.sleep(.milliseconds(10)) }
            #expect(try await h.result(receipt)["worker"]?.string == other.ready["worker"])
        }
        #expect(await worker.stop() == 0)
        #expect(try await h.queue.dump().set("quiet").isEmpty)
        #expect(await other.stop() == 0)
    }

    @Test @Loop func `a worker told to drain and at once to go on takes work`() async throws {
        let h = try await WorkerHarness()
        let worker = try await ServiceProcess.worker(redis: h.server.url, ["--results", "file://\(h.folder.path)"])
        for number in 1...3 {
            // One message after the other, with nothing between: both are read in one turn.
            let rest = Task.immediate { try await h.queue.quiet(worker: worker.ready["worker"] ?? "", true) }
            let goesOn = try await h.queue.quiet(worker: worker.ready["worker"] ?? "", false)
            let rests = try await rest.value
            #expect(goesOn && rests)
            let receipt = try await h.submit(["url": .string("data:,\(number)"), "as": "bytes", "deadline": 9])
            while try await h.snapshot(receipt).ending == nil { try await Loop.sleep(.milliseconds(10)) }
            #expect(try await h.result(receipt)["state"] == "succeeded")
        }
        #expect(await worker.stop() == 0)
    }

    @Test @Loop func `a worker of a missing queue logs that until the queue exists`() async throws {
        let h = try await WorkerHarness()
        let worker = try await ServiceProcess.worker(redis: h.server.url, ["--results", "file://\(h.folder.path)", "--queues", "defalt"])
        let ready = try await HTTP.get(worker.base + "/readyz")
        #expect(ready.status == 503 && String(decoding: ready.body, as: UTF8.self) == "there is no queue defalt; did you mean default?\n")
        #expect(await worker.process.errorText(containing: "did you mean default?"))
        let other = try await ServiceProcess.worker(redis: h.server.url, ["--results", "file://\(h.folder.path)", "--queues", "defalt,default"])
        #expect(try await HTTP.get(other.base + "/readyz").status == 200)
        #expect(await other.process.errorText(containing: "queue=defalt"))
        let queue = Queue(name: "defalt", redis: h.nodes)
        #expect(try await queue.dump().entries["cfg"] == nil)
        #expect(try await Queue.missing(h.nodes) == ["defalt"])
        _ = try await queue.configure(QueueChange())
        while try await HTTP.get(worker.base + "/readyz").status != 200 { try await Loop.sleep(.milliseconds(50)) }
        #expect(try await Queue.missing(h.nodes).isEmpty)
        #expect(await worker.stop() == 0)
        #expect(await other.stop() == 0)
    }

    @Test @Loop func `a fetch without a free descriptor is released, without an attempt counted`() async throws {
        let h = try await WorkerHarness()
        let worker = try await ServiceProcess(
            "tintype-worker",
            ["--redis", h.server.url, "--results", "file://\(h.folder.path)", "--allow-addresses", "127.0.0.0/8", "--pixels", "1", "--http", "127.0.0.1:0"],
            descriptors: (soft: 96, hard: 96))
        #expect(await worker.process.errorText(containing: "too few file descriptors"))
        var clients = try (0..<96).map { _ in try RawClient(port: worker.httpPort) }
        #expect(await worker.process.errorText(containing: "connections cannot be accepted"))
        let receipt = try await h.submit(["url": .string(h.url("/picture.png?size=8x8")), "as": "bytes"])
        #expect(await worker.process.errorText(containing: "no file descriptor is left"))
        for client in clients { client.close() }
        clients = []
        while try await h.snapshot(receipt).ending == nil { try await Loop.sleep(.milliseconds(20)) }
        let result = try await h.result(receipt)
        #expect(result["attempts"] == 1 && result["causes"] == nil)
        #expect(await worker.stop() == 0)
    }

    @Test @Loop func `a shortage of descriptors costs no attempt for a minute, and a new one neither`() {
        let shortage = DescriptorExhaustion()
        let start = ContinuousClock.now
        let logger = Logger(label: "test", level: .error)
        for second in stride(from: 0, through: 60, by: 5) { #expect(shortage.note(logger, at: start + .seconds(second))) }
        #expect(!shortage.note(logger, at: start + .seconds(61)))
        #expect(shortage.note(logger, at: start + .seconds(75)))
    }

    @Test(arguments: [(1024, 32, 4, 32, 256), (96, 32, 2, 10, 4), (400, 32, 2, 32, 198), (40, 32, 4, 1, 1), (20_000, 4096, 8, 3985, 3)])
    func `descriptors are divided`(limit: Int, fetches: Int, pixels: Int, begun: Int, kept: Int) {
        let plan = DescriptorPlan(limit: limit, fetches: fetches, pixels: pixels)
        #expect(plan.fetches == begun && plan.kept == kept)
        #expect(DescriptorPlan(limit: DescriptorPlan.enough(fetches: fetches, pixels: pixels), fetches: fetches, pixels: pixels).fetches == fetches)
    }

    @Test func `wrong settings end the process with status 2`() async throws {
        let process = try ChildProcess(ServiceProcess.path("tintype-worker"), ["--fetches", "none", "--nonsense"])
        #expect(await process.finished() == 2)
        #expect(process.errors.contains("fetches") && process.errors.contains("nonsense"))
    }
}
