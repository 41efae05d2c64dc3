import Foundation
import TintypeContracts
import TintypeCore
import TintypeImages
import TestSupport
import Testing

/// The examples of docs/protocol.md, sent to whole processes.
@Suite(.timeLimit(.minutes(2)), .scoped) struct MethodExampleTests {
    /// The methods in an order in which each finds what it needs. A worker reports its running fetches with its heartbeats, so its example comes before them.
    private static let order = [
        "session.authenticate", "system.ping", "system.info", "rpc.discover", "formats.list", "activity.get", "activity.begin", "activity.end",
        "workers.list", "stats.series", "runs.list", "hosts.list", "pictures.list", "failures.list", "failures.retry", "events.subscribe", "events.unsubscribe",
        "pictures.url", "request.explain", "image.load", "image.probe", "image.submit", "receipt.get",
        "prefetch.start", "batch.start", "group.get", "blacklist.list", "blacklist.remove", "blacklist.clear", "dead.list", "dead.retry", "dead.remove",
        "queue.configure", "queue.pause", "chain.start", "chain.append", "group.cancel",
        "receipt.setPriority", "receipt.pause", "receipt.resume", "receipt.cancel", "queue.cancelAll", "queue.resume", "queue.get", "queue.list",
        "cache.put", "pictures.get", "cache.contains", "cache.get", "cache.setMetadata", "cache.pin", "cache.unpin", "cache.remove", "cache.purge",
        "cache.trim", "cache.stats",
        "cache.clear",
        "system.validate", "workers.quiet", "$/cancelRequest",
    ]

    @Test func `each method is in the order of this suite`() { #expect(Set(Self.order) == Set(MethodCatalog.methods.map(\.name))) }

    @Test func `each method answers as its example says`() async throws {
        let folder = try TemporaryFolder("examples")
        let tokens = folder.path + "/tokens"
        try Data("sesame-for-the-example role=admin\n".utf8).write(to: URL(fileURLWithPath: tokens))
        // The pair that the documents of imgproxy sign with.
        let keys = folder.path + "/keys"
        try Data("736563726574 68656c6c6f\n".utf8).write(to: URL(fileURLWithPath: keys))
        let deployment = try await Deployment(coordinatorArguments: ["--token-file", tokens, "--images", "127.0.0.1:0", "--images-keys", keys])
        let client = try deployment.client()
        var names = ExampleNames(urls: [
            "https://example.org/photo.png": deployment.url("/picture.png"),
            "https://example.org/beach.png": deployment.url("/picture.png?size=640x480"),
            "https://example.org/gone.png": deployment.url("/status/404"),
            "https://example.org/broken.png": deployment.url("/status/503"),
            "https://example.org/lost.png": deployment.url("/status/502"),
        ])
        for name in Self.order {
            let example = try #require(MethodCatalog.method(name)).example
            try await prepare(name, client, &names)
            let params = names.real(example.params).text
            guard let result = example.result else {
                try await notify(name, params, deployment)
                continue
            }
            let answer = try await client.call(name, params)
            let real = try #require(answer.result, "\(name) \(params): \(answer)")
            let differences = names.differences(real, from: result, isShortened: example.isShortened)
            #expect(differences == [], "\(name) \(params): \(real.text)")
        }
    }

    /// Makes what the example of a method needs, and no example before has made.
    private func prepare(_ method: String, _ client: RPCClient, _ names: inout ExampleNames) async throws {
        switch method {
        case "workers.list":
            try await Gate.until("the worker has reported") { try await client.call("workers.list").result?.array?.isEmpty == false }
        case "dead.list":
            let broken = names.urls["https://example.org/broken.png"] ?? ""
            try await client.call("image.load", #"{"url":"\#(broken)","fetch":{"retry":{"attempts":1}}}"#)
        case "dead.remove":
            let another = names.urls["https://example.org/lost.png"] ?? ""
            try await client.call("image.load", #"{"url":"\#(another)","fetch":{"retry":{"attempts":1}}}"#)
            let letters = try #require(await client.call("dead.list", #"{"queue":"default"}"#)["items"]?.array)
            names.bind("d-2", to: try #require(letters.first { $0["url"]?.string == another }?["id"]?.string, "\(letters)"))
        case "cache.put":
            // The numbers of entries are those after the end of the first group.
            try await client.call("group.get", #"{"group":"\#(names.ids["g-1"] ?? "")","wait":30}"#)
        case "receipt.setPriority":
            let photo = names.urls["https://example.org/photo.png"] ?? ""
            try await client.call("image.submit", #"{"url":"\#(photo)","receipt":"trip-2","queue":"thumbs"}"#)
        default: break
        }
    }

    /// Cancels a request by the notification of the example.
    private func notify(_ method: String, _ params: String, _ deployment: Deployment) async throws {
        #expect(method == "$/cancelRequest" && params == #"{"id":7}"#)
        let client = try deployment.client()
        try await client.call("session.authenticate", #"{"token":"sesame-for-the-example"}"#)
        let load = #"{"url":"\#(deployment.url("/hang"))","progress":true}"#
        client.send(#"{"jsonrpc":"2.0","id":7,"method":"image.load","params":\#(load)}"# + "\n")
        _ = await client.notifications { $0.contains { $0.type == "queued" } }
        client.send(#"{"jsonrpc":"2.0","method":"\#(method)","params":\#(params)}"# + "\n")
        let events = await client.notifications { $0.contains { $0.type == "cancelled" } }
        #expect(events.last?["requestId"]?.int == 7, "\(events)")
    }

    /// An answer and an example, both without the rest, and a word of the difference; nil: there is none.
    @Test(
        arguments: [
            (#"{"a":1}"#, #"{"a":1}"#, false, nil), (#"{"a":1}"#, #"{"a":2}"#, false, "result.a is 1"), (#"{"a":1}"#, #"{"a":"1"}"#, false, "result.a is 1"),
            (#"{"a":1,"b":2}"#, #"{"a":1}"#, false, "result.b is not in the example"), (#"{"a":1,"b":2}"#, #"{"a":1}"#, true, nil),
            (#"{}"#, #"{"a":1}"#, true, "result.a is only in the example"), (#"[1,2]"#, #"[1]"#, true, nil), (#"[1,2]"#, #"[1]"#, false, "2 elements"),
            (#"[1]"#, #"[1,2]"#, true, "1 elements"), (#"{"at":5}"#, #"{"at":6.5}"#, false, nil), (#"{"at":"5"}"#, #"{"at":6}"#, false, "result.at is"),
            (#"{"id":"x17","by":"x17"}"#, #"{"id":"g-1","by":"g-1"}"#, false, nil),
            (#"{"id":"x17","by":"x18"}"#, #"{"id":"g-1","by":"g-1"}"#, false, "result.by is"),
            (#"{"url":"http://h/p"}"#, #"{"url":"https://example.org/p"}"#, false, nil),
        ] as [(String, String, Bool, String?)])
    func `a wrong example is found`(answer: String, example: String, isShortened: Bool, difference: String?) throws {
        var names = ExampleNames(urls: ["https://example.org/p": "http://h/p"])
        let found = names.differences(try JSON(parsing: answer), from: try JSON(parsing: example), isShortened: isShortened)
        #expect(found.count == (difference == nil ? 0 : 1))
        if let difference { #expect(found.first?.contains(difference) == true, "\(found)") }
    }
}
