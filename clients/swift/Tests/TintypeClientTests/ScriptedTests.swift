import Synchronization
import Testing

@testable import TintypeClient

/// The client against a coordinator that says exactly what a test wants, at the moment that the test wants.
@Suite(.serialized) struct ScriptedTests {
    typealias Peer = ScriptedCoordinator.Peer

    static func answerAll(_ peer: Peer, _ message: JSON) {
        peer.answer(message, scriptedResult)
    }

    /// Options of a client that a busy machine does not disturb.
    static func patient(silence: Duration = .seconds(30), connectTimeout: Duration = .seconds(30)) -> Tintype.Options {
        var options = Tintype.Options()
        (options.silence, options.connectTimeout) = (silence, connectTimeout)
        return options
    }

    @Test func overloadedWaitsAsLongAsItIsTold() async throws {
        let times = Mutex<[ContinuousClock.Instant]>([])
        let coordinator = ScriptedCoordinator { peer, message in
            let count = times.withLock { times in
                times.append(.now)
                return times.count
            }
            if count < 3 { peer.fail(message, "overloaded", 1050, ["retryAfter": 0.1]) } else { peer.answer(message, scriptedResult) }
        }
        let tintype = try Tintype(coordinator.address)
        #expect(try await tintype.image(from: "http://h/").width == 3)
        let all = times.withLock { $0 }
        #expect(all.count == 3)
        #expect(zip(all, all.dropFirst()).allSatisfy { $1 - $0 >= .milliseconds(100) })
    }

    @Test func overloadedBeyondTheDeadlineIsAnErrorAtOnce() async throws {
        let coordinator = ScriptedCoordinator { peer, message in peer.fail(message, "overloaded", 1050, ["retryAfter": 1000]) }
        let tintype = try Tintype(coordinator.address)
        let error = await #expect(throws: TintypeError.self) { try await tintype.image(for: ImageRequest("http://h/", deadline: 1)) }
        #expect(error?.name == .overloaded)
        #expect(error?.retryAfter == 1000)
    }

    @Test func otherErrorsAreNotRepeated() async throws {
        let coordinator = ScriptedCoordinator { peer, message in peer.fail(message, "timeout", 1016) }
        let tintype = try Tintype(coordinator.address)
        let error = await #expect(throws: TintypeError.self) { try await tintype.image(from: "http://h/") }
        #expect(error?.name == .timeout && error?.isRetryable == true && error?.phase == .admission)
        #expect(coordinator.asked("image.load").count == 1)
    }

    @Test func aLostAnswerIsAskedForAgainUnderTheSameReceipt() async throws {
        let count = Mutex(0)
        let coordinator = ScriptedCoordinator { peer, message in
            let tries = count.withLock { count in
                count += 1
                return count
            }
            if tries < 3 {
                peer.cut()
            } else {
                peer.answer(message, ["receipt": message["params"]?["receipt"] ?? .null, "state": "succeeded", "result": scriptedResult])
            }
        }
        let tintype = try Tintype(coordinator.address)
        #expect(try await tintype.submit(ImageRequest("http://h/")).image.width == 3)
        let submits = coordinator.asked("image.submit")
        #expect(submits.count == 3)
        #expect(Set(submits.map { $0["params"] }).count == 1)
    }

    @Test func eventsAroundALostConnection() async throws {
        let coordinator = ScriptedCoordinator { peer, message in
            guard message["method"] == "image.submit" else { return }
            let receipt = message["params"]?["receipt"]
            peer.answer(message, ["receipt": receipt ?? .null, "state": "queued"])
            var rendition = scriptedResult["renditions"]![0]!.objectValue!
            rendition["name"] = "a"
            peer.event(receipt, 1, "started", ["worker": "w", "attempt": 1])
            peer.event(receipt, 2, "rendition", rendition)
            if peer.number == 1 { return peer.event(receipt, 3, "progress", ["phase": "encode", "fraction": 0.5]) }
            var other = rendition
            other["name"] = "b"
            var result = scriptedResult.objectValue!
            result["renditions"] = [.object(rendition), .object(other)]
            peer.event(receipt, 9, "succeeded", ["result": .object(result)])
        }
        let tintype = try Tintype(coordinator.address)
        let task = tintype.submit(ImageRequest("http://h/"), progress: true)
        var seen: [String] = []
        for await event in task.events {
            switch event {
            case .rendition(let rendered): seen.append(rendered.rendition.name ?? "")
            case .gap(let gap): seen.append("gap after \(gap.after)")
            case .progress:
                seen.append("progress")
                coordinator.peers[0].cut()
            default: seen.append(event.json["type"]?.stringValue ?? "")
            }
        }
        // Events that the new connection tells again are left out, and the rendition that nobody told of comes before the end.
        #expect(seen == ["started", "a", "progress", "gap after 3", "b", "succeeded"])
        #expect(try await task.image.renditions.count == 2)
        // A reader that comes later gets what has happened.
        var last: ImageEvent?
        for await event in task.events { last = event }
        #expect(last?.isTerminal == true)
    }

