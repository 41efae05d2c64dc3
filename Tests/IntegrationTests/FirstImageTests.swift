import Foundation
import TintypeCore
import TestSupport
import Testing

/// The path of one image through all processes, and the client's view of it.
@Suite(.tags(.cluster), .timeLimit(.minutes(2)), .serialized, .scoped) struct FirstImageTests {
    @Test func `one download, three renditions, and their bytes over HTTP`() async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        let answer = try await client.call(
            "image.load",
            #"""
            {"url":"\#(deployment.url("/picture.png"))","progress":true,"tag":"t","userInfo":{"a":1},"renditions":[
            {"name":"small","transform":[{"op":"resize","width":64,"height":64,"fit":"cover"}],"output":{"format":"jpeg"}},
            {"name":"middle","transform":[{"op":"resize","width":200,"height":100,"fit":"fill"}],"output":{"format":"webp"}},
            {"name":"turned","transform":[{"op":"resize","width":100,"height":50,"fit":"fill"},{"op":"rotate","angle":90}],"output":{"format":"png"}}]}
            """#.replacingOccurrences(of: "\n", with: " "))
        let renditions = answer.renditions
        #expect(renditions.map { $0["name"]?.string } == ["small", "middle", "turned"])
        let expected: [(String, Int, Int)] = [("jpeg", 64, 64), ("webp", 200, 100), ("png", 50, 100)]
        for (rendition, (format, width, height)) in zip(renditions, expected) {
            let response = try await HTTP.get(deployment.coordinators[0].base + (try #require(rendition["url"]?.string)))
            #expect(response.status == 200)
            let picture = try #require(PictureBytes(response.body))
            #expect(picture.format == format && picture.width == width && picture.height == height)
            #expect(response.body.count == rendition["bytes"]?.int)
            #expect(response.headers["content-type"] == "image/\(format)")
            let again = try await HTTP.get(
                deployment.coordinators[0].base + (rendition["url"]?.string ?? ""), ["-H", "If-None-Match: \(response.headers["etag"] ?? "")"])
            #expect(again.status == 304)
        }
        let events = client.notifications.compactMap(\.params)
        #expect(events.map { $0["seq"]?.int } == Array(1...events.count), "seq rises by one: \(events)")
        let types = events.compactMap { $0["type"]?.string }
        #expect(types.first == "queued" && types.last == "succeeded" && types.contains("started") && types.contains("response"), "\(types)")
        #expect(events.allSatisfy { $0["tag"]?.string == "t" })
        #expect(try await deployment.counts()["total"]?.int == 1)

        // Requested again: from memory, without a second download.
        let again = try await client.call(
            "image.load",
            #"{"url":"\#(deployment.url("/picture.png"))","transform":[{"op":"resize","width":64,"height":64,"fit":"cover"}],"output":{"format":"jpeg"}}"#)
        #expect(again.from == "memory", "\(again)")
        #expect(try await deployment.counts()["total"]?.int == 1)
    }

    @Test func `cancelling one receipt keeps the download, and cancelling the last stops it`() async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        let url = deployment.url("/slow/picture.png?rate=20000")
        for name in ["one", "two"] {
            try await client.call("image.submit", #"{"url":"\#(url)","receipt":"\#(name)","progress":true,"deadline":100}"#)
        }
        _ = await client.notifications { $0.contains { $0.type == "progress" } }
        #expect(try await client.call("receipt.cancel", #"{"receipt":"one"}"#)["cancelled"]?.bool == true)
        let two = try await client.call("receipt.get", #"{"receipt":"two"}"#)
        #expect(two.state == "running", "\(two)")
        #expect(try await client.call("receipt.cancel", #"{"receipt":"two"}"#)["cancelled"]?.bool == true)
        #expect(try await client.call("receipt.cancel", #"{"receipt":"two"}"#)["reason"]?.string == "finished")
        #expect(try await client.call("receipt.cancel", #"{"receipt":"three"}"#)["reason"]?.string == "unknown")
        // The origin notices that its client has gone: the gate is its count of running requests.
        try await Gate.until("the origin has no request") { try await deployment.counts()["running"]?.int == 0 }
        try await Gate.until("it is told to Redis") { try await deployment.running().isEmpty }
        let queue = try await client.call("queue.get", #"{"queue":"default"}"#)
        #expect(queue["queued"]?.int == 0 && queue["running"]?.int == 0, "\(queue)")
    }

    @Test func `pictures are delivered while the store's disk is full, and stored again when it has room`() async throws {
        let folder = try TemporaryFolder("disk")
        let mounted = try ChildProcess("mount", ["-t", "tmpfs", "-o", "size=256k", "tintype-test", folder.path])
        guard await mounted.finished() == 0 else {
            print("no small disk can be mounted here, so none can be filled: \(mounted.errors)")
            return
        }
        let deployment = try await Deployment(workerResults: "file://\(folder.path)")
        let client = try deployment.client()
        let large =
            #"{"url":"\#(deployment.url("/picture.png"))","transform":[{"op":"resize","width":1100}],"output":{"format":"png"},"fetch":{"retry":{"attempts":1}}}"#
        let full = try await client.call("image.load", large)
        let rendition = try #require(full.renditions.first, "\(full)")
        #expect((rendition["bytes"]?.int).map { $0 > 256 << 10 } == true)
        let path = try #require(rendition["url"]?.string)
        let body = try await HTTP.get(deployment.coordinators[0].base + path).body
        #expect(body.count == rendition["bytes"]?.int)
        let small = try await client.call("image.load", #"{"url":"\#(deployment.url("/picture.png"))","transform":[{"op":"resize","width":32}]}"#)
        #expect(small.state == "succeeded", "\(small)")
        #expect(try await deployment.violations(client) == [])
        await deployment.stop()
        #expect(await (try ChildProcess("umount", [folder.path])).finished() == 0)
    }
}
