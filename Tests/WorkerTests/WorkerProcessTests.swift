import Foundation
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

/// The worker's own process between a real Redis and a real origin, asked only through the queue's scripts.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct WorkerProcessTests {
    /// A queue client and the means to wait for a receipt's terminal event.
    @Loop private final class Client {
        let queue: Queue
        private let redis: RedisClient
        private let subscriber: RedisSubscriber
        private var endings: [String: OneShot<JSON>] = [:]
        private var subscribed = OneShot<Void>()

        init(_ server: RedisServer) async throws {
            let logger = Logger(label: "test", level: .error)
            redis = RedisClient(try RedisEndpoint(server.url), name: "test", logger: logger, scripts: QueueScripts.shipped.all)
            subscriber = RedisSubscriber(try RedisEndpoint(server.url), name: "listen", logger: logger)
            redis.start()
            subscriber.start()
            queue = Queue(name: "default", redis: RedisNodes(redis))
            let confirmed = subscribed
            subscriber.subscribe(queue.keys.publicEvents, confirmed: { confirmed.complete(.success(())) }) { [weak self] _, payload in
                guard let event = try? JSON(parsing: payload), let id = event["receipt"]?.string else { return }
                self?.ending(id).complete(.success(event))
            }
            TestScope.atEnd { [self] in await stop() }
            try await redis.untilConnected(within: .seconds(10))
            try await confirmed.wait()
        }

        private func ending(_ id: String) -> OneShot<JSON> {
            if let known = endings[id] { return known }
            let made = OneShot<JSON>()
            endings[id] = made
            return made
        }

        func load(_ id: String, _ request: JSON) async throws -> JSON {
            let wish = try ImageRequest(request)
            var submission = Submission(
                receipt: id, coordinator: "c1", fingerprint: wish.fingerprint, source: wish.source.digest, host: wish.source.host,
                fetch: wish.source.canonical.text,
                renditions: wish.renditions.map {
                    Submission.Rendition(name: $0.name, digest: $0.digest(source: wish.source.digest), json: $0.canonical.text)
                })
            submission.deadlineSeconds = wish.deadline
            _ = try await queue.submit(submission)
            return try await ending(id).wait()
        }

        private func stop() {
            redis.stop()
            subscriber.stop()
        }
    }

    @Test func `wrong files and folders of settings are refused at the start`() async throws {
        let folder = try TemporaryFolder()
        try "ours: aes-256-gcm 00".write(toFile: folder.path + "/keys", atomically: true, encoding: .utf8)
        for (flag, path, told) in [
            ("--decryption-keys", folder.path + "/keys", "keys:1: expected a key of 64"), ("--decryption-keys", folder.path + "/none", "none"),
            ("--tls-authorities", folder.path + "/none", "none"), ("--file-root", folder.path + "/keys", "--file-root"),
        ] {
            let worker = try ChildProcess(ServiceProcess.path("tintype-worker"), ["--redis", "unix:///nowhere", "--http", "127.0.0.1:0", flag, path])
            #expect(await worker.finished() == 2)
            #expect(worker.errors.contains(told), "\(worker.errors)")
        }
    }

    @Test @Loop func `a picture is loaded, a text is refused, and a data URL needs no network`() async throws {
        let redis = try await RedisServer()
        let results = try TemporaryFolder("results")
        let worker = try await ServiceProcess.worker(redis: redis.url, ["--results", "file://\(results.path)"])
        let origin = try await ServiceProcess.origin()
        let client = try await Client(redis)
        let picture = try await client.load(
            "r1", ["url": .string(origin.base + "/picture.png"), "transform": [["op": "resize", "width": 300]], "output": ["format": "jpeg"]])
        #expect(picture["type"] == "succeeded", "\(picture.text)")
        let rendition = picture["result"]?["renditions"]?[0]
        #expect(rendition?["width"] == 300 && rendition?["height"] == 225 && rendition?["format"] == "jpeg", "\(picture.text)")
        #expect(picture["result"]?["source"]?["width"] == 1200)
        let text = try await client.load("r2", ["url": .string(origin.base + "/text")])
        #expect(text["error"]?["data"]?["name"] == "unsupportedFormat" || text["error"]?["data"]?["name"] == "badImageData", "\(text.text)")
        let missing = try await client.load("r3", ["url": .string(origin.base + "/status/404")])
        #expect(missing["error"]?["code"] == 1010, "\(missing.text)")
        let data = try await client.load("r4", ["url": "data:,hello", "as": "bytes"])
        #expect(data["result"]?["renditions"]?[0]?["bytes"] == 5, "\(data.text)")
        #expect(await worker.stop() == 0)
    }
}
