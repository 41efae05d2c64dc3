import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

/// The scripts of groups: fencing tokens, leases, and the effect of a request's end on its group.
@Suite(.tags(.cluster), .timeLimit(.minutes(1)), .scoped)
struct QueueGroupTests {
    private func group(_ kind: GroupRecord.Kind = .batch, isStrict: Bool = false) -> GroupRecord {
        var group = GroupRecord(id: "g-1", kind: kind)
        (group.isStrict, group.concurrency) = (isStrict, 2)
        return group
    }

    private let failure = TintypeError(.httpStatus, .download, "404")
    private func begun(_ index: Int) -> GroupRecord.Begun { GroupRecord.Begun(queue: "default", receipt: "g-1.\(index)") }

    @Loop private func started(_ h: QueueHarness, _ group: GroupRecord, _ count: Int, coordinator: String = "c1") async throws -> GroupLease {
        let requests = (0..<count).map { #"{"url":"http://a/\#($0)"}"# }
        return GroupLease(group: "g-1", token: try #require(try await h.queue.start(group: group, coordinator: coordinator, requests: requests)))
    }

    /// Ends the leases, so that another coordinator can take over.
    @Loop private func orphaned(_ h: QueueHarness) async throws -> [GroupLease] {
        h.tick(10_001)
        return try await h.queue.drive([], coordinator: "c2", adopting: 5).taken
    }

    @Loop private func check(_ h: QueueHarness) async throws {
        let violations = QueueInvariants.violations(in: try await h.queue.dump())
        #expect(violations.isEmpty)
    }

    @Loop private func events(_ h: QueueHarness) async throws -> [JSON] {
        try await h.messages().filter { $0.channel == QueueKeys.publicEvents(group: "g-1") }.map { try JSON(parsing: $0.payload) }
    }

    @Test @Loop func `a group ends with its last request, with one event`() async throws {
        let h = try await QueueHarness()
        let held = try await started(h, group(), 2)
        #expect(try await h.queue.start(group: group(), coordinator: "c1", requests: ["{}"]) == held.token)
        try await check(h)
        #expect(try await h.queue.begin(held, index: 0, begun(0)) == .ok)
        #expect(try await h.queue.begin(held, index: 1, begun(1)) == .ok)
        try await check(h)
        #expect(try await h.queue.settle(held, index: 1, outcome: ["state": "failed"], failure: failure) == .noted(.running, total: 2))
        // After a lost answer.
        #expect(try await h.queue.settle(held, index: 1, outcome: ["state": "succeeded"], failure: nil) == .noted(.running, total: 2))
        #expect(try await h.queue.begin(held, index: 1, begun(1)) == .ended)
        try await check(h)
        // A finished request is deleted, since it may hold secrets.
        var record = try #require(try await h.queue.group("g-1", .requests()))
        #expect(Array(record.requests.keys) == [0] && record.begun == [0: begun(0)] && record.ended == [1])
        #expect(try await h.queue.settle(held, index: 0, outcome: ["state": "succeeded"], failure: nil) == .noted(.succeeded, total: 2))
        #expect(try await h.queue.settle(held, index: 0, outcome: ["state": "succeeded"], failure: nil) == .noted(.succeeded, total: 2))
        try await check(h)
        record = try #require(try await h.queue.group("g-1", .state))
        #expect(record.state == .succeeded && record.finished == 2 && record.outcomes.isEmpty && record.seq == 3)
        let events = try await events(h)
        #expect(events.map { $0["type"] } == ["progress", "progress", "succeeded"] && events.map { $0["seq"] } == [1, 2, 3])
        #expect(events.map { $0["finished"] } == [1, 2, 2])
        #expect(try await h.queue.cancel(group: "g-1", reason: "requested") == .finished)
    }

    @Test @Loop func `results are counted once by the place that each came from, whoever drives the group`() async throws {
        let h = try await QueueHarness()
        let places = ResultOrigin.Place.allCases
        var held = try await started(h, group(), places.count + 4)
        for (index, place) in places.enumerated() {
            for _ in 0..<2 { _ = try await h.queue.settle(held, index: index, outcome: ["state": "succeeded"], failure: nil, from: place) }
        }
        #expect(try await h.queue.group("g-1", .state)?.origins == Dictionary(uniqueKeysWithValues: places.map { ($0, 1) }))
        held = try #require(try await orphaned(h).first)
        _ = try await h.queue.settle(held, index: 5, outcome: ["state": "succeeded"], failure: nil, from: .memory)
        // An earlier version names no place, and a failure has none.
        _ = try await h.queue.settle(held, index: 6, outcome: ["state": "succeeded"], failure: nil)
        _ = try await h.queue.settle(held, index: 7, outcome: ["state": "failed"], failure: failure)
        #expect(try await h.queue.cancel(group: "g-1", reason: "requested") == .cancelled)
        // After the end of the group, nothing counts.
        _ = try await h.queue.settle(held, index: 8, outcome: ["state": "succeeded"], failure: nil, from: .memory)
        let record = try #require(try await h.queue.group("g-1", .results()))
        #expect(record.origins[.memory] == 2 && record.origins.values.reduce(0, +) == 6 && record.finished == 8)
        try await check(h)
    }

    @Test @Loop func `results of a group are read by pages, up to the byte limit of one read`() async throws {
        let h = try await QueueHarness()
        let held = try await started(h, group(), 250)
        let long = JSON.string(String(repeating: "x", count: GroupRecord.mostRead / 2))
        for index in 0..<250 where index != 3 {
            let outcome: JSON = index == 120 || index == 130 ? ["text": long] : ["state": JSON(index)]
            _ = try await h.queue.settle(held, index: index, outcome: outcome, failure: index % 100 == 7 ? failure : nil)
        }
        func read(_ extent: GroupRecord.Extent) async throws -> GroupRecord { try #require(try await h.queue.group("g-1", extent)) }
        var record = try await read(.results(from: 2, limit: 3))
        #expect(record.outcomes == [2: ["state": 2], 4: ["state": 4]] && record.readTo == 5 && record.failures == 3 && record.finished == 249)
        #expect(record.size > GroupRecord.mostRead && record.size < GroupRecord.mostRead + 20_000)
        record = try await read(.results(from: 5))
        #expect(record.readTo == 131 && record.ended == Set(5..<131))
        record = try await read(.results(from: 131))
        #expect(record.readTo == 250 && record.ended == Set(131..<250))
        record = try await read(.results(from: 999))
        #expect(record.readTo == 250 && record.ended.isEmpty)
        record = try await read(.outcomes(of: [120, 3, 130, 131]))
        #expect(Set(record.outcomes.keys) == [120, 130])
        record = try await read(.outcomes(of: [3, 131]))
        #expect(record.outcomes == [131: ["state": 131]])
        // The next driver needs none of the finished requests.
        record = try await read(.requests())
        #expect(record.outcomes.isEmpty && record.ended == Set(0..<250).subtracting([3]) && Array(record.requests.keys) == [3])
        record = try await read(.requests(from: 100))
        #expect(record.ended == Set(100..<250) && record.requests.isEmpty && record.readTo == 250)
    }

    @Test @Loop func `requests of a group are read by pages`() async throws {
        let h = try await QueueHarness()
        let long = String(repeating: "x", count: GroupRecord.mostRead / 2)
        let requests = (0..<5).map { #"{"url":"http://a/\#($0)","userInfo":"\#(long)"}"# }
        _ = try await h.queue.start(group: group(), coordinator: "c1", requests: requests)
        var (first, pages): (Int, [[Int]]) = (0, [])
        while first < 5 {
            let record = try #require(try await h.queue.group("g-1", .requests(from: first)))
            pages.append(record.requests.keys.sorted())
            first = record.readTo
        }
        #expect(pages == [[0, 1], [2, 3], [4]])
    }

    @Test @Loop func `one failure ends a failFast group, and its started items keep a lease until they are cancelled`() async throws {
        let h = try await QueueHarness()
        let held = try await started(h, group(isStrict: true), 3)
        for index in 0..<2 { #expect(try await h.queue.begin(held, index: index, begun(index)) == .ok) }
        #expect(try await h.queue.settle(held, index: 1, outcome: ["state": "failed"], failure: failure) == .noted(.failed, total: 3))
        try await check(h)
        #expect(try await h.queue.begin(held, index: 2, begun(2)) == .ended)
        let record = try #require(try await h.queue.group("g-1", .requests()))
        #expect(record.failed == 1 && record.requests.isEmpty && record.begun == [0: begun(0)])
        #expect(try await events(h).last?["failed"]?["error"]?["code"] == 1010)
        // The failure is in the answer for every page.
        #expect(try await h.queue.group("g-1", .results(limit: 0))?.outcomes == [1: ["state": "failed"]])
        // Its coordinator dies: another one must cancel the remaining requests.
        h.tick(10_001)
        let taken = try await h.queue.drive([], coordinator: "c2", adopting: 5).taken
        #expect(taken.map(\.group) == ["g-1"])
        #expect(try await h.queue.settle(held, index: 0, outcome: .null, failure: nil) == .stale)
        #expect(try await h.queue.settle(taken[0], index: 0, outcome: .null, failure: nil) == .noted(.failed, total: 3))
        try await check(h)
        h.tick(10_001)
        #expect(try await h.queue.drive([], coordinator: "c3", adopting: 5).taken.isEmpty)
        // An end after the group's own end changes nothing in the group.
        #expect(try await h.queue.group("g-1", .results())?.outcomes[0] == nil)
    }

    @Test @Loop func `a coordinator without a lease can change nothing`() async throws {
        let h = try await QueueHarness()
        let held = try await started(h, group(), 2)
        #expect(try await h.queue.begin(held, index: 0, begun(0)) == .ok)
        h.tick(9_000)
        let renewed = try await h.queue.drive([held], coordinator: "c1", adopting: 5)
        #expect(renewed.lost.isEmpty && renewed.over.isEmpty && renewed.taken.isEmpty)
        h.tick(9_000)
        #expect(try await h.queue.drive([], coordinator: "c2", adopting: 5).taken.isEmpty)
        h.tick(1_001)
        let taken = try #require(try await h.queue.drive([], coordinator: "c2", adopting: 5).taken.first)
        #expect(taken.token != held.token)
        #expect(try await h.queue.begin(held, index: 1, begun(1)) == .stale)
        #expect(try await h.queue.settle(held, index: 0, outcome: ["state": "failed"], failure: failure) == .stale)
        #expect(try await h.queue.drive([held], coordinator: "c1", adopting: 5).lost == ["g-1"])
        let record = try #require(try await h.queue.group("g-1", .requests()))
        #expect(record.finished == 0 && record.begun == [0: begun(0)] && record.requests.count == 2)
        try await check(h)
        // A released group is free at once, and no receipt is late for a while.
        _ = try await h.queue.drive([taken], coordinator: "c2", lease: .zero, adopting: 0)
        h.tick(59_000)
        #expect(OverdueWork.violations(in: try await h.queue.dump()) == [])
        h.tick(2_000)
        #expect(OverdueWork.violations(in: try await h.queue.dump()).count == 1)
        #expect(try await h.queue.drive([], coordinator: "c3", adopting: 5, onlyGivenUp: true).taken.count == 1)
        h.tick(20_000)
        #expect(try await h.queue.drive([], coordinator: "c1", adopting: 5, onlyGivenUp: true).taken.isEmpty)
    }

    @Test(arguments: [GroupRecord.Kind.chain, .batch]) @Loop
    func `a group that kills its drivers without progress is given up`(kind: GroupRecord.Kind) async throws {
        let h = try await QueueHarness()
        var driver = try await started(h, group(kind, isStrict: kind == .chain), 3)
        for _ in 0..<3 { driver = try #require(try await orphaned(h).first) }
        // A coordinator that stops releases its groups. The release does not count as a death.
        _ = try await h.queue.drive([driver], coordinator: "c2", lease: .zero, adopting: 0)
        driver = try #require(try await h.queue.drive([], coordinator: "c3", adopting: 5, onlyGivenUp: true).taken.first)
        // An item has ended: the count begins anew.
        #expect(try await h.queue.begin(driver, index: 0, begun(0)) == .ok)
        #expect(try await h.queue.settle(driver, index: 0, outcome: ["state": "succeeded"], failure: nil) == .noted(.running, total: 3))
        for _ in 0..<3 { driver = try #require(try await orphaned(h).first) }
        #expect(try await h.queue.begin(driver, index: 1, begun(1)) == .ok)
        try await check(h)
        // The next driver only cancels the started items.
        #expect(try await orphaned(h).count == 1)
        try await check(h)
        let record = try #require(try await h.queue.group("g-1", .requests()))
        #expect(record.state == .failed && record.failed == 1 && record.begun == [1: begun(1)] && record.requests.isEmpty)
        #expect(record.failure?["data"]?["name"] == "internal" && record.finished == 1)
        let last = try #require(try await events(h).last)
        #expect(last["type"] == "failed" && last["failed"]?["index"] == 1 && last["failed"]?["error"]?["code"] == -32603 && last["finished"] == 1)
        // If the cancellation kills coordinators too, deadlines end the remaining items.
        for _ in 0..<3 { _ = try await orphaned(h) }
        #expect(try await orphaned(h).isEmpty)
        try await check(h)
    }

    @Test @Loop func `steps are added once, while the chain runs`() async throws {
        let h = try await QueueHarness()
        let held = try await started(h, group(.chain, isStrict: true), 1)
        #expect(try await h.queue.append(group: "g-1", call: "a", requests: ["{}", "{}"], most: 3) == .ok)
        #expect(try await h.queue.append(group: "g-1", call: "a", requests: ["{}", "{}"], most: 3) == .ok)
        #expect(try await h.queue.append(group: "g-1", call: "b", requests: ["{}"], most: 3) == .full(3))
        #expect(try await h.queue.append(group: "other", call: "b", requests: ["{}"], most: 3) == .unknown)
        try await check(h)
        for index in 0..<3 {
            let answer = try await h.queue.settle(held, index: index, outcome: ["state": "succeeded"], failure: nil)
            #expect(answer == .noted(index == 2 ? .succeeded : .running, total: 3))
        }
        #expect(try await h.queue.append(group: "g-1", call: "c", requests: ["{}"], most: 9) == .ended)
        try await check(h)
        var batch = group()
        batch.id = "g-2"
        _ = try await h.queue.start(group: batch, coordinator: "c1", requests: ["{}"])
        #expect(try await h.queue.append(group: "g-2", call: "c", requests: ["{}"], most: 9) == .otherKind)
    }

    @Test @Loop func `steps are added once, also when others were added before the call was repeated`() async throws {
        let h = try await QueueHarness()
        _ = try await started(h, group(.chain, isStrict: true), 1)
        func append(_ call: Int) async throws { #expect(try await h.queue.append(group: "g-1", call: "c\(call)", requests: ["{}"], most: 99) == .ok) }
        for call in 0..<20 { try await append(call) }
        for call in (4..<20).reversed() { try await append(call) }
        #expect(try await h.queue.group("g-1", .state)?.total == 21)
        #expect(try await h.queue.dump().hash("g:g-1")["lastCalls"]?.split(separator: " ").count == 16)
        try await check(h)
    }

    @Test @Loop func `waiting steps of a chain have a byte limit, which ended steps free`() async throws {
        let h = try await QueueHarness()
        let held = try await started(h, group(.chain, isStrict: true), 1)
        let step = #"{"url":"http://a/0"}"#
        func append(_ call: String, _ count: Int) async throws -> GroupAppendAnswer {
            let steps = Array(repeating: step, count: count)
            return try await h.queue.append(group: "g-1", call: call, requests: steps, most: 99, mostBytes: 4 * step.utf8.count)
        }
        #expect(try await append("a", 4) == .long(step.utf8.count))
        #expect(try await append("b", 3) == .ok)
        #expect(try await append("b", 3) == .ok, "the same call again")
        #expect(try await append("c", 1) == .long(4 * step.utf8.count))
        #expect(try await h.queue.group("g-1", .state)?.total == 4)
        for index in 0..<2 { _ = try await h.queue.settle(held, index: index, outcome: ["state": "succeeded"], failure: nil) }
        // An end that is reported twice counts once.
        _ = try await h.queue.settle(held, index: 1, outcome: ["state": "succeeded"], failure: nil)
        #expect(try await append("d", 3) == .long(2 * step.utf8.count))
        #expect(try await append("e", 2) == .ok)
        for index in 2..<6 { _ = try await h.queue.settle(held, index: index, outcome: ["state": "succeeded"], failure: nil) }
        #expect(try await h.queue.dump().hash("g:g-1")["requestBytes"] == "0")
        try await check(h)
    }

    @Test @Loop func `the driver of a group learns of its cancellation, and a dead driver does not`() async throws {
        let h = try await QueueHarness()
        func told() async throws -> [QueueEvent] {
            try await h.messages().filter { $0.channel == h.queue.keys.events(coordinator: "c1") }.compactMap { QueueEvent($0.payload) }
        }
        try await h.queue.greet(coordinator: "c1")
        _ = try await started(h, group(), 1)
        _ = try await told()
        for _ in 0..<2 { #expect(try await h.queue.cancel(group: "g-1", reason: "requested") == .cancelled) }
        let events = try await told()
        #expect(events.map(\.fetch) == ["g-1"] && events.allSatisfy { $0.isEndOfGroup && $0.receipts.isEmpty })
        var second = group()
        second.id = "g-2"
        _ = try await h.queue.start(group: second, coordinator: "c2", requests: ["{}"])
        #expect(try await h.queue.cancel(group: "g-2", reason: "requested") == .cancelled)
        #expect(try await h.queue.dump().scores("co").keys.sorted() == ["c1"])
        try await check(h)
    }

    @Test @Loop func `an empty group ends when it starts, and a cancelled one has a reason`() async throws {
        let h = try await QueueHarness()
        #expect(try await h.queue.start(group: group(), coordinator: "c1", requests: []) == nil)
        #expect(try await events(h).map { $0["type"] } == ["succeeded"])
        try await check(h)
        var other = group()
        other.id = "g-2"
        let token = try #require(try await h.queue.start(group: other, coordinator: "c1", requests: ["{}"]))
        #expect(try await h.queue.begin(GroupLease(group: "g-2", token: token), index: 0, begun(0)) == .ok)
        #expect(try await h.queue.cancel(group: "g-2", reason: "requested") == .cancelled)
        try await check(h)
        #expect(try await h.queue.drive([GroupLease(group: "g-2", token: token)], coordinator: "c1", adopting: 0).over == ["g-2"])
        #expect(try await h.queue.group("g-2", .requests())?.reason == "requested")
        #expect(try await h.queue.cancel(group: "g-2", reason: "requested") == .cancelled)
        #expect(try await h.queue.cancel(group: "g-3", reason: "requested") == .unknown)
    }

    /// Three coordinators that start, drive, lose, settle, append and cancel in any order.
    @Test(arguments: 1...4) @Loop func `the invariants hold for calls in any order`(seed: UInt64) async throws {
        let h = try await QueueHarness()
        var dice = Dice(seed)
        var held: [[GroupLease]] = [[], [], []]
        var made = 0
        for _ in 0..<250 {
            let who = Int(dice.next() % 3)
            let index = Int(dice.next() % 4)
            switch dice.next() % 9 {
            case 0:
                made += 1
                var group = group([.batch, .chain, .prefetch][Int(dice.next() % 3)], isStrict: dice.next() % 2 == 0)
                group.id = "g-\(made)"
                let requests = (0..<Int(dice.next() % 4)).map { #"{"n":\#($0)}"# }
                let token = try await h.queue.start(group: group, coordinator: "c\(who)", requests: requests)
                if let token { held[who].append(GroupLease(group: group.id, token: token)) }
            case 1, 2:
                let answer = try await h.queue.drive(held[who], coordinator: "c\(who)", adopting: 2)
                held[who].removeAll { answer.lost.contains($0.group) }
                held[who] += answer.taken
            case 3: h.tick(Int64(dice.next() % 12_000))
            case 4: _ = try await h.queue.cancel(group: "g-\(dice.next() % UInt64(made + 1))", reason: "requested")
            case 5: _ = try await h.queue.append(group: "g-\(dice.next() % UInt64(made + 1))", call: "\(dice.next())", requests: ["{}"], most: 6)
            case 6:
                if let one = held[who].randomElement(using: &dice), try await exists(h, one, index) {
                    _ = try await h.queue.begin(one, index: index, begun(index))
                }
            default:
                if let one = held[who].randomElement(using: &dice), try await exists(h, one, index) {
                    let isGood = dice.next() % 3 > 0
                    _ = try await h.queue.settle(one, index: index, outcome: ["state": .bool(isGood)], failure: isGood ? nil : failure)
                }
            }
            try await check(h)
        }
    }

    @Loop private func exists(_ h: QueueHarness, _ lease: GroupLease, _ index: Int) async throws -> Bool {
        index < (try await h.queue.group(lease.group, .state)?.total ?? 0)
    }
}