    @Test func whatCannotBeRepeatedIsAnError() async throws {
        let coordinator = ScriptedCoordinator { peer, _ in peer.cut() }
        let tintype = try Tintype(coordinator.address)
        let error = await #expect(throws: TintypeError.self) { try await tintype.methods.chainAppend(group: "g", steps: []) }
        #expect(error?.name == .connectionLost)
        #expect(coordinator.asked("chain.append").count == 1)
    }

    @Test func aLoadThatIsCancelledBetweenTwoConnectionsIsWithdrawnOnTheNext() async throws {
        let greeting = Mutex<(peer: ScriptedCoordinator.Peer, message: JSON)?>(nil)
        let coordinator = ScriptedCoordinator(greets: false) { peer, message in
            if message["method"] == "image.load" { return peer.cut() }
            if peer.number == 2, greeting.withLock({ $0 == nil }) { return greeting.withLock { $0 = (peer, message) } }
            peer.answer(message, ["cancelled": true])
        }
        let tintype = try Tintype(coordinator.address, options: Self.patient())
        let load = Task { try await tintype.image(for: ImageRequest("http://h/", deadline: 300).receipt("mine")) }
        try await eventually("the second connection") { greeting.withLock { $0 != nil } }
        load.cancel()
        let error = await #expect(throws: TintypeError.self) { try await load.value }
        #expect(error?.name == .cancelled)
        let held = try #require(greeting.withLock { $0 })
        held.peer.answer(held.message, "pong")
        try await eventually("the withdrawal") { !coordinator.asked("receipt.cancel").isEmpty }
        #expect(coordinator.asked("receipt.cancel").map { $0["params"] } == [["receipt": "mine"]])
        #expect(coordinator.asked("image.load").count == 1)
    }

    @Test func errandsAreBounded() async throws {
        let errands = Errands()
        for _ in 0..<1100 { errands.run { try? await Task.sleep(for: .seconds(600)) } }
        #expect(errands.count == Errands.most)
        errands.close()
    }

    @Test func aGroupIsNotBegunTwiceAfterALostAnswer() async throws {
        let coordinator = ScriptedCoordinator { peer, _ in peer.cut() }
        let tintype = try Tintype(coordinator.address)
        let request = ImageRequest("http://h/")
        let begins: [(String, @Sendable () async throws(TintypeError) -> String)] = [
            ("batch.start", { () async throws(TintypeError) in try await tintype.batch([request]).id }),
            ("prefetch.start", { () async throws(TintypeError) in try await tintype.prefetch([request]).id }),
            ("chain.start", { () async throws(TintypeError) in try await tintype.chain([request]).id }),
        ]
        for (method, begin) in begins {
            let error = await #expect(throws: TintypeError.self) { try await begin() }
            #expect(error?.name == .connectionLost)
            #expect(coordinator.asked(method).count == 1)
        }
    }

    @Test func aSilentCoordinatorIsLeftForAnother() async throws {
        let silent = ScriptedCoordinator(greets: false) { _, _ in }
        let other = ScriptedCoordinator(Self.answerAll)
        for addresses in [(silent, other), (other, silent)] {
            let tintype = try Tintype(addresses.0.address, addresses.1.address, options: Self.patient(connectTimeout: .seconds(1)))
            #expect(try await tintype.image(from: "http://h/").width == 3)
            #expect(tintype.coordinator == other.address)
        }
        #expect(silent.asked("image.load").isEmpty)
    }

    @Test func aCoordinatorThatFallsSilentIsLeftWithItsCalls() async throws {
        let other = ScriptedCoordinator(Self.answerAll)
        let first = ScriptedCoordinator { peer, _ in peer.mute() }
        var tintype: Tintype
        // The client begins at an address by chance.
        repeat {
            tintype = try Tintype(first.address, other.address, options: Self.patient(silence: .milliseconds(200)))
            _ = try await tintype.ping()
        } while tintype.coordinator != first.address
        #expect(try await tintype.image(from: "http://h/").width == 3)
        #expect(first.asked("image.load").count == 1)
        // It was asked before it was left.
        #expect(first.messages.last?["method"] == "system.ping")
        #expect(tintype.coordinator == other.address)
    }

