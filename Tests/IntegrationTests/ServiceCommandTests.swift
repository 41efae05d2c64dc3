import TintypeCore
import Foundation
import TestSupport
import Testing

/// The commands for a live service, as people and programs run them.
@Suite(.timeLimit(.minutes(2)), .serialized, .scoped) struct ServiceCommandTests {
    private struct Run {
        let status: Int32
        let output: String
        let errors: String
        /// The one line of `--json`.
        var json: JSON { (try? JSON(parsing: output)) ?? [:] }
        var error: String? { json["error"]?["data"]?["name"]?.string }
        var list: [JSON] { json.array ?? [] }
    }

    private func tintype(_ deployment: Deployment, _ words: String...) async throws -> Run {
        let child = try ChildProcess(ServiceProcess.path("tintype"), words + ["--coordinator", "127.0.0.1:\(deployment.coordinators[0].rpcPort)"])
        return Run(status: await child.finished(), output: child.output, errors: child.errors)
    }

    @Test func `submit, status and cancel show the state of a receipt, and fail when it has failed`() async throws {
        let deployment = try await Deployment()
        let fine = try await tintype(deployment, "submit", deployment.url("/picture.png"), "--resize", "64x48", "--receipt", "fine")
        #expect(fine.status == 0 && fine.output.hasPrefix("fine queued"), "\(fine)")
        let done = try await tintype(deployment, "status", "fine", "--wait", "60")
        #expect(done.status == 0 && done.output.hasPrefix("fine succeeded") && done.output.contains("64x48"), "\(done)")
        let json = try await tintype(deployment, "status", "fine", "--json")
        #expect(json.status == 0 && json.json["state"]?.string == "succeeded", "\(json)")

        let missing = try await tintype(deployment, "submit", deployment.url("/status/404"), "--receipt", "missing", "--json")
        #expect(missing.status == 0 && missing.json["receipt"]?.string == "missing", "\(missing)")
        let failed = try await tintype(deployment, "status", "missing", "--wait", "60")
        #expect(failed.status == 1 && failed.output.hasPrefix("missing failed") && failed.output.contains("httpStatus 1010"), "\(failed)")
        // The same receipt again is answered with its end.
        let again = try await tintype(deployment, "submit", deployment.url("/status/404"), "--receipt", "missing")
        #expect(again.status == 1 && again.output.hasPrefix("missing failed") && again.output.contains("httpStatus 1010"), "\(again)")
        let program = try await tintype(deployment, "submit", deployment.url("/status/404"), "--receipt", "missing", "--json")
        #expect(program.status == 1 && program.json["state"]?.string == "failed", "\(program)")

        _ = try await tintype(deployment, "submit", deployment.url("/hang"), "--receipt", "long")
        let cancelled = try await tintype(deployment, "cancel", "long")
        #expect(cancelled.status == 0 && cancelled.output == "long cancelled\n", "\(cancelled)")
        let gone = try await tintype(deployment, "status", "long")
        #expect(gone.status == 1 && gone.output.hasPrefix("long cancelled"), "\(gone)")
        let late = try await tintype(deployment, "cancel", "fine", "nobody")
        #expect(late.status == 1 && late.output == "fine not cancelled: finished\nnobody not cancelled: unknown\n", "\(late)")
        let unknown = try await tintype(deployment, "cancel", "nobody", "--json")
        let results = unknown.json["results"]?.array
        #expect(unknown.status == 1 && results?.first?["cancelled"]?.bool == false, "\(unknown)")
        let nowhere = try await tintype(deployment, "status", "nobody")
        #expect(nowhere.status == 1 && nowhere.output.isEmpty && nowhere.errors.hasPrefix("tintype status: "), "\(nowhere)")
    }

    @Test func `status --trace shows the way of a receipt, also while it is under way`() async throws {
        let deployment = try await Deployment()
        _ = try await tintype(deployment, "submit", deployment.url("/picture.png"), "--resize", "64x48", "--receipt", "way")
        _ = try await tintype(deployment, "status", "way", "--wait", "60")
        let way = try await tintype(deployment, "status", "--trace", "way")
        #expect(
            way.status == 0 && way.output.hasPrefix("way succeeded in ")
                && way.output.contains("one attempt, worker \(deployment.workers[0].ready["worker"] ?? "")"))
        // A fetch that is claimed within a millisecond has no time in the queue.
        for phase in ["phase ", "download ", "decode ", "encode ", "store "] { #expect(way.output.contains("\n\(phase)"), "\(phase): \(way.output)") }
        let json = try await tintype(deployment, "status", "way", "--trace", "--json")
        let phases = (json.json["phases"]?.array ?? []).reduce(0) { $0 + ($1["seconds"]?.double ?? 0) }
        #expect(json.json["totalSeconds"]?.double.map { abs($0 - phases) < 0.01 } == true, "\(json)")
        let parent = "00-\(String(repeating: "a", count: 32))-00f067aa0ba902b7-01"
        let traced = #"{"url":"\#(deployment.url("/picture.png?size=20x20"))","receipt":"traced","_meta":{"traceparent":"\#(parent)"}}"#
        _ = try await tintype(deployment, "rpc", "image.load", traced)
        #expect(try await tintype(deployment, "status", "traced", "--trace").output.contains("\ntrace \(String(repeating: "a", count: 32))\n"))
        // The second receipt needs no work.
        _ = try await tintype(deployment, "load", deployment.url("/picture.png"), "--resize", "64x48", "--receipt", "again", "-o", "/dev/null")
        #expect(try await tintype(deployment, "status", "again", "--trace").output.contains("an earlier result answered it"))
        // Events that come while it waits.
        _ = try await tintype(deployment, "queues", "pause", "default")
        _ = try await tintype(
            deployment, "submit", deployment.url("/status/503?trace"), "--receipt", "bad", "--set", "fetch.retry={\"attempts\":2,\"base\":0.1}")
        async let waiting = tintype(deployment, "status", "bad", "--trace", "--wait", "60")
        try await Gate.until("it listens") { try await deployment.redis.command("PUBSUB", "CHANNELS", "tintype:{default}:events:bad").contains("bad") }
        _ = try await tintype(deployment, "queues", "resume", "default")
        let bad = try await waiting
        #expect(
            bad.status == 1 && bad.output.contains("attempt 1 begins at worker")
                && bad.output.contains("it fails: httpStatus 503; the next attempt begins after"))
        #expect(bad.output.contains("2 attempts") && bad.output.contains("httpStatus 1010"), "\(bad)")
    }

    @Test func `probe, workers and queues show the state, and changes of a queue`() async throws {
        let deployment = try await Deployment()
        let probed = try await tintype(deployment, "probe", deployment.url("/picture.png?size=640x480"))
        #expect(probed.status == 0 && probed.output.contains("640x480 png"), "\(probed)")
        let source = try await tintype(deployment, "probe", deployment.url("/picture.png?size=640x480"), "--json")
        #expect(source.status == 0 && source.json["source"]?["width"]?.int == 640, "\(source)")
        let nothing = try await tintype(deployment, "probe", deployment.url("/text"))
        #expect(nothing.status == 1 && nothing.errors.hasPrefix("tintype probe: "), "\(nothing)")

        let worker = deployment.workers[0].ready["worker"] ?? ""
        let workers = try await tintype(deployment, "workers")
        #expect(workers.status == 0 && workers.output.hasPrefix("worker") && workers.output.contains(worker), "\(workers)")
        #expect(try await tintype(deployment, "workers", "--json").list.first?["id"]?.string == worker)
        #expect(try await tintype(deployment, "workers", "all").status == 2)
        #expect(try await tintype(deployment, "workers", "quiet").status == 2)
        let quiet = try await tintype(deployment, "workers", "quiet", worker)
        #expect(quiet.status == 0 && quiet.output == "\(worker) claims nothing new\n", "\(quiet)")
        #expect(try await tintype(deployment, "workers", "quiet", "nobody").status == 2)
        #expect(try await tintype(deployment, "workers", "resume", worker, "--json").json["quiet"]?.bool == false)

        let changed = try await tintype(deployment, "queues", "configure", "default", "--order", "lifo", "--max-concurrent", "3")
        #expect(changed.status == 0 && changed.output.contains("lifo"), "\(changed)")
        let paused = try await tintype(deployment, "queues", "pause", "default", "--json")
        #expect(paused.status == 0 && paused.json["paused"]?.bool == true, "\(paused)")
        let queues = try await tintype(deployment, "queues")
        #expect(queues.status == 0 && queues.output.contains("default") && queues.output.contains("lifo") && queues.output.contains("paused"), "\(queues)")
        #expect(try await tintype(deployment, "queues", "resume", "default").output.contains("open"))
        _ = try await tintype(deployment, "queues", "pause", "default")
        for name in ["first", "second"] { _ = try await tintype(deployment, "submit", deployment.url("/hang?n=\(name)"), "--receipt", name) }
        let waiting = try await tintype(deployment, "status", "first")
        #expect(waiting.output.hasPrefix("first queued, place "), "\(waiting)")
        #expect(try await tintype(deployment, "queues", "cancel").status == 2)
        #expect(try await tintype(deployment, "queues", "cancel", "default", "--json").json["queued"]?.int == 0)
        #expect(try await tintype(deployment, "status", "second").output.hasPrefix("second cancelled"))
        let unknown = try await tintype(deployment, "queues", "nowhere")
        #expect(unknown.status == 1 && unknown.errors.hasPrefix("tintype queues: ") && unknown.output.isEmpty, "\(unknown)")
        let inJSON = try await tintype(deployment, "queues", "nowhere", "--json")
        #expect(inJSON.status == 1 && inJSON.error == "unknownQueue", "\(inJSON)")
    }

    @Test func `all dead letters are shown, and all can be retried or removed`() async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        let once = #""as":"bytes","deadline":60,"fetch":{"retry":{"attempts":1}}"#
        for number in 0..<101 {
            let answer = try await client.call("image.load", #"{"url":"\#(deployment.url("/status/503?n=\(number)"))",\#(once)}"#)
            try #require(answer.error?.name == "httpStatus", "\(answer)")
        }
        let first = try await tintype(deployment, "dead")
        let hint = try #require(first.output.split(separator: "\n").last.map(String.init))
        try #require(first.output.split(separator: "\n").count == 102 && hint.hasPrefix("there are more: --cursor "), "\(first)")
        let rest = try await tintype(deployment, "dead", "--cursor", String(hint.dropFirst(25)))
        #expect(rest.output.split(separator: "\n").count == 2 && !rest.output.contains("more"), "\(rest)")
        for wrong in [["dead", "--all"], ["dead", "retry"], ["dead", "remove", "x", "--all"], ["dead", "retry", "--all", "--cursor", "1"]] {
            let child = try ChildProcess(ServiceProcess.path("tintype"), wrong)
            #expect(await child.finished() == 2, "\(wrong)")
        }
        _ = try await tintype(deployment, "queues", "pause", "default")
        let retried = try await tintype(deployment, "dead", "retry", "--all")
        #expect(retried.status == 0 && retried.output == "101 queued again\n", "\(retried)")
        _ = try await tintype(deployment, "queues", "resume", "default")
        try await Gate.until("they have failed again", within: .seconds(60)) { try await deployment.redis("ZCARD", "dead") == "101" }
        let removed = try await tintype(deployment, "dead", "remove", "--all", "--json")
        #expect(removed.status == 0 && removed.json["removed"]?.int == 101, "\(removed)")
        #expect(try await deployment.redis("ZCARD", "dead") == "0")
    }

    @Test func `secret parameters can come from standard input`() async throws {
        let deployment = try await Deployment(workers: 0)
        try await Gate.until("the coordinator has found its Redis") { try await HTTP.get(deployment.coordinators[0].base + "/readyz").status == 200 }
        let command =
            "printf '%s' '{\"queue\": \"default\"}' | \(ServiceProcess.path("tintype")) rpc queue.get - --coordinator 127.0.0.1:\(deployment.coordinators[0].rpcPort)"
        let child = try ChildProcess("/bin/sh", ["-c", command])
        #expect(await child.finished() == 0 && child.output.contains("default"), "\(child.errors)")
    }

    @Test func `a failed image and an unwritable answer give a message and status 1`() async throws {
        let deployment = try await Deployment()
        let folder = try TemporaryFolder("failing")
        let load = try await tintype(deployment, "load", deployment.url("/status/404"), "-q", "-o", folder.path + "/out.png")
        #expect(load.status == 1 && load.output.isEmpty && load.errors.hasPrefix("tintype load: ") && load.errors.contains("httpStatus 1010"), "\(load)")
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/out.png"))
        let json = try await tintype(deployment, "load", deployment.url("/text"), "--json")
        #expect(json.status == 1 && json.error == "badImageData", "\(json)")
        let full = try ChildProcess(
            "/bin/sh",
            [
                "-c", "exec \"$0\" \"$@\" > /dev/full", ServiceProcess.path("tintype"), "workers", "--coordinator",
                "127.0.0.1:\(deployment.coordinators[0].rpcPort)",
            ])
        #expect(await full.finished() == 1 && full.errors.contains("tintype workers: cannot write standard output: No space left"), "\(full.errors)")
    }
}
