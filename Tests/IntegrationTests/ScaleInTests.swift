import Foundation
import TestSupport
import TintypeCore
import Testing

/// An autoscaler takes workers away, down to none, and brings one back: it goes by `GET /scale`, and stops workers by SIGTERM.
@Suite(.timeLimit(.minutes(2)), .serialized, .scoped) struct ScaleInTests {
    private func wanted(_ deployment: Deployment, _ more: String = "") async throws -> JSON {
        let answer = try await HTTP.get("\(deployment.coordinators[0].base)/scale?permits=4&patience=0\(more)")
        try #require(answer.status == 200)
        return try JSON(parsing: answer.body)
    }

    @Test func `no fetch runs twice and none is lost when workers are taken away under load, down to none`() async throws {
        let deployment = try await Deployment(workers: 3, workerArguments: ["--fetches", "4"])
        let client = try deployment.client()
        try await deployment.configure(client, #""maxConcurrentPerHost":30"#)
        for number in 0..<12 {
            let url = deployment.url("/picture.png?size=64x48&gate=0&n=\(number)")
            #expect(try await client.call("image.submit", #"{"url":"\#(url)","as":"bytes","receipt":"r\#(number)","deadline":100}"#).error == nil)
        }
        try await Gate.until("all run") { try await deployment.atOrigin() == 12 }
        try await Gate.until("three are wanted") { try await wanted(deployment)["wanted"]?.int == 3 }
        // Two workers are told to go while each has four downloads.
        for worker in deployment.workers.dropFirst() { worker.process.signal(SIGTERM) }
        try await Gate.until("one is left that claims") { try await wanted(deployment)["workers"]?.int == 1 }
        for number in 12..<20 {
            let url = deployment.url("/picture.png?size=64x48&n=\(number)")
            #expect(try await client.call("image.submit", #"{"url":"\#(url)","as":"bytes","receipt":"r\#(number)","deadline":100}"#).error == nil)
        }
        for _ in 0..<12 { try await deployment.open(gate: "0") }
        let ends = await client.notifications { $0.count { ["succeeded", "failed"].contains($0.type) } >= 20 }
            .filter { ["succeeded", "failed", "cancelled"].contains($0.type) }
        #expect(ends.count == 20 && Set(ends.compactMap(\.receipt)).count == 20 && ends.allSatisfy { $0.type == "succeeded" }, "\(ends)")
        #expect(ends.allSatisfy { $0["result"]?["attempts"]?.int == 1 }, "\(ends)")
        for worker in deployment.workers.dropFirst() { #expect(await worker.process.exit() == 0) }

        try await Gate.until("none is wanted") { try await wanted(deployment)["wanted"]?.int == 0 }
        #expect(await deployment.workers[0].stop() == 0)
        let url = deployment.url("/picture.png?size=64x48&n=last")
        #expect(try await client.call("image.submit", #"{"url":"\#(url)","as":"bytes","receipt":"last","deadline":100}"#).error == nil)
        try await Gate.until("one is wanted") { try await wanted(deployment)["wanted"]?.int == 1 }
        let back = try await ServiceProcess.worker(redis: deployment.address, ["--results", "file://\(deployment.results.path)"])
        #expect(try await client.call("receipt.get", #"{"receipt":"last","wait":60}"#).state == "succeeded")
        #expect(try await deployment.violations(client) == [])
        await back.stop()
    }
}
