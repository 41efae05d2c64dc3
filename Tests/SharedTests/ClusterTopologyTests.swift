import TestSupport
import Testing
import TintypeCore
import TintypeQueue

@testable import TintypeTransport

/// Clients of a real Redis Cluster whose slots move and whose servers die.
@Suite(.timeLimit(.minutes(3)), .serialized, .scoped) struct ClusterTopologyTests {
    private static let logger = Logger(label: "test", level: .error)

    @Loop private func topology(_ site: ClusterSite) throws -> ClusterTopology {
        ClusterTopology(try ClusterURL(site.url), name: "test", logger: Self.logger)
    }

    @Loop private func nodes(_ topology: any RedisTopology) async throws -> RedisNodes {
        let nodes = RedisNodes(topology, name: "test", logger: Self.logger, scripts: QueueScripts.shipped.all, requirement: QueueSchema.requirement)
        TestScope.atEnd { await nodes.stop() }
        nodes.start()
        try await nodes.untilConnected(within: .seconds(30))
        return nodes
    }

    private static func key(_ tag: String) -> String { "tintype:{\(tag)}:cfg" }

    /// Returns a server without the slot.
    private func other(_ site: ClusterSite, than slot: Int) async throws -> Int { (try await site.owner(of: slot) + 1) % 3 }

    @Test @Loop func `slots are counted as Redis counts them, and each key goes to its server`() async throws {
        let site = try await ClusterSite()
        let redis = try await nodes(try topology(site))
        var used: Set<Int> = []
        for number in 0..<30 {
            let tag = RedisTag("q\(number)")
            let slot = try await site.slot(of: Self.key(tag.name))
            #expect(tag.slot == slot)
            _ = try await redis.node(for: tag).command(["HSET", .string(Self.key(tag.name)), "a", "1"])
            used.insert(try await site.owner(of: slot))
            #expect(try await site.servers[try await site.owner(of: slot)].command("HGET", Self.key(tag.name), "a") == "1")
        }
        #expect(used == [0, 1, 2] && redis.servers.count == 3)
        // A walk goes through all servers.
        var found: Set<String> = []
        var next: RedisKeyCursor? = RedisKeyCursor()
        while let place = next {
            let page = try await redis.keys(matching: "tintype:*:cfg", from: place)
            (found, next) = (found.union(page.keys), page.next)
        }
        #expect(found.count == 30)
    }

    @Test @Loop func `a server whose user may not publish for scripts is not used, also without the slot of default`() async throws {
        let site = try await ClusterSite()
        let mute = try await other(site, than: QueueKeys.shared.slot)
        try await site.servers[mute].command("ACL", "SETUSER", "default", "-spublish")
        let redis = RedisNodes(
            try topology(site), name: "test", logger: Self.logger, scripts: QueueScripts.shipped.all, requirement: QueueSchema.requirement)
        TestScope.atEnd { await redis.stop() }
        redis.start()
        try await Gate.until("the missing rule is named") { redis.failure?.description.contains("+spublish") == true }
        try await Gate.until("the others are used") { redis.servers.count(where: \.isConnected) == 2 }
        try await site.servers[mute].command("ACL", "SETUSER", "default", "+spublish")
        try await redis.untilConnected(within: .seconds(30))
    }

    @Test @Loop func `a queue whose slot moves waits meanwhile, and nothing of it begins at the other server`() async throws {
        let site = try await ClusterSite()
        let redis = try await nodes(try topology(site))
        let queue = Queue(name: "default", redis: redis)
        _ = try await queue.submit(QueueHarness.submission("r1"))
        let slot = queue.keys.tag.slot
        let (old, target) = (try await site.owner(of: slot), try await other(site, than: slot))
        try await site.beginMove(of: slot, to: target)
        let submit = Task { @Loop in try await queue.submit(QueueHarness.submission("r2", source: "other")) }
        try await Gate.until("it is refused, again and again") {
            let text = try await site.servers[old].command("INFO", "errorstats")
            return text.firstMatch(of: /errorstat_ASK:count=(\d+)/).flatMap { Int($0.1) } ?? 0 >= 3
        }
        #expect(try await site.servers[target].command("CLUSTER", "COUNTKEYSINSLOT", "\(slot)") == "0")
        try await site.endMove(of: slot, to: target)
        #expect(try await submit.value == .queued(state: .queued, position: 1, joined: false))
        #expect(try await queue.claim(worker: "w1", count: 5).fetches.count == 2)
        #expect(try await site.servers[old].command("CLUSTER", "COUNTKEYSINSLOT", "\(slot)") == "0")
        #expect(try await QueueInspection.violations(of: [queue], redis: redis).map(\.description) == [])
    }

    @Test @Loop func `a wait for tags that are left keeps no connection`() async throws {
        let site = try await ClusterSite()
        let topology = try topology(site)
        let redis = try await nodes(topology)
        let waits = MarkerWaiter(topology) { RedisNodes($0, name: "test-wait", logger: Self.logger) }
        TestScope.atEnd { await waits.stop() }
        waits.start()
        let tags = (0..<6).map { RedisTag("q\($0)") }
        func connections() async throws -> Int {
            var count = 0
            for server in site.servers { count += try await server.command("CLIENT", "LIST").split(separator: "\n").count { $0.contains("name=test-wait ") } }
            return count
        }
        func wait(for tags: [RedisTag], _ time: Duration) async {
            await waits.pop(anyOf: tags.map { MarkerWaiter.Key("\($0.prefix)mark", of: $0) }, within: time, then: [], endedBy: redis) { _ in }
        }
        await wait(for: tags, .milliseconds(50))
        #expect(try await connections() == 6)
        waits.keep(Set(tags.prefix(2)))
        try await Gate.until("those of the others are closed") { try await connections() == 2 }
        // One that waits is closed at the end of its wait.
        let last = Task { @Loop in await wait(for: Array(tags.prefix(2)), .seconds(30)) }
        try await Gate.until("both wait") {
            var count = 0
            for server in site.servers {
                count += try await server.command("CLIENT", "LIST").split(separator: "\n").count {
                    $0.contains("name=test-wait ") && $0.contains("cmd=bzpopmin")
                }
            }
            return count == 2
        }
        waits.keep([tags[0]])
        #expect(try await connections() == 2)
        while !(await waits.end(by: redis)) {}
        await last.value
        try await Gate.until("one is left") { try await connections() == 1 }
        await wait(for: [tags[0]], .milliseconds(50))
    }

    @Test @Loop func `a slot that stays on its way is a failure that passes, not a hang`() async throws {
        let site = try await ClusterSite()
        let redis = try await nodes(
            ClusterTopology(try ClusterURL(site.url + (site.url.contains("?") ? "" : "?timeout=500ms")), name: "test", logger: Self.logger))
        let queue = Queue(name: "default", redis: redis)
        _ = try await queue.submit(QueueHarness.submission("r1"))
        let slot = queue.keys.tag.slot
        try await site.beginMove(of: slot, to: try await other(site, than: slot))
        let error = await #expect(throws: RedisError.self) { try await queue.submit(QueueHarness.submission("r2", source: "other")) }
        #expect(error?.isRetryable == true && error?.mayHaveRun == false && error?.description.contains("ASK") == true, "\(error.map { "\($0)" } ?? "")")
    }

    @Test @Loop func `a key that shares its slot with no other is found on both sides of a move`() async throws {
        let site = try await ClusterSite()
        let redis = try await nodes(try topology(site))
        let tag = RedisSpace.results.tag(of: "one")
        let node = redis.node(for: tag)
        let (slot, target) = (tag.slot, try await other(site, than: tag.slot))
        try await site.beginMove(of: slot, to: target)
        // Not here, hence perhaps there.
        #expect(try await node.command(["GET", .string(tag.prefix)]).isNull)
        _ = try await node.command(["SET", .string(tag.prefix), "a"])
        #expect(try await site.servers[target].command("CLUSTER", "COUNTKEYSINSLOT", "\(slot)") == "1")
        #expect(try await node.command(["GET", .string(tag.prefix)]).string == "a")
        let script = LuaScript(name: "take", source: "return redis.call('GETDEL', KEYS[1])")
        #expect(try await node.run(script, keys: [tag.prefix], []).string == "a")
        try await site.endMove(of: slot, to: target)
        #expect(try await node.command(["GET", .string(tag.prefix)]).isNull)
    }

    @Test @Loop func `a key on its way to a server without slots is found there`() async throws {
        let site = try await ClusterSite(spare: 1)
        let redis = try await nodes(try topology(site))
        let tag = RedisSpace.results.tag(of: "one")
        let node = redis.node(for: tag)
        try await site.admit(3)
        try await site.beginMove(of: tag.slot, to: 3)
        _ = try await node.command(["SET", .string(tag.prefix), "a"])
        #expect(try await site.servers[3].command("CLUSTER", "COUNTKEYSINSLOT", "\(tag.slot)") == "1")
        #expect(try await node.command(["GET", .string(tag.prefix)]).string == "a" && redis.servers.count == 3)
        try await site.endMove(of: tag.slot, to: 3)
        #expect(try await node.command(["GET", .string(tag.prefix)]).string == "a")
        try await Gate.until("its clients are four") { redis.servers.count == 4 && redis.isConnected }
    }

    /// Returns the keys of a walk. `turn` is called behind the first page.
    @Loop private func walk(_ redis: RedisNodes, _ tag: RedisTag?, _ turn: () async throws -> Void) async throws -> Set<String> {
        var (found, pages): (Set<String>, Int) = ([], 0)
        var next: RedisKeyCursor? = RedisKeyCursor()
        while let place = next {
            let page = try await redis.keys(matching: "tintype:*", of: tag, from: place)
            (found, next, pages) = (found.union(page.keys), page.next, pages + 1)
            if pages == 1 { try await turn() }
        }
        return found
    }

    @Test @Loop func `a walk through keys begins again where their slot moves, and fails if a server leaves`() async throws {
        let site = try await ClusterSite(spare: 1)
        let topology = try topology(site)
        let redis = try await nodes(topology)
        let tag = RedisTag("default")
        let target = try await other(site, than: tag.slot)
        let filling = "for number = 1, 3000 do redis.call('SET', KEYS[1] .. number, '') end"
        try await site.servers[try await site.owner(of: tag.slot)].command("EVAL", filling, "1", tag.prefix)
        let moved = try await walk(redis, tag) {
            try await site.move(tag.slot, to: target)
            try await Gate.until("the move is known") { topology.map.primary(of: tag.slot).map { "\($0)".hasSuffix(":\(site.ports[target])") } ?? false }
        }
        #expect(moved.count == 3000)
        try await site.admit(3)
        let last = HashSlot.count - 1
        try await site.move(last, to: 3)
        try await Gate.until("a fourth server has a slot") {
            topology.ask()
            return redis.servers.count == 4 && redis.isConnected
        }
        #expect(try await walk(redis, nil) {}.count == 3000)
        let error = await #expect(throws: RedisError.self) {
            _ = try await walk(redis, nil) {
                try await site.move(last, to: 0)
                try await Gate.until("it is gone") {
                    topology.ask()
                    return redis.servers.count == 3
                }
            }
        }
        #expect(error?.isRetryable == true && error?.description.contains("begin the walk again") == true)
    }

    @Test @Loop func `the end of a move counts as a new connection to the queue, and leases that ran out meanwhile are not ended`() async throws {
        let site = try await ClusterSite()
        let redis = try await nodes(try topology(site))
        let queue = Queue(name: "default", redis: redis, times: QueueTimes(lease: .seconds(1)))
        _ = try await queue.submit(QueueHarness.submission("r1"))
        #expect(try await queue.claim(worker: "w1", count: 1).fetches.count == 1)
        let slot = queue.keys.tag.slot
        let (target, since) = (try await other(site, than: slot), try #require(queue.node.connectedSince))
        #expect(!queue.node.isMoving(within: .seconds(100)))
        try await site.beginMove(of: slot, to: target)
        // It fails at once: a check that waits would run behind the move, when all leases are over.
        await #expect(throws: RedisError.self) { try await queue.reap() }
        let refused = try await site.servers[try await site.owner(of: slot)].command("INFO", "errorstats").firstMatch(of: /errorstat_ASK:count=(\d+)/)
        #expect(refused?.1 == "1" && queue.node.isMoving(within: .seconds(100)))
        let first = try #require(queue.node.connectedSince)
        #expect(first > since)
        _ = try? await queue.node.command(["EXISTS", .string(queue.keys.prefix)], waits: false)
        #expect(try #require(queue.node.connectedSince) > first)
        try await site.endMove(of: slot, to: target)
        #expect(try await queue.info()?.running == 1)
    }

    @Test @Loop func `a queue that nobody listens to any more costs no connection`() async throws {
        let site = try await ClusterSite()
        let channels = RedisChannels(try topology(site), name: "test-ear", logger: Self.logger)
        TestScope.atEnd { await channels.stop() }
        channels.start()
        let (one, two) = (RedisTag("one"), RedisTag("two"))
        let kept = channels.subscribe(one.prefix + "a", .sharded, of: one) { _, _ in }
        let left = [channels.subscribe(two.prefix + "a", .sharded, of: two) { _, _ in }, channels.subscribe(two.prefix + "b", .sharded, of: two) { _, _ in }]
        func ears() async throws -> Int {
            var count = 0
            for server in site.servers { count += try await server.command("CLIENT", "LIST").split(separator: "\n").count { $0.contains("name=test-ear ") } }
            return count
        }
        try await Gate.until("two listen") { try await ears() == 2 }
        channels.unsubscribe(left[0])
        #expect(try await ears() == 2)
        channels.unsubscribe(left[1])
        try await Gate.until("one listens") { try await ears() == 1 }
        // It may come back.
        var isConfirmed = false
        let again = channels.subscribe(two.prefix + "a", .sharded, of: two, confirmed: { isConfirmed = true }) { _, _ in }
        try await Gate.until("two listen again") { isConfirmed }
        for subscription in [kept, again] { channels.unsubscribe(subscription) }
        try await Gate.until("none listens") { try await ears() == 0 }
    }

    @Test @Loop func `a moved slot takes waits and channels along`() async throws {
        let site = try await ClusterSite()
        let topology = try topology(site)
        let redis = try await nodes(topology)
        let queues = ["default", "bulk"].map { Queue(name: $0, redis: redis) }
        _ = try await queues[1].configure(QueueChange(maxConcurrent: 2))
        let waits = MarkerWaiter(topology) { RedisNodes($0, name: "test-wait", logger: Self.logger) }
        let channels = RedisChannels(topology, name: "test-ear", logger: Self.logger)
        TestScope.atEnd {
            await waits.stop()
            await channels.stop()
        }
        channels.start()
        waits.start()
        var (confirmed, heard) = (0, [String]())
        let tag = queues[0].keys.tag
        let ear = channels.subscribe(queues[0].keys.control, .sharded, of: tag, confirmed: { confirmed += 1 }) {
            heard.append(String(decoding: $1, as: UTF8.self))
        }
        try await Gate.until("it listens") { confirmed == 1 }
        for number in 0..<2 {
            let target = try await other(site, than: tag.slot)
            try await site.move(tag.slot, to: target)
            try await Gate.until("it listens at the new server") { confirmed >= number + 2 }
            try await Gate.until("a message arrives") {
                try await site.servers[target].command("SPUBLISH", queues[0].keys.control, "to \(number)")
                return heard.contains("to \(number)")
            }
            // The marker of work ends the wait.
            let sleeping = Task { @Loop in
                var woken: [String] = []
                while woken.isEmpty {
                    do {
                        try await Queue.sleep(on: waits, queues, claiming: queues.map { ($0, 1) }, worker: "w1", for: .seconds(2)) { wake in
                            for claim in wake.claims { woken += (try? claim.answer.get())?.fetches.map { _ in queues[claim.place].name } ?? [] }
                        }
                    } catch { try await Loop.sleep(.milliseconds(50)) }
                }
                return woken
            }
            _ = try await queues[0].submit(QueueHarness.submission("r\(number)", source: "s\(number)", host: "h\(number).test"))
            #expect(try await sleeping.value == ["default"])
        }
        channels.unsubscribe(ear)
    }

    @Test @Loop func `a server that joins the cluster is used for the slots that it gets`() async throws {
        let site = try await ClusterSite(spare: 1)
        let topology = try topology(site)
        let redis = try await nodes(topology)
        let tag = RedisTag("default")
        _ = try await redis.node(for: tag).command(["HSET", .string(Self.key("default")), "a", "1"])
        try await site.admit(3)
        try await site.move(tag.slot, to: 3)
        #expect(try await redis.node(for: tag).command(["HGET", .string(Self.key("default")), "a"]).string == "1")
        try await Gate.until("its clients are four") { redis.servers.count == 4 && redis.isConnected }
        // And back: a server without slots is left.
        try await site.move(tag.slot, to: 0)
        #expect(try await redis.node(for: tag).command(["HGET", .string(Self.key("default")), "a"]).string == "1")
        try await Gate.until("its clients are three") { redis.servers.count == 3 && redis.isConnected }
    }

    @Test @Loop func `a replica that is promoted serves the slots of its dead primary`() async throws {
        let site = try await ClusterSite(replicas: 1)
        let topology = try topology(site)
        let redis = try await nodes(topology)
        let queue = Queue(name: "default", redis: redis)
        _ = try await queue.submit(QueueHarness.submission("r1"))
        let old = try await site.owner(of: queue.keys.tag.slot)
        try await Gate.until("the replica has it") { try await site.servers[old + 3].command("DBSIZE") != "0" }
        await site.servers[old].kill9()
        try await Gate.until("the queue goes on") { (try? await queue.claim(worker: "w1", count: 1).fetches.count) == 1 }
        try await Gate.until("all servers are connected") { redis.isConnected }
        #expect(try await site.owner(of: queue.keys.tag.slot) == old + 3 && topology.primaryStatus.switches >= 1)
        #expect(redis.servers.count == 3)
        _ = try await queue.submit(QueueHarness.submission("r2", source: "other"))
    }

    @Test @Loop func `a replica serves the slots of a primary that hangs, though it still takes connections`() async throws {
        let site = try await ClusterSite(replicas: 1)
        let redis = try await nodes(try topology(site))
        let queue = Queue(name: "default", redis: redis)
        _ = try await queue.submit(QueueHarness.submission("r1"))
        let old = try await site.owner(of: queue.keys.tag.slot)
        try await Gate.until("the replica has it") { try await site.servers[old + 3].command("DBSIZE") != "0" }
        site.servers[old].freeze()
        defer { site.servers[old].thaw() }
        try await Gate.until("the queue goes on") { (try? await queue.claim(worker: "w1", count: 1).fetches.count) == 1 }
        try await Gate.until("all servers are connected") { redis.isConnected }
        #expect(try await site.owner(of: queue.keys.tag.slot) == old + 3)
    }

    @Test @Loop func `a slot on its way is no reason to ask for the slots, and one that has moved is no reason to doubt its old server`() async throws {
        let site = try await ClusterSite()
        let topology = try topology(site)
        _ = try await nodes(topology)
        let slot = QueueKeys.shared.slot
        let target = site.ports[try await other(site, than: slot)]
        let part = topology.part(of: RedisTag("default"))
        let opened = try await part.open(name: "part")
        try await Gate.until("no question is under way") { !topology.isTroubled && !topology.isAsking }
        let old = try #require(topology.map.primary(of: slot))
        for words in ["ASK \(slot) 127.0.0.1:\(target)", "TRYAGAIN Multiple keys request during rehashing of slot"] {
            _ = topology.follow(try #require(ClusterRedirect(words)), from: old)
            #expect(!topology.isAsking, "\(words)")
        }
        _ = topology.follow(try #require(ClusterRedirect("MOVED \(slot) 127.0.0.1:\(target)")), from: old)
        #expect(topology.isAsking && opened.closed.isComplete)
        part.doubt(old)
        #expect(!topology.isTroubled)
    }

    @Test @Loop func `a dead server of the URL that has no slots is no trouble`() async throws {
        let site = try await ClusterSite()
        let url = site.url.replacing("cluster://", with: "cluster://127.0.0.1:\(try FreePort.find()),")
        let topology = ClusterTopology(try ClusterURL(url), name: "test", logger: Self.logger)
        _ = try await nodes(topology)
        try await Gate.until("all is well") { !topology.isTroubled }
        topology.doubt(try SocketAddress("127.0.0.1:1"))
        #expect(!topology.isTroubled)
        topology.doubt(try #require(topology.map.primary(of: 0)))
        #expect(topology.isTroubled)
        try await Gate.until("all is well again") { !topology.isTroubled }
    }

    @Test @Loop func `a connection for a slot that moves while it is opened is not used`() async throws {
        let site = try await ClusterSite()
        let topology = try topology(site)
        _ = try await nodes(topology)
        let slot = QueueKeys.shared.slot
        let target = site.ports[try await other(site, than: slot)]
        let begun = LoopCounter()
        let opening = Task { @Loop in
            begun.note()
            // Goes on until it waits for the connection, before anything else runs on the loop.
            return try await topology.open(slot: slot, name: "late")
        }
        try await begun.reaches(1)
        _ = topology.follow(try #require(ClusterRedirect("MOVED \(slot) 127.0.0.1:\(target)")), from: try #require(topology.map.primary(of: slot)))
        await #expect(throws: RedisError.self) { try await opening.value }
    }

    @Test @Loop func `servers that are no cluster, and the absence of all servers, are reported`() async throws {
        let alone = try await RedisServer(options: ["--port", "\(try FreePort.find())"], isCluster: false)
        let port = try await alone.command("CONFIG", "GET", "port").split(separator: "\n").last ?? ""
        for (url, words) in [
            ("cluster://127.0.0.1:\(port)?timeout=200ms", "cluster support disabled"),
            ("cluster://127.0.0.1:\(try FreePort.find())?timeout=200ms", "127.0.0.1"),
        ] {
            let log = try LoggedLines()
            let redis = RedisNodes(ClusterTopology(try ClusterURL(url), name: "test", logger: log.logger), name: "test", logger: log.logger)
            redis.start()
            try await log.until("no server tells the slots of the Redis Cluster")
            #expect(log.all.contains { $0.contains(words) }, "\(log.all)")
            #expect(!redis.isConnected && redis.failure?.isRetryable == true)
            let error = await #expect(throws: RedisError.self) { try await redis.untilConnected(within: .milliseconds(50)) }
            #expect(error?.isRetryable == true)
            redis.stop()
        }
    }
}
