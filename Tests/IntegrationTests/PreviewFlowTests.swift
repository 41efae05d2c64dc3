import TintypeCore
import Foundation
import TestSupport
import Testing

/// Previews for a client, through a coordinator and a worker of their own.
@Suite(.timeLimit(.minutes(2)), .serialized, .scoped) struct PreviewFlowTests {
    /// Makes a deployment whose origin has a progressive JPEG, made by the service itself, and a rate at which it takes ten seconds.
    private func deployment() async throws -> (Deployment, RPCClient, root: TemporaryFolder, rate: Int) {
        let root = try TemporaryFolder("origin")
        let deployment = try await Deployment(workerArguments: ["--pixels", "2"], root: root.path)
        let client = try deployment.client()
        let made = try await client.call(
            "image.load",
            #"{"url":"\#(deployment.url("/picture.png?size=800x600"))","output":{"format":"jpeg","quality":95,"progressive":true},"deliver":"inline"}"#)
        let rendition = made.renditions.first
        let file = try #require((rendition?["data"]?.string).flatMap { Data(base64Encoded: $0) })
        try file.write(to: URL(fileURLWithPath: root.path + "/shown.jpg"))
        try await Gate.until("both pixel processes are warm: one that is not has no room for previews") {
            try await deployment.workers[0].value(of: #"tintype_pixel_processes{state="idle"}"#) == 2
        }
        return (deployment, client, root, file.count / 10)
    }

    private func previews(_ messages: [RPCClient.Message]) -> [JSON] {
        messages.compactMap(\.params).filter { $0["type"]?.string == "preview" }
    }

    @Test func `a load with previews gets only previews before its answer`() async throws {
        let (deployment, client, root, rate) = try await deployment()
        let answer = try await client.call(
            "image.load",
            #"{"url":"\#(deployment.url("/slow/shown.jpg?rate=\(rate)"))","renditions":[{"name":"thumb","transform":[{"op":"resize","width":40}]}],"#
                + #""progressive":{"interval":0.1,"width":100}}"#)
        #expect(answer.state == "succeeded", "\(answer)")
        // The events before the answer have arrived by now.
        let told = await client.notifications { _ in true }
        let shown = previews(told)
        #expect(shown.count >= 3 && shown.count == told.count, "\(told.compactMap { $0.params?["type"] })")
        #expect(shown.compactMap { $0["seq"]?.int } == Array(1..<shown.count + 1))
        let fractions = shown.compactMap { $0["fraction"]?.double }
        #expect(fractions.count == shown.count && fractions == fractions.sorted())
        for event in shown {
            let data = try #require((event["data"]?.string).flatMap { Data(base64Encoded: $0) })
            let picture = try #require(PictureBytes(data))
            #expect(picture.format == "jpeg" && picture.width == 100 && event["width"]?.int == 100)
            #expect(event["height"]?.int == picture.height && event["rendition"]?.string == "thumb" && event["key"] == nil)
        }
        _ = root
    }

    @Test func `previews come during the download, and only for receipts that asked for them`() async throws {
        let (deployment, client, root, rate) = try await deployment()
        let other = try deployment.client()
        let url = deployment.url("/slow/shown.jpg?rate=\(rate)")
        for (client, more) in [(other, ""), (client, #","progressive":{"mode":"blur","interval":0.1}"#)] {
            let answer = try await client.call(
                "image.submit", #"{"url":"\#(url)","transform":[{"op":"resize","width":40}],"progress":true\#(more)}"#)
            #expect(answer.error == nil, "\(answer)")
        }
        let told = await client.notifications { $0.contains { $0.type == "succeeded" } }
        let silent = await other.notifications { $0.contains { $0.type == "succeeded" } }
        #expect(previews(told).count >= 2 && previews(silent).isEmpty)
        let types = told.map { "\($0.type ?? "")/\($0["phase"]?.string ?? "")" }
        let last = try #require(types.lastIndex { $0.hasPrefix("preview") })
        // A preview's picture is fetched before its event is sent, so an event soon after it may arrive first. The terminal event never does.
        #expect(types.contains("progress/decode") && last < types.count - 1 && types.last?.hasPrefix("succeeded") == true, "\(types)")
        #expect(try await deployment.violations(client) == [])
        _ = root
    }
}
