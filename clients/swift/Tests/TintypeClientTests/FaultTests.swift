import Foundation
import Synchronization
import Testing

@testable import TintypeClient

/// The faults of docs/faults.md as a client sees them, with real processes that are killed and stopped. Those that wait long run with TINTYPE_SLOW=1.
@Suite(.serialized) struct FaultTests {
    /// For sources that wait at a gate: a slow machine must not end their downloads.
    static func patient(_ url: String, _ transform: ImageTransform) -> ImageRequest {
        ImageRequest(url, transform).with {
            $0.deadline = 300
            $0.fetch = .init(timeouts: .init(idle: 120, total: 120))
        }
    }

    /// The rules of the queue hold, once what passes has passed.
    static func check(_ tintype: Tintype) async throws {
        try await eventually("a queue without a broken rule") { try await tintype.methods.systemValidate().ok }
    }

    /// The types of all events.
    static func types(_ task: ImageTask) async -> [String] {
        var types: [String] = []
        for await event in task.events { types.append(event.json["type"]?.stringValue ?? "") }
        return types
    }

    // MARK: - Coordinators

    @Test(arguments: Way.allCases)
    func aCoordinatorIsKilledInTheMiddleOfDownloads(_ way: Way) async throws {
        try await Service.run(coordinators: 2) { service in
            let tintype = try way.client(service)
            let gate = ReceiptID.make()
            let urls = (0..<5).map { _ in service.picture("/picture.png?size=30x20&gate=\(gate)") }
            let tasks = urls.map { tintype.submit(Self.patient($0, .resize(10)), progress: true) }
            let events = tasks.map { task in Task { await Self.types(task) } }
            for url in urls { try await service.waitForDownload(url) }
            let killed = service.used(tintype)
            await killed.end()
            // Another one has the tasks before their origins answer.
            try await eventually("another coordinator") { service.used(tintype) !== killed }
            try await service.open(gate, urls.count)
            for task in tasks { #expect(try await task.image.width == 10) }
            for url in urls { #expect(try await service.asked(url) == 1) }
            for types in events {
                let all = await types.value
                #expect(all.count { ["succeeded", "failed", "cancelled"].contains($0) } == 1, "one terminal event: \(all)")
            }
            try await Self.check(tintype)
        }
    }

    @Test(arguments: Way.allCases)
    func loadsThatLoseTheirCoordinatorAreAnsweredByAnotherOneByTheSameDownload(_ way: Way) async throws {
        guard Run.isSlow("loads that lose their coordinator over \(way)") else { return }
        try await Service.run(coordinators: 2) { service in
            let tintype = try way.client(service)
            let gate = ReceiptID.make()
            let url = service.picture("/picture.png?size=30x20&gate=\(gate)")
            let loads = (0..<20).map { number in
                Task { try await tintype.image(for: Self.patient(url, .resize(10 + number % 2)).with { $0.receipt = "load-\(number)" }).width }
            }
            try await service.waitForDownload(url)
            let killed = service.used(tintype)
            await killed.end()
            try await eventually("another coordinator") { service.used(tintype) !== killed }
            try await service.open(gate)
            var widths: Set<Int> = []
            for load in loads { widths.insert(try await load.value) }
            #expect(widths == [10, 11])
            #expect(try await service.asked(url) == 1)
        }
    }

    @Test(arguments: Way.allCases)
    func theOnlyCoordinatorIsKilledAndComesBackAndWhatWaitsGoesOn(_ way: Way) async throws {
        try await Service.run { service in
            let tintype = try way.client(service)
            _ = try await tintype.ping()
            let gate = ReceiptID.make()
            let url = service.picture("/picture.png?size=30x20&gate=\(gate)")
            let task = tintype.submit(Self.patient(url, .resize(10)))
            try await service.waitForDownload(url)
            let old = service.coordinators[0]
            await old.end()
            // It is called while there is none.
            let load = Task { try await tintype.image(for: Self.patient(service.picture(), .resize(12))).width }
            try service.startCoordinator(inPlaceOf: old)
            #expect(try await load.value == 12)
            try await service.open(gate)
            #expect(try await task.image.width == 10)
            #expect(try await service.asked(url) == 1)
        }
    }

    @Test(arguments: Way.allCases)
    func aCoordinatorThatStandsStillIsLeftForAnotherOne(_ way: Way) async throws {
        guard Run.isSlow("a coordinator that stands still over \(way)") else { return }
        try await Service.run(coordinators: 2) { service in
            let tintype = try way.client(service) { $0.silence = .milliseconds(500) }
            let url = service.picture("/picture.png?size=30x20&delay=1")
            _ = try await tintype.ping()
            let frozen = service.used(tintype)
            let task = tintype.submit(Self.patient(url, .resize(10)))
            try await service.waitForDownload(url)
            frozen.send(SIGSTOP)
            #expect(try await tintype.image(for: Self.patient(service.picture(), .resize(12))).width == 12)
            #expect(try await task.image.width == 10)
            #expect(try await service.asked(url) == 1)
            #expect(service.used(tintype) !== frozen)
        }
    }

    @Test(arguments: Way.allCases)
    func aCoordinatorThatStopsIsLeftAndNoRequestIsLost(_ way: Way) async throws {
        guard Run.isSlow("a coordinator that stops over \(way)") else { return }
        try await Service.run(coordinators: 2) { service in
            let tintype = try way.client(service)
            _ = try await tintype.ping()
            let stopping = service.used(tintype)
            let count = Shared(0)
            let isOver = Shared(false)
            let loads = (0..<8).map { _ in
                Task {
                    while !isOver.value {
                        let image = try await tintype.image(for: Self.patient(service.picture("/picture.png?size=9x9"), .resize(4)))
                        #expect(image.width == 4)
                        count.change { $0 += 1 }
                    }
                }
            }
            try await eventually("some loads") { count.value > 20 }
            let stopped = Task { await stopping.end(SIGTERM) }
            try await eventually("another coordinator") { service.used(tintype) !== stopping }
            let before = count.value
            try await eventually("more loads") { count.value > before + 20 }
            isOver.value = true
            for load in loads { try await load.value }
            await stopped.value
        }
    }

    @Test(arguments: Way.allCases)
    func aConnectionThatIsCutWithoutACoordinatorEndsInAnErrorInTime(_ way: Way) async throws {
        try await Service.run(workers: 0) { service in
            let tintype = try way.client(service)
            _ = try await tintype.ping()
            await service.coordinators[0].end()
            for method in ["system.ping", "chain.append"] {
                let error = await #expect(throws: TintypeError.self) { try await tintype.call(method, ["group": "g", "steps": []], timeout: .seconds(1)) }
                #expect(error?.name == .connect && error?.isRetryable == true, "\(method): \(String(describing: error))")
            }
        }
    }

    @Test(arguments: Way.allCases)
    func aBatchGoesOnWhenItsCoordinatorIsKilledAndLoadsNothingTwice(_ way: Way) async throws {
        guard Run.isSlow("a batch whose coordinator is killed over \(way)") else { return }
        try await Service.run(coordinators: 2) { service in
            let tintype = try way.client(service)
            let urls = (0..<12).map { _ in service.picture("/picture.png?size=20x20&delay=0.3") }
            var seen: [Int] = []
            for try await item in tintype.batch(urls.map { Self.patient($0, .resize(8)) }, concurrency: 3) {
                #expect(try item.image.width == 8)
                seen.append(item.index)
                if seen.count == 3 { await service.used(tintype).end() }
            }
            #expect(seen.sorted() == Array(0..<12))
            for url in urls { #expect(try await service.asked(url) == 1) }
            try await Self.check(tintype)
        }
    }

    @Test func everyRequestEndsOnceWhileCoordinatorsAreKilledInTurn() async throws {
        guard Run.isSlow("coordinators that are killed in turn") else { return }
        try await Service.run(coordinators: 2) { service in
            let tintype = try Way.tcp.client(service)
            let done = Shared(0)
            let work = (0..<300).map { number in
                Task {
                    let request = Self.patient(service.picture("/picture.png?size=40x30&delay=0.05"), .resize(10)).with { $0.receipt = "turn-\(number)" }
                    let image = number % 2 == 0 ? try await tintype.image(for: request) : try await tintype.submit(request).image
                    done.change { $0 += 1 }
                    return image.width
                }
            }
            for turn in 0..<4 {
                try await eventually("some requests") { done.value >= 50 * (turn + 1) }
                let old = service.coordinators[turn % 2]
                await old.end()
                try service.startCoordinator(inPlaceOf: old)
            }
            for one in work { #expect(try await one.value == 10) }
            try await Self.check(tintype)
        }
    }

    // MARK: - Networks

    @Test(arguments: Way.allCases)
    func theNetworkIsCutInTheMiddleOfADownloadAndEachEventComesOnce(_ way: Way) async throws {
        try await Service.run { service in
            let relay = Relay(service.coordinators[0].words[way == .tcp ? "rpc" : "http"]!)
            let tintype = try Tintype("\(way.rawValue)://\(relay.place)")
            let gate = ReceiptID.make()
            let url = service.picture("/picture.png?size=30x20&gate=\(gate)")
            let task = tintype.submit(Self.patient(url, .resize(10)), progress: true)
            let reading = Task { await Self.types(task) }
            try await service.waitForDownload(url)
            let events = Task { () -> String? in
                for await event in task.events { return event.json["type"]?.stringValue }
                return nil
            }
            #expect(await events.value != nil)
            relay.cut()
            // The calls that wait are sent again on a new connection.
            _ = try await tintype.ping()
            try await service.open(gate)
            #expect(try await task.image.width == 10)
            let types = await reading.value
            func count(_ type: String) -> Int { types.count { $0 == type } }
            #expect(try await service.asked(url) == 1)
            #expect(count("succeeded") == 1 && count("rendition") == 1, "\(types)")
            #expect(["response", "started", "queued", "state"].allSatisfy { count($0) <= 1 }, "\(types)")
            // A stream goes on behind its last event. A TCP connection cannot know what was lost with the one before.
            #expect(count("gap") == (way == .tcp ? 1 : 0), "\(types)")
        }
    }

    @Test func anAnswerThatIsLostIsAskedForAgainAndNothingIsDoneTwice() async throws {
        try await Service.run { service in
            let relay = Relay(service.coordinators[0].words["rpc"]!)
            let tintype = try Tintype("tcp://\(relay.place)")
            _ = try await tintype.ping()
            relay.swallows = true
            let gate = ReceiptID.make()
            let url = service.picture("/picture.png?gate=\(gate)")
            let task = tintype.submit(Self.patient(url, .resize(10)))
            try await service.waitForDownload(url)
            relay.cut()
            relay.swallows = false
            try await service.open(gate)
            #expect(try await task.image.width == 10)
            #expect(try await service.asked(url) == 1)
            let submits = relay.methods("image.submit")
            #expect(submits.count >= 2 && Set(submits.map { $0["params"] }).count == 1)
        }
    }

    @Test func aHundredTasksEndOnceWhileTheConnectionBreaksAgainAndAgain() async throws {
        try await Service.run { service in
            let relay = Relay(service.coordinators[0].words["rpc"]!)
            let tintype = try Tintype("tcp://\(relay.place)")
            let urls = (0..<100).map { _ in service.picture("/picture.png?size=40x30&delay=0.1") }
            let tasks = urls.map { tintype.submit(Self.patient($0, .resize(10)), progress: true) }
            let events = tasks.map { task in Task { await Self.types(task) } }
            for done in stride(from: 0, to: 90, by: 15) {
                try await eventually("some tasks") { tasks.count(where: \.isFinished) > done }
                relay.cut()
            }
            for (index, types) in events.enumerated() {
                let all = await types.value
                #expect(all.count { $0 == "succeeded" } == 1 && all.last == "succeeded", "\(index): \(all)")
                #expect(all.count { $0 == "rendition" } == 1, "\(index): \(all)")
            }
            for url in urls { #expect(try await service.asked(url) == 1) }
            try await Self.check(tintype)
        }
    }

    // MARK: - Redis, workers and queues

    @Test func aKilledRedisMakesRequestsWait() async throws {
        try await Service.run { service in
            let tintype = try Way.tcp.client(service)
            let gate = ReceiptID.make()
            let url = service.picture("/picture.png?gate=\(gate)")
            let task = tintype.submit(Self.patient(url, .resize(10)))
            try await service.waitForDownload(url)
            await service.redis.end()
            let isOver = Shared(false)
            let load = Task {
                let image = try await tintype.image(for: Self.patient(service.picture(), .resize(12)))
                isOver.value = true
                return image.width
            }
            try await eventually("a coordinator that knows of it") { try await tintype.methods.systemInfo().redis?.connected == false }
            #expect(!isOver.value)
            try service.startRedis()
            try await service.open(gate)
            #expect(try await task.image.width == 10)
            #expect(try await load.value == 12)
            #expect(try await service.asked(url) == 1)
            try await Self.check(tintype)
        }
    }

    @Test func aFrozenRedisLosesNothing() async throws {
        guard Run.isSlow("a frozen Redis") else { return }
        try await Service.run { service in
            let tintype = try Way.tcp.client(service)
            let gate = ReceiptID.make()
            let url = service.picture("/picture.png?gate=\(gate)")
            let task = tintype.submit(Self.patient(url, .resize(10)))
            try await service.waitForDownload(url)
            service.redis.send(SIGSTOP)
            let load = Task { try await tintype.image(for: Self.patient(service.picture(), .resize(12))).width }
            try await eventually("a coordinator that knows of it") { try await tintype.methods.systemInfo().redis?.connected == false }
            service.redis.send(SIGCONT)
            try await service.open(gate)
            #expect(try await task.image.width == 10)
            #expect(try await load.value == 12)
        }
    }

    @Test(arguments: Way.allCases)
    func aWorkerThatIsKilledCostsAnAttemptAndNoAnswer(_ way: Way) async throws {
        guard Run.isSlow("a killed worker over \(way)") else { return }
        try await Service.run { service in
            let tintype = try way.client(service)
            let url = service.picture("/slow/picture.png?size=600x400&rate=100000")
            let task = tintype.submit(Self.patient(url, .resize(10)), progress: .pace(interval: 0.05))
            for await fraction in task.progress where fraction > 0 { break }
            await service.workers[0].end()
            try service.startWorker()
            let image = try await task.image
            #expect(image.width == 10 && image.result.attempts == 2)
            let types = await Self.types(task)
            #expect(types.contains("retrying") && types.firstIndex(of: "retrying")! < types.lastIndex(of: "started")!, "\(types)")
        }
    }

    @Test(arguments: Way.allCases)
    func aFullQueueLetsClientsWaitAsLongAsItSays(_ way: Way) async throws {
        try await Service.run { service in
            let tintype = try way.client(service)
            try await tintype.queue().configure(maxConcurrent: 1, maxQueued: 1)
            let gate = ReceiptID.make()
            let urls = (0..<4).map { _ in service.picture("/picture.png?size=9x9&gate=\(gate)") }
            let loads = urls.map { url in Task { try await tintype.image(for: Self.patient(url, .resize(4))).width } }
            try await eventually("a full queue") {
                let info = try await tintype.queue().info()
                return info.running + info.queued >= 2
            }
            let error = await #expect(throws: TintypeError.self) { try await tintype.image(for: ImageRequest(service.picture(), deadline: 0.001)) }
            #expect(error?.name == .overloaded || error?.name == .deadlineExceeded)
            try await service.open(gate, 4)
            for load in loads { #expect(try await load.value == 4) }
        }
    }
}
