import TintypeCore
import Testing

@testable import tintype

/// The keys of `tintype top`, and what the screen shows.
@Suite struct TopModelTests {
    private static let now = 1_700_000_000.0

    private static func json(_ text: String) throws -> JSON { try JSON(parsing: Array(text.utf8)) }
    private static func list(_ text: String) throws -> TopList { TopList(items: try json(text).array ?? []) }

    /// Two queues, two workers, a dead letter of each kind, a host and a run.
    private static func model(_ tab: TopTab = .queues) throws -> TopModel {
        var model = TopModel(tab: tab)
        model.address = "127.0.0.1:7411"
        var reading = TopReading()
        reading.info = ["coordinators": 1, "uptime": 7300, "version": "0.9.0"]
        reading.queues =
            try
            (json(
                #"""
                [{"name":"default","order":"fifo","paused":false,"limits":{"maxConcurrent":64,"maxConcurrentPerHost":6},"queued":3,"delayed":0,"running":32,"dead":2,
                "oldestQueuedSeconds":45,"heldHosts":{"slow.example":1700000100},"workers":2},
                {"name":"bulk","order":"lifo","paused":true,"limits":{"maxConcurrent":8,"maxConcurrentPerHost":6},"queued":0,"delayed":0,"running":0,"dead":0,
                "oldestQueuedSeconds":null,"heldHosts":{},"workers":0}]
                """#
            ).array) ?? []
        reading.workers =
            try json(
                #"[{"id":"w-2","host":"h","slots":8,"running":0,"state":"quiet"},{"id":"w-1","host":"h","slots":32,"running":32,"rssBytes":90000000,"state":"running"}]"#
            ).array ?? []
        reading.runs = try list(
            #"[{"fetch":"f1","queue":"default","url":"https://a.example/\u001b[31mred.png","host":"a.example","worker":"w-1","attempt":2,"phase":"download","startedSeconds":12,"fraction":0.5,"receivedBytes":2000}]"#
        )
        reading.hosts = try list(#"[{"host":"a.example","queue":"default","running":6,"limit":6,"failed":2,"heldUntil":1700000030}]"#)
        reading.dead = try list(
            #"[{"id":"d-1","queue":"default","url":"https://a.example/1","error":{"message":"no","data":{"name":"httpStatus","status":503}},"attempts":3,"at":1699999990,"retryable":true},{"id":"d-2","queue":"default","url":"https://a.example/2","error":{"message":"gone"},"attempts":1,"at":1699999000,"retryable":false}]"#
        )
        reading.failures = try list(
            #"[{"error":"httpStatus","status":404,"host":"a.example","queue":"default","count":7,"lastAt":1699999980,"sample":{"receipt":"r","url":"https://a.example/1","message":"the server \u001b[2Janswered 404"}},{"error":"badImageData","host":"b.example","queue":"bulk","count":2,"lastAt":1699999970,"sample":{"message":"no picture"},"crashes":[{"sha256":"00"}]}]"#
        )
        reading.blacklist = try list(
            #"[{"id":"b-1","queue":"default","url":"https://a.example/gone\u202egnp.png","cause":"httpStatus","status":404,"refuses":"all","until":1700000060}]"#
        )
        reading.points =
            try json(
                #"[{"time":1699999998,"seconds":1,"counts":{"requests":10,"submits":5,"pictures":1,"succeeded":4,"memoryHits":6,"memoryMisses":4,"resultHits":2,"resultMisses":2},"phases":{"queue":{"count":4,"sum":0.4},"dns":{"count":4,"sum":0.1},"firstByte":{"count":4,"sum":0.3},"download":{"count":4,"sum":1.1},"encode":{"count":4,"sum":0.2}}},{"time":1699999999,"seconds":1,"counts":{"requests":30,"submits":15},"phases":{}}]"#
            ).array ?? []
        model.snapshot.take(reading)
        return model
    }

    private func press(_ keys: String, in model: inout TopModel) -> [TopModel.Effect] {
        var reader = KeyReader()
        return (reader.take(Array(keys.utf8)) + reader.flush()).compactMap { model.take($0, now: Self.now) }
    }

    private func lines(_ model: TopModel, _ columns: Int = 110, _ rows: Int = 30) -> [String] {
        TopLayout.frame(model, ScreenSize(columns: columns, rows: rows), now: Self.now).lines.map(\.text)
    }

    @Test(arguments: [
        ("1", TopTab.queues), ("2", .running), ("3", .hosts), ("4", .workers), ("5", .dead), ("6", .failures), ("7", .blacklist), ("8", .events),
        ("\t", .running),
        ("\t\t\t\t\t\t\t\t", .queues),
        ("\u{1b}[Z", .events), ("\u{1b}[C\u{1b}[C", .hosts), ("\u{1b}[D", .events), ("9", .queues), ("4\t", .dead),
    ])
    func `numbers, Tab and arrows show another tab`(keys: String, tab: TopTab) throws {
        var model = try Self.model()
        let effects = press(keys, in: &model)
        #expect(model.tab == tab)
        #expect(effects.isEmpty == ["1", "9"].contains(keys) && effects.allSatisfy { $0 == .look }, "\(effects)")
    }

    @Test(arguments: ["x", "\u{3}", "?x", "/abc\u{3}", "4q\u{3}"]) func `x and Ctrl-C leave`(keys: String) throws {
        var model = try Self.model()
        #expect(press(keys, in: &model).last == .leave)
    }

    @Test(arguments: ["q", "\u{1b}", "/x", "/q\u{1b}", "?q"]) func `no other key leaves`(keys: String) throws {
        var model = try Self.model()
        #expect(press(keys, in: &model).isEmpty)
    }

    @Test func `a queue is paused after a question, and resumed without one`() throws {
        var model = try Self.model()
        #expect(press("p", in: &model).isEmpty && model.question?.text.contains("pause the queue default?") == true)
        #expect(lines(model)[28].contains("pause the queue default?") && lines(model)[28].contains("y yes"), "\(lines(model))")
        #expect(press("n", in: &model).isEmpty && model.question == nil && model.notice?.text == "nothing was done")
        #expect(press("py", in: &model) == [.call(method: "queue.pause", params: ["queue": "default"], done: "default is paused")])
        #expect(press("jp", in: &model) == [.call(method: "queue.resume", params: ["queue": "bulk"], done: "bulk is open")])
        // A paste is no answer.
        #expect(press("\u{1b}[Ap\u{1b}[200~y\u{1b}[201~", in: &model).isEmpty)
    }

    @Test func `a worker is drained after a question, and claims again without one`() throws {
        var model = try Self.model(.workers)
        #expect(press("qy", in: &model) == [.call(method: "workers.quiet", params: ["worker": "w-1", "quiet": true], done: "w-1 claims nothing new")])
        #expect(press("jq", in: &model) == [.call(method: "workers.quiet", params: ["worker": "w-2", "quiet": false], done: "w-2 claims again")])
        var other = try Self.model(.queues)
        #expect(
            press("q", in: &other).isEmpty && other.question == nil && other.notice?.text == "in workers, q drains a worker, or lets it claim again; x leaves")
    }

    @Test func `a dead letter is retried if all of it was kept`() throws {
        var model = try Self.model(.dead)
        #expect(
            press("r", in: &model)
                == [.call(method: "dead.retry", params: ["queue": "default", "ids": ["d-1"]], done: "d-1 is queued again, as receipt retry-d-1")])
        #expect(press("jr", in: &model).isEmpty && model.notice == .init(text: "d-2 cannot be retried: only its URL is kept", isBad: true))
    }

    @Test func `a dead letter is discarded after a question`() throws {
        var model = try Self.model(.dead)
        #expect(press("d", in: &model).isEmpty && model.question?.text.contains("discard the dead letter d-1?") == true)
        #expect(press("n", in: &model).isEmpty && model.notice?.text == "nothing was done")
        // One that cannot be retried can be discarded.
        let effect = TopModel.Effect.call(method: "dead.remove", params: ["queue": "default", "ids": ["d-2"]], done: "d-2 is discarded")
        #expect(press("jdy", in: &model) == [effect])
    }

    @Test func `a group of failures is asked for again, with its status if it has one`() throws {
        var model = try Self.model(.failures)
        let first: JSON = ["limit": 1000, "error": "httpStatus", "status": 404, "host": "a.example", "queue": "default"]
        #expect(press("r", in: &model) == [.call(method: "failures.retry", params: first, done: "httpStatus 404 from a.example")])
        let second: JSON = ["limit": 1000, "error": "badImageData", "host": "b.example", "queue": "bulk"]
        #expect(press("jr", in: &model) == [.call(method: "failures.retry", params: second, done: "badImageData from b.example")])
        // The blacklist knows the first error of a source, and no dead letter has this one.
        model.snapshot.failures.items = [["error": "blacklisted", "status": 404, "host": "a.example", "queue": "default"]]
        #expect(press("r", in: &model).isEmpty && model.notice?.isBad == true && model.notice?.text.contains("in the tab blacklist") == true)
    }

    @Test func `an entry of the blacklist is removed`() throws {
        var model = try Self.model(.blacklist)
        #expect(
            press("d", in: &model) == [
                .call(
                    method: "blacklist.remove", params: ["id": "b-1", "queue": "default"], done: "https://a.example/gone\u{202e}gnp.png may be asked again")
            ])
        model.notice = .init(text: "https://a.example/gone\u{202e}gnp.png may be asked again", isBad: false)
        #expect(lines(model)[28].contains("gone\\u202egnp.png may be asked again"), "\(lines(model)[28])")
    }

    @Test(arguments: [
        ("r", "in dead, r retries a dead letter; in failures, r asks for the sources of a group again"),
        ("d", "in dead, d discards a dead letter; in blacklist, d takes a source off the blacklist"), ("z", "no key z; ? lists the keys"),
    ])
    func `a key of another tab says where it counts`(key: String, text: String) throws {
        var model = try Self.model(.hosts)
        #expect(press(key, in: &model).isEmpty && model.notice?.text == text, "\(model.notice?.text ?? "")")
    }

    @Test(arguments: [
        (#"{"retried":1,"pardoned":0}"#, "timeout from a: 1 dead letter queued again, 0 sources off the blacklist", false),
        (#"{"retried":0,"pardoned":2}"#, "timeout from a: 0 dead letters queued again, 2 sources off the blacklist", false),
        (#"{"retried":999,"pardoned":1}"#, "timeout from a: 999 dead letters queued again, 1 source off the blacklist; there may be more", false),
        (#"{"retried":0,"pardoned":0}"#, "nothing was done: no dead letter and no blacklisted source is of timeout from a", true),
        (#"{"retried":1}"#, "timeout from a", false), (#"{"retried":0}"#, "nothing was done: it is not there any more", true),
        (#"{"removed":1}"#, "timeout from a", false), (#"{"removed":0}"#, "nothing was done: it is not there any more", true),
        (#"{"queue":"default"}"#, "timeout from a", false),
    ])
    func `an answer says how many`(answer: String, text: String, isBad: Bool) throws {
        #expect(TopModel.Notice(try Self.json(answer), done: "timeout from a") == .init(text: text, isBad: isBad))
    }

    @Test(arguments: [(110, " 1 queues 2   2 running 32 "), (90, "1 queues 2 2 running 32 3 hosts"), (70, "1 queues 2 running 3 hosts")])
    func `tabs need less room on a narrow screen`(columns: Int, text: String) throws {
        let shown = lines(try Self.model(), columns)
        #expect(shown.contains { $0.contains(text) }, "\(shown)")
    }

    @Test func `every key of a tab is at its foot and in the help`() throws {
        for key in TopKey.all {
            var model = try Self.model(key.tab)
            #expect(lines(model)[29].contains("\(key.character) \(key.brief)"))
            _ = press("?", in: &model)
            #expect(lines(model).joined(separator: "\n").contains("in \(key.tab.rawValue): \(key.meaning)"))
        }
    }

    @Test func `the chosen row stays chosen while others come and go`() throws {
        var model = try Self.model()
        _ = press("j", in: &model)
        model.snapshot.queues.insert(["name": "alpha", "paused": false], at: 0)
        #expect(press("p", in: &model) == [.call(method: "queue.resume", params: ["queue": "bulk"], done: "bulk is open")])
        model.snapshot.queues.removeAll { $0["name"] == "bulk" }
        #expect(press("p", in: &model).isEmpty && model.question?.text.contains("default") == true, "the last row is in the place of a last one that is gone")
        _ = press("n\u{1b}[F", in: &model)
        #expect(press("py", in: &model).first == .call(method: "queue.pause", params: ["queue": "default"], done: "default is paused"))
    }

    @Test func `when the chosen row is gone, the next one is chosen`() throws {
        var model = try Self.model(.dead)
        func letter(_ number: Int, _ queue: String = "default") -> JSON {
            ["id": .string("d-\(number)"), "queue": .string(queue), "at": JSON(2_000_000_000 - number), "retryable": true]
        }
        model.snapshot.dead.items = (1...5).map { letter($0) }
        _ = press("jjr", in: &model)
        model.snapshot.dead.items.removeAll { $0["id"]?.string == "d-3" }
        #expect(
            press("r", in: &model) == [
                .call(method: "dead.retry", params: ["queue": "default", "ids": ["d-4"]], done: "d-4 is queued again, as receipt retry-d-4")
            ])
        model.snapshot.dead.items = [letter(4, "bulk"), letter(5), letter(4)]
        #expect(model.choice(among: model.table(now: Self.now).rows) == 1, "the letter of another queue has the same id")
        model.snapshot.dead.items = [letter(1)]
        #expect(model.choice(among: model.table(now: Self.now).rows) == 0)
    }

    @Test func `a filter keeps rows with a text, each tab its own`() throws {
        var model = try Self.model()
        _ = press("/BUL", in: &model)
        #expect(model.isFiltering && model.table(now: Self.now).rows.map(\.id) == ["bulk"])
        #expect(lines(model)[28].contains("/BUL"))
        _ = press("\u{7f}\u{7f}\u{7f}efa\r", in: &model)
        #expect(!model.isFiltering && model.filter == "efa" && model.table(now: Self.now).rows.map(\.id) == ["default"])
        #expect(lines(model).contains { $0.contains("only rows with \"efa\"") })
        _ = press("5", in: &model)
        #expect(model.filter == "" && model.table(now: Self.now).rows.count == 2)
        _ = press("1\u{1b}", in: &model)
        #expect(model.filter == "" && model.table(now: Self.now).rows.count == 2)
        _ = press("/nowhere", in: &model)
        #expect(lines(model).contains { $0.contains("nothing has \"nowhere\" in it") })
        _ = press("\u{15}\u{1b}[200~bulk\u{1b}[201~", in: &model)
        #expect(model.table(now: Self.now).rows.map(\.id) == ["bulk"])
        _ = press("\u{1b}", in: &model)
        #expect(!model.isFiltering && model.filter == "")
    }

    @Test(arguments: [
        (TopTab.queues, ["default", "open", "32/64", "█████·····", "45 s", "slow.example", "bulk", "paused"]),
        (.running, ["12 s", "download", "█████·····", "2.0 kB", "https://a.example/\\u001b[31mred.png"]), (.hosts, ["6/6", "██████████", "30 s", "a.example"]),
        (.workers, ["w-1", "running", "32/32", "90 MB", "w-2", "quiet"]), (.dead, ["10 s", "httpStatus 503", "yes", "d-1", "https://a.example/2", "no"]),
        (.failures, ["httpStatus 404", "20 s", "a.example", "the server \\u001b[2Janswered 404", "badImageData", "b.example", "bulk"]),
        (.blacklist, ["60 s", "httpStatus 404", "all", "https://a.example/gone\\u202egnp.png"]), (.events, ["nothing has ended"]),
    ])
    func `each tab shows its rows`(tab: TopTab, texts: [String]) throws {
        let shown = lines(try Self.model(tab), 150).joined(separator: "\n")
        for text in texts { #expect(shown.contains(text), "\(text)\n\(shown)") }
    }

    @Test func `the head shows rates, their last minutes and the phases`() throws {
        let shown = lines(try Self.model())
        #expect(shown[0].contains("tintype 127.0.0.1:7411") && shown[0].contains("1 coordinator · 2 workers, 1 running · up 2 h · 0.9.0"), "\(shown[0])")
        #expect(shown[0].hasSuffix("22:13:20 UTC "), "\(shown[0])")
        // The averages of two seconds.
        #expect(shown[1].contains("requests      10/s") && shown[1].contains("▃█"), "\(shown[1])")
        #expect(shown[2].contains("pictures    0.50/s") && shown[3].contains("made        2.00/s"), "\(shown[2]) \(shown[3])")
        // The download begins with the first byte, which begins with the name: none is counted twice.
        #expect(shown[1].contains("download") && shown[1].contains("47 %") && shown[1].contains("200 ms"), "\(shown[1])")
        #expect(shown[2].contains("queue") && shown[2].contains("24 %"), "\(shown[2])")
        #expect(try Self.model().snapshot.hits == 0.8)
        #expect(shown[6].contains("1 queues 2") && shown[6].contains("5 dead 2"), "\(shown[6])")
    }

    @Test func `an absent coordinator is said, and what was known stays`() throws {
        var model = try Self.model()
        model.link = .away("Connection refused", since: Self.now - 12)
        #expect(lines(model)[0].contains("no coordinator for 12 s, trying again: Connection refused") && lines(model).contains { $0.contains("bulk") })
        model.link = .troubled("Redis is out of reach")
        #expect(lines(model)[0].contains("this is old: Redis is out of reach"))
    }

    @Test(arguments: [1, 2, 3, 5, 8, 13, 14, 24, 200]) func `a frame has the size of its screen, whatever that is`(rows: Int) throws {
        for columns in [1, 2, 5, 10, 20, 40, 60, 71, 72, 80, 200] {
            for tab in TopTab.allCases {
                var model = try Self.model(tab)
                for keys in ["", "?", "/日本"] {
                    _ = press(keys, in: &model)
                    let frame = TopLayout.frame(model, ScreenSize(columns: columns, rows: rows), now: Self.now)
                    #expect(frame.lines.count == rows && frame.lines.allSatisfy { $0.columns <= columns }, "\(columns)x\(rows) \(tab) \(keys)")
                }
            }
        }
        #expect(lines(try Self.model(), 80, rows).last?.contains("leave") == true)
    }

    @Test func `a narrow screen leaves columns out, and keeps the names`() throws {
        let narrow = lines(try Self.model(), 60).joined(separator: "\n")
        #expect(narrow.contains("default") && narrow.contains("bulk") && !narrow.contains("per host"), "\(narrow)")
        #expect(lines(try Self.model(), 160).joined().contains("per host"))
    }

    @Test(arguments: [(0, 100, 10, 0..<10), (50, 100, 10, 45..<55), (99, 100, 10, 90..<100), (2, 5, 10, 0..<5), (0, 0, 10, 0..<0), (3, 9, 0, 3..<3)])
    func `the window holds the chosen row`(choice: Int, count: Int, height: Int, range: Range<Int>) {
        #expect(TopLayout.window(choice, count: count, height: height) == range)
    }

    @Test func `events are shown newest first, and only so many`() throws {
        var model = try Self.model(.events)
        for number in 0..<600 { model.snapshot.add(event: ["type": "succeeded", "at": 1_700_000_000, "receipt": .string("r-\(number)"), "queue": "default"]) }
        model.snapshot.add(
            event: try Self.json(#"{"type":"failed","at":1700000001,"receipt":"r","queue":"q","error":{"message":"no \u202eway","data":{"name":"dns"}}}"#))
        model.snapshot.add(event: try Self.json(#"{"type":"worker","at":1e300,"worker":{"id":"w-9","host":"h","state":"lost"}}"#))
        #expect(model.snapshot.events.count == 500)
        let shown = lines(model)
        #expect(shown[8].contains("worker") && shown[8].contains("w-9 on h is lost"), "\(shown[8])")
        #expect(shown[9].contains("22:13:21") && shown[9].contains("dns: no \\u202eway"), "\(shown[9])")
        #expect(shown[10].contains("r-599"))
    }

    @Test func `points are kept once, and five minutes of them`() {
        var snapshot = TopSnapshot()
        snapshot.add(points: (0..<400).map { ["time": JSON($0), "seconds": 1] })
        snapshot.add(points: [["time": 399, "seconds": 1], ["time": 400, "seconds": 1]])
        #expect(snapshot.points.count == 300 && snapshot.lastPoint == 400 && snapshot.points.first?["time"]?.int == 101)
        // The clock went back.
        snapshot.add(points: [["time": 7, "seconds": 1]], isWhole: true)
        #expect(snapshot.points.count == 1 && snapshot.lastPoint == 7)
    }

    @Test func `one plain frame has every row and no sequences`() throws {
        var model = try Self.model()
        model.snapshot.queues = (0..<100).map { ["name": .string("queue-\($0)"), "paused": false] }
        let lines = TopLayout.once(model, columns: 100, now: Self.now)
        #expect(lines.count { $0.hasPrefix("queue-") } == 100 && !lines.joined().contains("\u{1b}") && lines.allSatisfy { !$0.hasSuffix(" ") })
        let json = try Self.model().snapshot.json
        #expect(json["ratesPerSecond"]?["requests"]?.double == 20 && json["phases"]?["queue"]?["meanSeconds"]?.double == 0.1 && json["dead"]?.array?.count == 2)
        #expect(json["failures"]?[0]?["count"] == 7 && json["blacklist"]?[0]?["id"] == "b-1" && json["cut"] == [])
    }
}
