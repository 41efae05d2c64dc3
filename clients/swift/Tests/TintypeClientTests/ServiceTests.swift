import Foundation
import Synchronization
import Testing

@testable import TintypeClient

/// One service for all tests of a process. It ends with the process.
actor SharedService {
    static let shared = SharedService()
    private var started: Service?

    func service() throws -> Service {
        let service = try started ?? Service.start()
        started = service
        return service
    }

    func stop() async {
        await started?.stop()
        started = nil
    }
}

/// Stops the shared service after the suite.
struct WithSharedService: SuiteTrait, TestScoping {
    @concurrent func provideScope(for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void) async throws {
        let result: Result<Void, any Error>
        do { result = .success(try await function()) } catch { result = .failure(error) }
        await SharedService.shared.stop()
        try result.get()
    }
}

/// The client against a real service, over each transport: its own types. The acts of all clients are in clients/conformance.
@Suite(.serialized, WithSharedService()) struct ServiceTests {
    private func service() async throws -> Service { try await SharedService.shared.service() }

    @Test(arguments: Way.allCases)
    func anImageHasTheSizeAndTheFormatThatWereAskedForAndItsBytes(_ way: Way) async throws {
        let service = try await service()
        let tintype = try way.client(service)
        let request = ImageRequest(service.picture(), [.resize(120, 120, fit: .cover), .rotate(90)], as: .webp(quality: 70)).with { $0.describe = [.thumbhash] }
        let image = try await tintype.image(for: request)
        #expect((image.width, image.height, image.format, image.from, image.source.width) == (120, 120, .webp, .remote, 240))
        #expect(image.traits.thumbhash != nil)
        let bytes = try await image.bytes()
        #expect(bytes.count == image.first?.size && bytes.dropFirst(8).prefix(4) == Data("WEBP".utf8))
        #expect(image.contentType == "image/webp")
        #expect(image.url?.absoluteString.hasPrefix(service.http()) == true)
        let file = service.folder.appending(path: "saved-\(way).webp")
        try await image.save(to: file)
        #expect(try Data(contentsOf: file) == bytes)
    }

    @Test(arguments: Way.allCases)
    func renditionsAreFoundByName(_ way: Way) async throws {
        let service = try await service()
        let tintype = try way.client(service)
        let request = ImageRequest(service.picture()).rendition("small", .resize(20), as: .png).rendition("blurred", .blur(sigma: 3), as: .jpeg)
        let image = try await tintype.image(for: request)
        #expect(try await image["blurred"]!.bytes().count > 100)
        #expect(image["none"] == nil)
    }

    @Test(arguments: Way.allCases)
    func aTaskIsAwaitedAndItsEventsAreReadInAnyOrder(_ way: Way) async throws {
        let service = try await service()
        let tintype = try way.client(service)
        let url = service.picture("/slow/picture.png?size=900x700&rate=2000000")
        let task = tintype.submit(ImageRequest(url, .resize(100)).with { $0.tag = "mine" }, progress: .pace(interval: 0.02))
        async let fractions = task.progress.reduce(into: [Double]()) { $0.append($1) }
        var events: [ImageEvent] = []
        for await event in task.events { events.append(event) }
        let types = events.map { $0.json["type"]!.stringValue! }
        #expect(types.contains("progress") && types.contains("rendition"), "\(types)")
        #expect(types.last == "succeeded" && types.count { $0 == "succeeded" } == 1)
        #expect(events.last?.facts?.tag == "mine" && events.last?.facts?.receipt == task.receipt)
        #expect(try await task.image.width == 100)
        #expect(task.isFinished)
        #expect(await !fractions.isEmpty)
        // A reader that comes later gets what has happened.
        var last: ImageEvent?
        for await event in task.events { last = event }
        #expect(last?.isTerminal == true)
        #expect(try await task.info().state == .succeeded)
    }

    @Test(arguments: Way.allCases)
    func previewsArriveAsPictures(_ way: Way) async throws {
        let service = try await service()
        let tintype = try way.client(service)
        // A WebP that moves has a preview: its first frame. Here any number may come: the shape of those that come counts.
        let url = service.picture("/slow/picture.png?size=900x700&rate=400000")
        let task = tintype.submit(ImageRequest(url, .resize(100)).with { $0.progressive = .pace(interval: 0.05, width: 64) }, progress: true)
        for await jpeg in task.previews { #expect(jpeg.prefix(2) == Data([0xFF, 0xD8])) }
        #expect(try await task.image.width == 100)
    }

    @Test(arguments: Way.allCases)
    func whatACancelledTaskReadsIsWithdrawn(_ way: Way) async throws {
        let service = try await service()
        let tintype = try way.client(service)
        let patience = ImageRequest.Fetch(timeouts: .init(idle: 100, total: 100))
        let waits: [@Sendable (ImageRequest) async throws -> Void] = [
            { for await _ in tintype.submit($0).events {} }, { for await _ in tintype.submit($0).progress {} },
            { for try await _ in tintype.batch([$0]) {} }, { _ = try await tintype.prefetch([$0]).finished() },
        ]
        for wait in waits {
            let url = service.picture("/hang")
            let waiting = Task { try await wait(ImageRequest(url).with { $0.fetch = patience }) }
            try await service.waitForDownload(url)
            waiting.cancel()
            _ = await waiting.result
            try await eventually("the end of the download") { try await tintype.queue().info().running == 0 }
        }
    }

    @Test(arguments: Way.allCases)
    func aBatchKnowsHowFarItIs(_ way: Way) async throws {
        let service = try await service()
        let batch = try way.client(service).batch([ImageRequest(service.picture()), ImageRequest(service.picture("/status/404"))], mode: .settleAll)
        #expect(try await batch.results.map { (try? $0.get()) != nil } == [true, false])
        #expect(batch.progress == (2, 2))
    }

    @Test(arguments: Way.allCases)
    func aQueueIsConfiguredAndPaused(_ way: Way) async throws {
        let tintype = try way.client(try await service())
        let queue = tintype.queue("q-\(ReceiptID.make())")
        let error = await #expect(throws: TintypeError.self) { try await queue.info() }
        #expect(error?.name == .unknownQueue)
        #expect(try await queue.configure(order: .lifo, maxConcurrentPerHost: 3).order == .lifo)
        #expect(try await queue.pause().paused)
        #expect(try await !queue.resume().paused)
        #expect(try await tintype.methods.queueList().contains { $0.name == queue.name })
        #expect(try await queue.cancelAll().queued == 0)
    }

    @Test(arguments: Way.allCases)
    func theEndsOfAQueueAreWatched(_ way: Way) async throws {
        let service = try await service()
        let tintype = try way.client(service)
        // The watch is on its way: loads are sent until one of them is seen.
        let loads = Task { while !Task.isCancelled { _ = try? await tintype.image(from: service.picture("/picture.png?size=8x8")) } }
        var isSeen = false
        for try await event in tintype.queue().events {
            guard case .succeeded = event else { continue }
            isSeen = true
            break
        }
        loads.cancel()
        #expect(isSeen)
        let watching = Task { for try await _ in tintype.queue("default").events {} }
        watching.cancel()
        _ = await watching.result
    }

    @Test(arguments: Way.allCases)
    func deadLettersAreListedRetriedAndForgotten(_ way: Way) async throws {
        let service = try await service()
        let tintype = try way.client(service)
        let url = service.picture("/status/503")
        let error = await #expect(throws: TintypeError.self) {
            try await tintype.image(for: ImageRequest(url).with { $0.fetch = .init(retry: .init(attempts: 1)) })
        }
        #expect(error?.name == .httpStatus && error?.isRetryable == true)
        var found = 0
        for try await letter in tintype.queue().deadLetters where letter.url.hasPrefix(String(url.split(separator: "?")[0])) {
            found += 1
            #expect((letter.error.name, letter.attempts, letter.isRetryable) == (.httpStatus, 1, true))
            #expect(try await letter.remove())
            #expect(try await !letter.retry())
        }
        #expect(found == 1)
    }

    @Test(arguments: Way.allCases)
    func theCachesAreAskedByKeyAndByRequest(_ way: Way) async throws {
        let service = try await service()
        let tintype = try way.client(service)
        let key = CacheEntry.key("dot-\(ReceiptID.make())")
        #expect(try await tintype.cache.image(key) == nil)
        let gif = Data(base64Encoded: "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")!
        try await tintype.cache.put(gif, as: key, ttl: 60)
        let kept = try #require(await tintype.cache.image(key))
        #expect((kept.format, kept.width) == (.gif, 1))
        #expect(try await kept.bytes() == gif)
        #expect(try await tintype.cache.tiers(of: key).contains(.results))
        #expect(try await tintype.cache.setMetadata(["author": "Ada"], of: key) == 1)
        #expect(try await tintype.cache.pin(key) == 1)
        #expect(try await tintype.cache.unpin(key) == 1)
        #expect(try await tintype.cache.remove(key).removed > 0)
        #expect(try await tintype.cache.tiers(of: key).isEmpty)
        let gone = await #expect(throws: TintypeError.self) { try await kept.bytes() }
        #expect(gone?.name == .cacheMiss)
        let request = ImageRequest(service.picture(), .resize(16))
        _ = try await tintype.image(for: request)
        #expect(try await tintype.cache.image(.request(request))?.width == 16)
        #expect(try await tintype.cache.stats(.results)[.results]!.count > 0)
        #expect(try await tintype.cache.purge(url: request.url).results >= 0)
    }

    @Test(arguments: Way.allCases)
    func anUploadIsASource(_ way: Way) async throws {
        let tintype = try way.client(try await service())
        let picture = try await tintype.image(from: "color:red,20x10", as: .png)
        let upload = try await tintype.upload(try await picture.bytes())
        #expect(upload.contentType == "image/png" && upload.expiresAt > Date())
        let image = try await tintype.image(from: upload, .resize(10))
        #expect((image.width, image.height) == (10, 5))
        #expect(!"\(upload)".contains("upload:"))
    }

    @Test(arguments: Way.allCases)
    func defaultsAreThoseOfEachRequestThatSaysNothingElse(_ way: Way) async throws {
        let service = try await service()
        let strict = try way.client(service) { $0.defaults = ImageRequest(output: .webp(quality: 50), cache: .init(policy: .only)) }
        let error = await #expect(throws: TintypeError.self) { try await strict.image(from: service.picture()) }
        #expect(error?.name == .cacheMiss)
        let image = try await strict.image(for: ImageRequest(service.picture()).with { $0.cache = .init() })
        #expect((image.format, image.result.renditions[0].quality) == (.webp, 50))
    }

    @Test(arguments: Way.allCases)
    func requestsAndTheirEventsNameTheCallersPlaceInATrace(_ way: Way) async throws {
        let service = try await service()
        let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
        let place = Mutex<[String: String]>(["traceparent": "00-\(trace)-00f067aa0ba902b7-01"])
        let tintype = try way.client(service) { $0.trace = { place.withLock { $0 } } }
        let task = tintype.submit(ImageRequest(service.picture(), .resize(12)), progress: true)
        // A task keeps the place in which it was made.
        place.withLock { $0 = [:] }
        let other = tintype.submit(from: service.picture())
        func traces(_ task: ImageTask) async -> Set<String> {
            var found: Set<String> = []
            for await event in task.events { found.insert(String((event.facts?.traceparent ?? "").dropFirst(3).prefix(32))) }
            return found
        }
        #expect(await traces(task).contains(trace))
        #expect(await !traces(other).contains(trace))
    }

    @Test func tcpAloneBringsBytesAndUploadsToo() async throws {
        let service = try await service()
        let tintype = try Tintype(service.tcp())
        let image = try await tintype.image(from: service.picture(), .resize(44))
        #expect(try await image.bytes().count == image.first?.size)
        #expect(image.url == nil)
        // The port of HTTP is the one that the coordinator names.
        let upload = try await tintype.upload(try await image.bytes())
        #expect(try await tintype.image(from: upload).width == 44)
    }

    @Test func hooksComeInTheirOrderOverTCP() async throws {
        let service = try await service()
        let tintype = try Tintype(service.tcp())
        let task = tintype.submit(ImageRequest(service.picture(), .resize(12)).with { $0.hooks = true })
        var hooks: [ImageEvent.Hook] = []
        for await event in task.events { if let hook = event.hook { hooks.append(hook) } }
        // The last one follows the end.
        #expect(hooks == [.willStart, .willStop])
    }

    @Test func aSignedURLShowsItsPicture() async throws {
        let service = try await service()
        let keys = service.folder.appending(path: "keys")
        try "736563726574 68656c6c6f\n".write(to: keys, atomically: true, encoding: .utf8)
        let door = try service.startCoordinator(["--images", "127.0.0.1:0", "--images-keys", keys.path])
        let signer = try Signer(file: keys.path, base: "http://\(door.words["images"]!)")
        let url = try signer.url(for: service.picture(), .resize(60, 40, fit: .cover), as: .webp(quality: 60))
        let tintype = try Way.tcp.client(service)
        let shown = try await tintype.probe(url)
        #expect((shown.source.width, shown.source.height, shown.source.format) == (60, 40, .webp))
    }
}
