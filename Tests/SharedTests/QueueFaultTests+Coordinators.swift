import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

extension QueueFaultTests {
    @Test @Loop func `a repeated receipt is the same, its events go to the last client, and another request is refused`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1", coordinator: "c1")
        // A repeated request may want progress even if the first did not.
        #expect(try await h.submit("r1", coordinator: "c2") { $0.wantsProgress = true } == .again(state: .queued, position: 0, seq: 1))
        #expect(try await h.submit("r1") { $0.fingerprint = "another" } == .mismatch)
        _ = try await h.messages()
        let fetch = try await h.claim()
        #expect(fetch.wantsProgress)
        #expect(try await h.messages().map(\.channel).contains(h.queue.keys.events(coordinator: "c2")))
        // A client waits for it at c2, which lives.
        #expect(try await h.queue.receipt("r1", adoptedBy: "c3")?.coordinator == "c2")
        try await h.queue.leave(receipt: "r1", coordinator: "c1")
        #expect(try await h.queue.receipt("r1", adoptedBy: "c3")?.coordinator == "c2")
        try await h.queue.leave(receipt: "r1", coordinator: "c2")
        #expect(try await h.queue.receipt("r1", adoptedBy: "c3")?.coordinator == "c3")
        #expect(try await h.queue.cancel(receipt: "r1", reason: "disconnected", owner: "c2") == .elsewhere)
        try await h.succeed(fetch)
        #expect(try await h.messages().map(\.channel).contains(h.queue.keys.events(coordinator: "c3")))
        guard case .finished(let ending) = try await h.submit("r1") else { throw TestFailure("not finished") }
        let snapshot = try await h.queue.receipt("r1")
        #expect(ending.seq == 4 && ending == snapshot?.ending)
    }

    @Test(arguments: [true, false]) @Loop
    func `a receipt that one client leaves goes to a live coordinator with another client`(isOfGroup: Bool) async throws {
        let h = try await QueueHarness()
        func giveUp(_ owner: String) async throws -> CancelAnswer {
            guard isOfGroup else { return try await h.queue.cancel(receipt: "r1", reason: "requested", owner: owner) }
            return try await h.queue.cancel(receipt: "r1", reason: "group cancelled", owner: owner, group: "g")
        }
        func wait(at coordinator: String) async throws { _ = try await h.queue.snapshots(["r1"], adoptedBy: coordinator, areAwaited: true) }
        _ = try await h.submit("r1", coordinator: "c1") { $0.meta = #","group":"g""# }
        try await h.queue.greet(coordinator: "c1")
        try await wait(at: "c3")
        h.tick(10_000)
        for name in ["c1", "c2"] { try await h.queue.greet(coordinator: name) }
        try await wait(at: "c2")
        #expect(try await h.queue.receipt("r1")?.coordinator == "c1")
        _ = try await h.messages()
        #expect(try await giveUp("c1") == .elsewhere)
        let heard = try await h.messages().filter { $0.channel == h.queue.keys.events(coordinator: "c2") }.compactMap { QueueEvent($0.payload) }
        #expect(heard.map(\.type) == [.given] && heard.first?.body == "r1")
        #expect(try await h.queue.receipt("r1")?.coordinator == "c2")
        // No client waits for it there any more, and the only other coordinator with a client is silent.
        try await wait(at: "c1")
        try await h.queue.leave(receipt: "r1", coordinator: "c1")
        #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [])
        #expect(try await giveUp("c2") == .dropped)
    }

    @Test @Loop func `a receipt that was left and handed over stays left until a client continues it`() async throws {
        let h = try await QueueHarness()
        for name in ["c1", "c2"] { try await h.queue.greet(coordinator: name) }
        _ = try await h.submit("r1", coordinator: "c1") { $0.terms.isDetached = true }
        _ = try await h.queue.snapshots(["r1"], adoptedBy: "c2", areAwaited: true)
        #expect(try await h.queue.cancel(receipt: "r1", reason: "requested", owner: "c1") == .elsewhere)
        #expect(try await h.queue.receipt("r1")?.givenUp == "requested")
        // The message was on its way when the receipt was handed over.
        try await h.queue.leave(receipt: "r1", coordinator: "c2")
        #expect(try await h.queue.receipt("r1")?.givenUp == "requested")
        #expect(try await h.queue.receipt("r1", adoptedBy: "c2")?.givenUp == nil)
        #expect(try await h.queue.receipt("r1")?.givenUp == nil)
    }

    @Test @Loop func `the name of a missing queue is forgotten with its worker`() async throws {
        let h = try await QueueHarness()
        try await Queue.announce(missing: ["old", "new"], h.nodes)
        _ = try await h.redis.command(["ZADD", .string(QueueKeys.strays), "1", "old"])
        #expect(try await Queue.missing(h.nodes) == ["new"])
        try await Queue.announce(missing: ["new"], h.nodes)
        #expect(try await h.redis.command(["ZRANGE", .string(QueueKeys.strays), "0", "-1"]).array?.compactMap(\.string) == ["new"])
        #expect(try await h.redis.command(["PTTL", .string(QueueKeys.strays)]).int ?? 0 > 0)
        // Keys of another schema stay as they are.
        _ = try await h.redis.command(["HSET", .string(QueueKeys("default").prefix + "cfg"), "v", "0"])
        await #expect(throws: RedisError.otherSchema("0")) { try await Queue.announce(missing: ["newer"], h.nodes) }
        #expect(try await Queue.missing(h.nodes) == ["new"])
    }

    /// The request is detached, so that it outlives its coordinator. It is repeated before and after that coordinator has been forgotten.
    @Test(arguments: [true, false]) @Loop
    func `a receipt that is requested elsewhere is not handed back to a dead coordinator`(isForgotten: Bool) async throws {
        let h = try await QueueHarness()
        try await h.queue.greet(coordinator: "c1")
        func wish(_ submission: inout Submission) { (submission.terms.isDetached, submission.deadlineSeconds) = (true, 600) }
        _ = try await h.submit("r1", coordinator: "c1", wish)
        h.tick(isForgotten ? 50_000 : 10_000)
        if isForgotten { #expect(try await h.queue.abandon(coordinator: "c1") == 0) }
        try await h.queue.greet(coordinator: "c2")
        guard case .again = try await h.submit("r1", coordinator: "c2", wish) else { throw TestFailure("not the same") }
        let dump = try await h.queue.dump()
        // It does not seem to live either.
        #expect(dump.hash("r:r1")["followers"] == nil && dump.scores("co")["c1"] == (isForgotten ? nil : 1_700_000_000_000))
        #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [])
        #expect(try await h.queue.cancel(receipt: "r1", reason: "requested", owner: "c2") == .dropped)
    }

    @Test @Loop func `a heartbeat is numbered like any message, so that a lost message shows`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1") { $0.wantsProgress = true }
        try await h.queue.greet(coordinator: "c1")
        let heard = try await h.messages().filter { $0.channel == h.queue.keys.events(coordinator: "c1") }.compactMap { QueueEvent($0.payload) }
        #expect(heard.map(\.number) == [1, 2] && heard.last?.isPing == true)
    }

    @Test @Loop func `a heartbeat beside default counts the live coordinators and their work`() async throws {
        let h = try await QueueHarness()
        #expect(try await h.queue.greet(coordinator: "c1").coordinators == nil)
        let (one, two) = (try await h.queue.greet(coordinator: "c1", counted: 3), try await h.queue.greet(coordinator: "c2", counted: 4))
        #expect(one.coordinators == 1 && one.others == 0 && two.coordinators == 2 && two.others == 3)
        // A coordinator that has been silent for a lease counts no more.
        h.tick(10_001)
        let alone = try await h.queue.greet(coordinator: "c2", counted: 4)
        #expect(alone.coordinators == 1 && alone.others == 0)
    }

    @Test @Loop func `receipts of a dead coordinator are cancelled, and fetches that no other receipt wants stop`() async throws {
        let h = try await QueueHarness()
        for number in 1...300 {
            _ = try await h.submit("r\(number)", source: "s\(number == 3 ? 2 : number)", coordinator: number == 3 ? "c2" : "c1") {
                $0.terms.isDetached = number == 4
                if number == 5 { $0.terms.fallback = .key("d", names: ["default"]) }
                $0.deadlineSeconds = 300
            }
        }
        try await h.queue.greet(coordinator: "c1")
        try await h.queue.greet(coordinator: "c2")
        h.tick(39_000)
        try await h.queue.greet(coordinator: "c2")
        #expect(try await h.queue.reap().goneCoordinators == [])
        #expect(try await h.queue.abandon(coordinator: "c1") == 0, "it has not been declared dead yet")
        let fetch = try await h.claim()
        h.tick(1000)
        _ = try await h.messages()
        #expect(try await h.queue.reap().goneCoordinators == ["c1"])
        #expect(try await h.queue.abandon(coordinator: "c1") == 298)
        let control = try await h.messages().filter { $0.channel == h.queue.keys.control }.compactMap { ControlMessage($0.payload) }
        #expect(control == [.cancel(fetch.lease)])
        let ended = try #require(try await h.queue.receipt("r1")?.ending)
        #expect(ended.state == .cancelled && ended.body.contains(#""reason":"disconnected""#))
        #expect(try await h.queue.receipt("r3")?.state == .queued)
        #expect(try await h.queue.receipt("r4")?.state == .queued)
        #expect(try await h.queue.receipt("r5")?.state == .cancelled, "a fallback does not make a receipt detached")
        let dump = try await h.queue.dump()
        #expect(dump.scores("co").keys.sorted() == ["c2"] && dump.hash("cseq")["c1"] == nil)
        #expect(QueueInvariants.violations(in: dump) == [])
        #expect(try await h.queue.reap().goneCoordinators == [])
    }

    @Test(arguments: ["nobody", "left before", "again", "looks", "looks and leaves"]) @Loop
    func `a cancellation goes with a handed-over receipt, unless a client continues it`(taker: String) async throws {
        let h = try await QueueHarness()
        func wish(_ submission: inout Submission) { (submission.terms.isDetached, submission.deadlineSeconds) = (true, 600) }
        try await h.queue.greet(coordinator: "c1")
        _ = try await h.submit("r1", coordinator: "c1", wish)
        // It is followed at the coordinator where it began, which has died without being known as dead.
        guard case .again = try await h.submit("r1", coordinator: "c2", wish) else { throw TestFailure("not the same") }
        #expect(try await h.queue.cancel(receipt: "r1", reason: "requested", owner: "c2") == .elsewhere)
        switch taker {
        case "again": _ = try await h.submit("r1", coordinator: "c1", wish)
        case "looks": _ = try await h.queue.snapshots(["r1"], adoptedBy: "c1", areAwaited: true)
        case "looks and leaves":
            _ = try await h.queue.snapshots(["r1"], adoptedBy: "c1", areAwaited: true)
            try await h.queue.leave(receipt: "r1", coordinator: "c1")
        // The message was sent before the handover and received after it.
        case "left before": try await h.queue.leave(receipt: "r1", coordinator: "c1")
        default: break
        }
        let isCancelled = ["nobody", "left before"].contains(taker)
        h.tick(40_000)
        #expect(try await h.queue.abandon(coordinator: "c1") == (isCancelled ? 1 : 0))
        let snapshot = try await h.queue.receipt("r1")
        #expect(snapshot?.state == (isCancelled ? .cancelled : .queued))
        if isCancelled { #expect(snapshot?.ending?.body.contains(#""reason":"requested""#) == true) }
        #expect(try await h.queue.info()?.queued == (isCancelled ? 0 : 1))
        #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [])
    }
}