    @Test func aCoordinatorThatStopsIsLeftAndItsLastAnswersAreTaken() async throws {
        let held = Mutex<(Peer, JSON)?>(nil)
        let first = ScriptedCoordinator { peer, message in
            if message["params"]?["url"] == "http://held/" { held.withLock { $0 = (peer, message) } } else { peer.fail(message, "shuttingDown", 1053) }
        }
        let other = ScriptedCoordinator(Self.answerAll)
        var tintype: Tintype
        repeat {
            tintype = try Tintype(first.address, other.address, options: Self.patient())
            _ = try await tintype.ping()
        } while tintype.coordinator != first.address
        let client = tintype
        async let waiting = client.image(from: "http://held/")
        try await eventually("the load") { held.withLock { $0 != nil } }
        #expect(try await client.image(from: "http://h/").width == 3)
        #expect(client.coordinator == other.address)
        var result = scriptedResult.objectValue!
        result["from"] = "remote"
        let answer = JSON.object(result)
        held.withLock { held in held!.0.answer(held!.1, answer) }
        #expect(try await waiting.from == .remote)
    }

    @Test func aCoordinatorWithoutRoomIsTriedAgainAsTold() async throws {
        let coordinator = ScriptedCoordinator(greets: false) { peer, message in
            if peer.number < 3 {
                peer.send(["jsonrpc": "2.0", "id": nil, "error": Peer.error("overloaded", 1050, ["retryAfter": 0.05])])
                peer.cut()
            } else {
                peer.answer(message, scriptedResult)
            }
        }
        let tintype = try Tintype(coordinator.address)
        #expect(try await tintype.image(from: "http://h/").width == 3)
        #expect(coordinator.peers.count == 3)
    }

