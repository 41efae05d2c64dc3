import Foundation
import Synchronization
import Testing

@testable import TintypeClient

/// One service for all tests of a process. It ends with the process.
actor SharedService {
    static let shared = SharedService()
    private var starting: Task<Service, any Error>?

    func service() async throws -> Service {
        if let starting { return try await starting.value }
        let task = Task { try await Service.start() }
        starting = task
        return try await task.value
    }

    func stop() async {
        try? await starting?.value.stop()
        starting = nil
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

/// The client against a real service, over each transport.
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
    func aSecondLoadComesFromMemory(_ way: Way) async throws {
        let service = try await service()
        let tintype = try way.client(service)
        let url = service.picture()
        _ = try await tintype.image(from: url, .resize(50))
        let again = try await tintype.image(from: URL(string: url)!, .resize(50))
        #expect(again.from == .memory)
        #expect(try await service.asked(url) == 1)
    }

    @Test(arguments: Way.allCases)
    func severalRenditionsNeedOneDownload(_ way: Way) async throws {
        let service = try await service()
        let tintype = try way.client(service)
        let url = service.picture()
        let image = try await tintype.image(for: ImageRequest(url).rendition("small", .resize(20), as: .png).rendition("blurred", .blur(sigma: 3), as: .jpeg))
        #expect(image.renditions.map { [$0.name, $0.format?.rawValue, "\($0.width)"] } == [["small", "png", "20"], ["blurred", "jpeg", "240"]])
        #expect(try await service.asked(url) == 1)
        #expect(try await image["blurred"]!.bytes().count > 100)
        #expect(image["none"] == nil)
    }

    @Test(arguments: Way.allCases)
    func bytesMayComeWithTheResult(_ way: Way) async throws {
        let service = try await service()
        let tintype = try way.client(service)
        let image = try await tintype.image(for: ImageRequest(service.picture(), .resize(30)).with { $0.deliver = .inline })
        #expect(image.result.renditions[0].data?.count == image.first?.size)
        #expect(try await image.bytes().count == image.first?.size)
        let submitted = try await tintype.submit(ImageRequest(service.picture(), .resize(30)).with { $0.deliver = .inline }).image
        #expect(submitted.result.renditions[0].data != nil)
    }

    @Test(arguments: Way.allCases)
    func mirrorsAreAskedOneAfterTheOther(_ way: Way) async throws {
        let service = try await service()
        let tintype = try way.client(service)
        #expect(try await tintype.image(from: [service.picture("/status/404"), service.picture()], .resize(30)).width == 30)
    }

    @Test(arguments: Way.allCases)
    func aDocumentComesAsAValue(_ way: Way) async throws {
        let service = try await service()
        let tintype = try way.client(service)
        let image = try await tintype.image(for: ImageRequest(service.picture("/json?text=%7B%22a%22%3A1%7D")).with { $0.kind = .json })
        #expect(image.document == ["a": 1])
        let task = tintype.submit(ImageRequest(service.picture("/json?text=%7B%22a%22%3A2%7D")).with { $0.kind = .json })
        #expect(try await task.image.document == ["a": 2])
    }

    @Test(arguments: Way.allCases)
    func aProbeDescribesASource(_ way: Way) async throws {
        let service = try await service()
        let source = try await way.client(service).probe(service.picture()).source
        #expect((source.width, source.height, source.format) == (240, 180, .png))
    }

    @Test(arguments: Way.allCases)
    func aRefusalIsAnErrorWithTheMembersOfTheProtocol(_ way: Way) async throws {
        let service = try await service()
        let tintype = try way.client(service)
        let missing = await #expect(throws: TintypeError.self) { try await tintype.image(from: service.picture("/status/404")) }
        #expect((missing?.name, missing?.code, missing?.phase, missing?.isRetryable, missing?.status) == (.httpStatus, 1010, .download, false, 404))
        let wrong = await #expect(throws: TintypeError.self) { try await tintype.image(from: service.picture(), .resize(-1)) }
        #expect((wrong?.name, wrong?.data["path"]) == (.invalidParams, "transform[0].width"))
        let fallen = try await tintype.image(for: ImageRequest(service.picture("/status/404")).with { $0.fallback = .color("red", width: 4, height: 4) })
        #expect((fallen.from, fallen.failure?.name) == (.fallback, .httpStatus))
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
    func aFailedTaskThrowsWhereItIsAwaitedAndItsEventsEndWithTheReason(_ way: Way) async throws {
        let service = try await service()
        let task = try way.client(service).submit(from: service.picture("/status/404"))
        var last: ImageEvent?
        for await event in task.events { last = event }
        guard case .failed(let failed) = last else { return #expect(Bool(false), "\(String(describing: last))") }
        #expect(failed.error.name == .httpStatus)
        let error = await #expect(throws: TintypeError.self) { try await task.image }
        #expect(error?.name == .httpStatus && error?.receipt == task.receipt)
    }

    @Test(arguments: Way.allCases)
    func whatACancelledTaskWaitsForIsWithdrawn(_ way: Way) async throws {
        let service = try await service()
        let tintype = try way.client(service)
        let patience = ImageRequest.Fetch(timeouts: .init(idle: 100, total: 100))
        let waits: [@Sendable (ImageRequest) async throws -> Void] = [
            { _ = try await tintype.image(for: $0) },
            { _ = try await tintype.submit($0).image },
            { for await _ in tintype.submit($0).events {} },
            { _ = try await tintype.batch([$0]).images },
            { _ = try await tintype.prefetch([$0]).finished() },
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
    func aTaskIsCancelledPausedAndPutInFront(_ way: Way) async throws {
        let service = try await service()
        let tintype = try way.client(service)
        let url = service.picture("/hang")
        let task = tintype.submit(from: url)
        try await service.waitForDownload(url)
        try await task.pause()
        #expect(try await task.info().state == .paused)
        try await task.resume()
        try await task.setPriority(.high)
        task.priority = .low
        #expect(task.priority == .low)
        #expect(try await task.cancel())
        let error = await #expect(throws: TintypeError.self) { try await task.image }
        #expect((error?.name, error?.code) == (.cancelled, 1040))
        var last: ImageEvent?
        for await event in task.events { last = event }
        guard case .cancelled = last else { return #expect(Bool(false), "\(String(describing: last))") }
        #expect(try await !task.cancel())
    }

    @Test(arguments: Way.allCases)
    func aDetachedTaskIsFoundByAnyClient(_ way: Way) async throws {
        let service = try await service()
        let gate = ReceiptID.make()
        let url = service.picture("/picture.png?size=30x20&gate=\(gate)")
        let receipt: String
        do {
            let tintype = try way.client(service)
            let task = tintype.submit(ImageRequest(url, .resize(10)).with { $0.detached = true })
            receipt = task.receipt
            try await service.waitForDownload(url)
            tintype.close()
        }
        let task = try way.client(service).task(receipt)
        async let image = task.image
        try await service.open(gate)
        #expect(try await image.width == 10)
        #expect(try await service.asked(url) == 1)
        let unknown = await #expect(throws: TintypeError.self) { try await way.client(service).task("unknown", timeout: .seconds(5)).image }
        #expect(unknown?.name == .unknownReceipt)
    }

    @Test(arguments: Way.allCases)
    func aNewerRequestWithTheSameSlotSupersedes(_ way: Way) async throws {
        let service = try await service()
        let tintype = try way.client(service)
        let slot = ReceiptID.make()
        let url = service.picture("/hang")
        let first = Task { try await tintype.image(for: ImageRequest(url).with { $0.slot = slot }) }
        try await service.waitForDownload(url)
        #expect(try await tintype.image(for: ImageRequest(service.picture(), .resize(10)).with { $0.slot = slot }).width == 10)
        let error = await #expect(throws: TintypeError.self) { try await first.value }
        #expect(error?.name == .superseded)
    }

    @Test(arguments: Way.allCases)
    func aDeadlineEndsALoad(_ way: Way) async throws {
        let service = try await service()
        let tintype = try way.client(service)
        let error = await #expect(throws: TintypeError.self) { try await tintype.image(for: ImageRequest(service.picture("/hang"), deadline: 0.2)) }
        #expect(error?.name == .deadlineExceeded && error?.isRetryable == true)
    }

    @Test(arguments: Way.allCases)
    func aBatchHasAllResultsInOrderAndOneFailureEndsIt(_ way: Way) async throws {
        let service = try await service()
        let tintype = try way.client(service)
        let images = try await tintype.batch((0..<30).map { ImageRequest(service.picture(), .resize(10 + $0)) }).images
        #expect(images.map(\.width) == Array(10..<40))
        let error = await #expect(throws: TintypeError.self) {
            try await tintype.batch([ImageRequest(service.picture()), ImageRequest(service.picture("/status/404"))]).images
        }
        #expect(error?.name == .httpStatus && error?.index == 1)
        #expect(try await tintype.batch([]).images.isEmpty)
    }

    @Test(arguments: Way.allCases)
    func eachItemOfABatchSettlesOnItsOwnAndIsThereAsSoonAsItHasEnded(_ way: Way) async throws {
        let service = try await service()
        let tintype = try way.client(service)
        let gate = ReceiptID.make()
        let urls = [service.picture("/picture.png?size=20x20&gate=\(gate)"), service.picture("/picture.png?size=20x20"), service.picture("/status/404")]
        let batch = tintype.batch(urls.map { ImageRequest($0) }, mode: .settleAll)
        var seen: [String] = []
        for try await item in batch {
            seen.append("\(item.index)")
            if case .failure(let error) = item.result { #expect(item.index == 2 && error.name == .httpStatus) }
            if seen.count == 2 { try await service.open(gate) }
        }
        #expect(seen.prefix(2).sorted() == ["1", "2"] && seen.last == "0" && seen.count == 3)
        let results = try await batch.results
        #expect(results.map { (try? $0.get()) != nil } == [true, true, false])
        #expect(batch.progress == (3, 3))
    }

    @Test(arguments: Way.allCases)
    func aBatchIsReadThroughASmallWindowThoughItsFirstItemIsTheLast(_ way: Way) async throws {
        let service = try await service()
        let tintype = try way.client(service)
        let gate = ReceiptID.make()
        var requests = (0..<60).map { _ in ImageRequest(service.picture("/picture.png?size=20x20"), .resize(8)) }
        requests[0] = ImageRequest(service.picture("/picture.png?size=20x20&gate=\(gate)"), .resize(8))
        var order: [Int] = []
        for try await item in tintype.batch(requests, mode: .settleAll, concurrency: 4) {
            order.append(item.index)
            if order.count == 59 { try await service.open(gate) }
        }
        #expect(order.sorted() == Array(0..<60) && order.last == 0)
    }

    @Test(arguments: Way.allCases)
    func aBatchIsCancelled(_ way: Way) async throws {
        let service = try await service()
        let batch = try way.client(service).batch([ImageRequest(service.picture("/hang"))])
        #expect(try await batch.cancel())
        let error = await #expect(throws: TintypeError.self) { try await batch.images }
        #expect(error?.name == .cancelled)
    }

    @Test(arguments: Way.allCases)
    func aPrefetchFillsTheCachesAndSkipsWhatFails(_ way: Way) async throws {
        let service = try await service()
        let tintype = try way.client(service)
        let urls = [service.picture(), service.picture("/status/404"), service.picture()]
        let end = try await tintype.prefetch(urls, .resize(40), concurrency: 2).finished()
        #expect((end.finished, end.skipped, end.errors.mapValues(\.name)) == (3, 1, [1: .httpStatus]))
        #expect(try await tintype.image(from: urls[0], .resize(40)).from != .remote)
        #expect(try await service.asked(urls[0]) == 1)
    }

    @Test(arguments: Way.allCases)
    func aChainGoesOnWithWhatAStepHasFound(_ way: Way) async throws {
        let service = try await service()
        let tintype = try way.client(service)
        let url = service.picture()
        let images = try await tintype.chain([ImageRequest(url, .resize(30)), ImageRequest("${steps[0].source.finalURL}", .resize(20))]).images
        #expect(images.map(\.width) == [30, 20] && images.map(\.source.url) == [url, url])
        let error = await #expect(throws: TintypeError.self) {
            try await tintype.chain([ImageRequest(service.picture("/status/404")), ImageRequest(url)]).images
        }
        #expect(error?.name == .httpStatus && error?.index == 0)
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
    func threeThousandLoadsAtOnceAreAllAnswered(_ way: Way) async throws {
        let service = try await service()
        let tintype = try way.client(service)
        let url = service.picture("/picture.png?size=16x16")
        _ = try await tintype.image(from: url)
        try await withThrowingTaskGroup { group in
            for _ in 0..<3000 { group.addTask { try await tintype.image(from: url) } }
            for try await image in group { #expect(image.from != .remote && image.width == 16) }
        }
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

    @Test func twoTasksOfOneReceiptBothEnd() async throws {
        let service = try await service()
        let tintype = try Way.tcp.client(service)
        let gate = ReceiptID.make()
        let url = service.picture("/picture.png?size=30x20&gate=\(gate)")
        let request = ImageRequest(url, .resize(10)).with { $0.receipt = "pair-\(gate)" }
        let first = tintype.submit(request)
        try await service.waitForDownload(url)
        let (second, third) = (tintype.task(first.receipt), tintype.submit(request))
        try await service.open(gate)
        for task in [first, second, third] { #expect(try await task.image.width == 10) }
        #expect(try await service.asked(url) == 1)
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