    @Test func atMostAThousandCallsAreUnderWayAndCancelsDoNotWait() async throws {
        let held = Mutex<[(Peer, JSON)]>([])
        let coordinator = ScriptedCoordinator { peer, message in held.withLock { $0.append((peer, message)) } }
        let tintype = try Tintype(coordinator.address, options: Self.patient())
        _ = try await tintype.ping()
        let loads = (0..<1500).map { number in Task { try await tintype.image(for: ImageRequest("http://h/\(number)", deadline: 300)).width } }
        try await eventually("a thousand loads") { held.withLock { $0.count } == 1000 }
        // One that waits for its answer, and one that waits for its place.
        let url = held.withLock { $0[0].1["params"]!["url"]!.stringValue! }
        let sent = Set(held.withLock { $0.map { $0.1["params"]!["url"]!.stringValue! } })
        let waiting = (0..<1500).first { !sent.contains("http://h/\($0)") }!
        loads[Int(url.split(separator: "/").last!)!].cancel()
        loads[waiting].cancel()
        try await eventually("the cancel") { coordinator.asked("$/cancelRequest").count == 1 }
        #expect(coordinator.asked("$/cancelRequest")[0]["params"]?["id"] == held.withLock { $0[0].1["id"] })
        // The receipt of a task that is withdrawn does not wait either.
        #expect(coordinator.asked("image.load").count == 1000)
        var most = 0
        while coordinator.asked("image.load").count < 1499 || held.withLock({ !$0.isEmpty }) {
            let batch = held.withLock { held in
                most = max(most, held.count { $0.1["method"] == "image.load" })
                defer { held.removeFirst(min(100, held.count)) }
                return held.prefix(100)
            }
            for (peer, message) in batch where message["method"] == "image.load" { peer.answer(message, scriptedResult) }
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(most <= 1000)
        var failures: [ErrorName] = []
        for load in loads {
            do { #expect(try await load.value == 3) } catch let error as TintypeError { failures.append(error.name) }
        }
        #expect(failures == [.cancelled, .cancelled])
        #expect(Set(coordinator.asked("image.load").map { $0["params"]!["url"]! }).count == 1499)
    }

    @Test func aReaderThatIsSlowKeepsMemoryBounded() async throws {
        let coordinator = ScriptedCoordinator { peer, message in
            guard message["method"] == "image.submit" else { return }
            let receipt = message["params"]?["receipt"]
            peer.answer(message, ["receipt": receipt ?? .null, "state": "queued"])
            for number in 0..<20_000 {
                peer.event(receipt, number + 1, "progress", ["phase": "download", "fraction": .number(Double(number) / 20_000)])
            }
            peer.event(receipt, 20_001, "succeeded", ["result": scriptedResult])
        }
        let tintype = try Tintype(coordinator.address)
        let task = tintype.submit(ImageRequest("http://h/", deadline: 500), progress: true)
        var early = task.events.makeAsyncIterator()
        _ = try await task.image
        var seen: [ImageEvent] = []
        while let event = await early.next() { seen.append(event) }
        #expect(seen.count < 5)
        guard case .succeeded = seen.last else { return #expect(Bool(false), "\(seen)") }
    }

    @Test func bytesThatAreNoJSONEndTheConnectionAndNotTheClient() async throws {
        let coordinator = ScriptedCoordinator { peer, message in
            if peer.number == 1 { peer.write("HTTP/1.1 400 Bad Request\n") } else { peer.answer(message, scriptedResult) }
        }
        let tintype = try Tintype(coordinator.address)
        #expect(try await tintype.image(from: "http://h/").width == 3)
        #expect(coordinator.peers.count == 2)
    }

    @Test func anAnswerOfAnotherShapeIsAnErrorAndNotTheEnd() async throws {
        let coordinator = ScriptedCoordinator { peer, message in peer.answer(message, message["params"]?["url"] == "http://odd/" ? [1, 2] : scriptedResult) }
        let tintype = try Tintype(coordinator.address)
        let error = await #expect(throws: TintypeError.self) { try await tintype.image(from: "http://odd/") }
        #expect(error?.name == .internal && error?.isRetryable == false)
        #expect(try await tintype.image(from: "http://h/").width == 3)
    }

    @Test(arguments: ["tcp://127.0.0.1:1", "http://127.0.0.1:1"])
    func nobodyThereIsAnErrorInTime(_ address: String) async throws {
        let tintype = try Tintype(address)
        let error = await #expect(throws: TintypeError.self) { try await tintype.call("system.ping", [:], timeout: .milliseconds(300)) }
        #expect(error?.name == .connect && error?.isRetryable == true)
        #expect(error?.message.contains("127.0.0.1:1") == true)
    }

    @Test func aCallThatIsNeverAnsweredEndsInTime() async throws {
        let coordinator = ScriptedCoordinator { _, _ in }
        let tintype = try Tintype(coordinator.address, options: Self.patient())
        let error = await #expect(throws: TintypeError.self) { try await tintype.call("system.info", [:], timeout: .milliseconds(300)) }
        #expect(error?.name == .deadlineExceeded)
        try await eventually("the cancel") { coordinator.asked("$/cancelRequest").count == 1 }
        let task = tintype.task("r", timeout: .milliseconds(300))
        let late = await #expect(throws: TintypeError.self) { try await task.image }
        #expect(late?.name == .deadlineExceeded && late?.receipt == "r")
    }

    @Test func aTokenIsAskedForBeforeEachConnection() async throws {
        let tokens = Mutex(["one", "two"])
        let coordinator = ScriptedCoordinator { peer, message in
            if peer.number == 1 { peer.cut() } else { peer.answer(message, scriptedResult) }
        }
        let tintype = try Tintype(coordinator.address, token: Token { tokens.withLock { $0.removeFirst() } })
        _ = try await tintype.image(from: "http://h/")
        #expect(coordinator.asked("session.authenticate").map { $0["params"] } == [["token": "one"], ["token": "two"]])
    }

    @Test func aTokenThatCannotBeHadIsAnErrorAtOnce() async throws {
        struct NoToken: Error {}
        let coordinator = ScriptedCoordinator(Self.answerAll)
        let tintype = try Tintype(coordinator.address, token: Token { throw NoToken() })
        let error = await #expect(throws: TintypeError.self) { try await tintype.image(from: "http://h/") }
        #expect(error?.name == .unauthenticated)
    }

    @Test func aRefusedTokenIsNotTriedAgain() async throws {
        let coordinator = ScriptedCoordinator(greets: false) { peer, message in peer.fail(message, "unauthenticated", 1051, ["retryable": false]) }
        let tintype = try Tintype(coordinator.address, token: "wrong-secret")
        for _ in 0..<2 {
            let error = await #expect(throws: TintypeError.self) { try await tintype.image(from: "http://h/") }
            #expect(error?.name == .unauthenticated)
            #expect("\(error!)".contains("secret") == false)
        }
        // Each call has tried once.
        #expect(coordinator.peers.count == 2)
    }

    @Test func requestsNameThePlaceOfTheirCallerInATrace() async throws {
        let place = Mutex<[String: String]>([:])
        let coordinator = ScriptedCoordinator { peer, message in
            let receipt = message["params"]?["receipt"]
            peer.answer(message, receipt == nil ? scriptedResult : ["receipt": receipt!, "state": "succeeded", "result": scriptedResult])
        }
        var options = Tintype.Options()
        options.trace = { place.withLock { $0 } }
        let tintype = try Tintype(coordinator.address, options: options)
        _ = try await tintype.image(from: "http://h/")
        place.withLock { $0 = ["traceparent": "00-a-b-01"] }
        _ = try await tintype.image(from: "http://h/")
        _ = try await tintype.submit(ImageRequest("http://h/")).image
        #expect(coordinator.messages.compactMap { $0["params"]?["_meta"]?["traceparent"] } == ["00-a-b-01", "00-a-b-01"])
    }

    @Test func aRequestOfMoreThan4MiBIsRefusedHere() async throws {
        let coordinator = ScriptedCoordinator(Self.answerAll)
        let tintype = try Tintype(coordinator.address)
        let error = await #expect(throws: TintypeError.self) { try await tintype.image(from: "data:text/plain," + String(repeating: "é", count: 3 << 20)) }
        #expect(error?.name == .invalidRequest)
        #expect(try await tintype.image(from: "http://h/").width == 3)
    }

    @Test func aClosedClientFailsAtOnce() async throws {
        let coordinator = ScriptedCoordinator { _, _ in }
        let tintype = try Tintype(coordinator.address, options: Self.patient())
        let task = tintype.submit(ImageRequest("http://h/"))
        try await eventually("the submit") { coordinator.asked("image.submit").count == 1 }
        tintype.close()
        for call in [{ try await task.image }, { try await tintype.image(from: "http://h/") }, { try await tintype.submit(ImageRequest("http://h/")).image }] {
            let error = await #expect(throws: TintypeError.self) { try await call() }
            #expect(error?.name == .cancelled && error?.message == "the client was closed")
        }
        // The connection is closed too.
        try await eventually("the end of the connection") { coordinator.peers[0].isGone }
    }

    @Test func aClientThatNobodyHasEndsItsConnection() async throws {
        let coordinator = ScriptedCoordinator(Self.answerAll)
        do {
            let tintype = try Tintype(coordinator.address)
            #expect(try await tintype.image(from: "http://h/").width == 3)
        }
        try await eventually("the end of the connection") { coordinator.peers[0].isGone }
    }

    @Test func aTaskThatIsCancelledBeforeItCallsSendsNothingThatStays() async throws {
        let coordinator = ScriptedCoordinator { _, _ in }
        let tintype = try Tintype(coordinator.address)
        let load = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await tintype.image(from: "http://h/")
        }
        let result = await load.result
        #expect(throws: TintypeError.self) { try result.get() }
        #expect(coordinator.asked("image.load").count == coordinator.asked("$/cancelRequest").count)
    }

    @Test func aTaskWhoseReaderIsCancelledIsWithdrawn() async throws {
        let coordinator = ScriptedCoordinator { peer, message in
            guard message["method"] == "image.submit" else { return }
            peer.answer(message, ["receipt": message["params"]?["receipt"] ?? .null, "state": "queued"])
        }
        let tintype = try Tintype(coordinator.address, options: Self.patient())
        let waits: [@Sendable (ImageTask) async -> Void] = [
            { _ = try? await $0.image },
            { for await _ in $0.events {} },
            { for await _ in $0.progress {} },
        ]
        for (index, wait) in waits.enumerated() {
            let task = tintype.submit(ImageRequest("http://h/\(index)", deadline: 300))
            try await eventually("the submit") { coordinator.asked("image.submit").count == index + 1 }
            let waiting = Task { await wait(task) }
            waiting.cancel()
            await waiting.value
            try await eventually("the withdrawal") { coordinator.asked("receipt.cancel").count == index + 1 }
            #expect(coordinator.asked("receipt.cancel").last?["params"]?["receipt"] == .string(task.receipt))
            let error = await #expect(throws: TintypeError.self) { try await task.image }
            #expect(error?.name == .cancelled)
            var last: ImageEvent?
            for await event in task.events { last = event }
            guard case .cancelled(let event) = last else { return #expect(Bool(false), "\(String(describing: last))") }
            #expect(event.reason == "withdrawn")
        }
        // A detached one goes on.
        let task = tintype.submit(ImageRequest("http://h/", deadline: 300, detached: true))
        let waiting = Task { try await task.image }
        waiting.cancel()
        _ = await waiting.result
        _ = try await tintype.ping()
        #expect(coordinator.asked("receipt.cancel").count == waits.count)
        #expect(!task.isFinished)
    }
}
