import Console
import TintypeCore
import Testing

@testable import TintypeTop

/// The keys of `tintype top`, and what the screen shows.
@Suite struct TopModelTests {
    private func press(_ keys: String, in model: inout TopModel) -> [TopModel.Effect] { TopExample.press(keys, in: &model) }
    private func lines(_ model: TopModel, _ columns: Int = 110, _ rows: Int = 30) -> [String] { TopExample.lines(model, columns, rows) }

    @Test(arguments: [
        ("1", TopTab.queues), ("2", .running), ("3", .hosts), ("4", .workers), ("5", .dead), ("6", .failures), ("7", .blacklist), ("8", .events),
        ("\t", .running),
        ("\t\t\t\t\t\t\t\t", .queues),
        ("\u{1b}[Z", .events), ("\u{1b}[C\u{1b}[C", .hosts), ("\u{1b}[D", .events), ("9", .queues), ("4\t", .dead),
    ])
    func `numbers, Tab and arrows show another tab`(keys: String, tab: TopTab) throws {
        var model = try TopExample.model()
        let effects = press(keys, in: &model)
        #expect(model.tab == tab)
        #expect(effects.isEmpty == ["1", "9"].contains(keys) && effects.allSatisfy { $0 == .look }, "\(effects)")
    }

    @Test(arguments: ["x", "\u{3}", "?x", "/abc\u{3}", "4q\u{3}"]) func `x and Ctrl-C leave`(keys: String) throws {
        var model = try TopExample.model()
        #expect(press(keys, in: &model).last == .leave)
    }

    @Test(arguments: ["q", "\u{1b}", "/x", "/q\u{1b}", "?q"]) func `no other key leaves`(keys: String) throws {
        var model = try TopExample.model()
        #expect(press(keys, in: &model).isEmpty)
    }

    @Test func `the chosen row stays chosen while others come and go`() throws {
        var model = try TopExample.model()
        _ = press("j", in: &model)
        model.snapshot[.queues].items.insert(["name": "alpha", "paused": false], at: 0)
        #expect(press("p", in: &model) == [.call(method: "queue.resume", params: ["queue": "bulk"], done: "bulk is open")])
        model.snapshot[.queues].items.removeAll { $0["name"] == "bulk" }
        #expect(press("p", in: &model).isEmpty && model.question?.text.contains("default") == true, "the last row is in the place of a last one that is gone")
        _ = press("n\u{1b}[F", in: &model)
        #expect(press("py", in: &model).first == .call(method: "queue.pause", params: ["queue": "default"], done: "default is paused"))
    }

    @Test func `when the chosen row is gone, the next one is chosen`() throws {
        var model = try TopExample.model(.dead)
        func letter(_ number: Int, _ queue: String = "default") -> JSON {
            ["id": .string("d-\(number)"), "queue": .string(queue), "at": JSON(2_000_000_000 - number), "retryable": true]
        }
        model.snapshot[.dead].items = (1...5).map { letter($0) }
        _ = press("jjr", in: &model)
        model.snapshot[.dead].items.removeAll { $0["id"]?.string == "d-3" }
        #expect(
            press("r", in: &model) == [
                .call(method: "dead.retry", params: ["queue": "default", "ids": ["d-4"]], done: "d-4 is queued again, as receipt retry-d-4")
            ])
        model.snapshot[.dead].items = [letter(4, "bulk"), letter(5), letter(4)]
        #expect(model.choice(among: model.table(now: TopExample.now).rows) == 1, "the letter of another queue has the same id")
        model.snapshot[.dead].items = [letter(1)]
        #expect(model.choice(among: model.table(now: TopExample.now).rows) == 0)
    }

    @Test func `a filter keeps rows with a text, each tab its own`() throws {
        var model = try TopExample.model()
        _ = press("/BUL", in: &model)
        #expect(model.isFiltering && model.table(now: TopExample.now).rows.map(\.id) == ["bulk"])
        #expect(lines(model)[28].contains("/BUL"))
        _ = press("\u{7f}\u{7f}\u{7f}efa\r", in: &model)
        #expect(!model.isFiltering && model.filter == "efa" && model.table(now: TopExample.now).rows.map(\.id) == ["default"])
        #expect(lines(model).contains { $0.contains("only rows with \"efa\"") })
        _ = press("5", in: &model)
        #expect(model.filter == "" && model.table(now: TopExample.now).rows.count == 2)
        _ = press("1\u{1b}", in: &model)
        #expect(model.filter == "" && model.table(now: TopExample.now).rows.count == 2)
        _ = press("/nowhere", in: &model)
        #expect(lines(model).contains { $0.contains("nothing has \"nowhere\" in it") })
        _ = press("\u{15}\u{1b}[200~bulk\u{1b}[201~", in: &model)
        #expect(model.table(now: TopExample.now).rows.map(\.id) == ["bulk"])
        _ = press("\u{1b}", in: &model)
        #expect(!model.isFiltering && model.filter == "")
    }

    @Test(arguments: [
        (TopTab.queues, ["default", "open", "32/64", "█████·····", "45 s", "slow.example", "bulk", "paused"]),
        (.running, ["12 s", "download", "█████·····", "2.0 kB", "https://a.example/\\u001b[31mred.png"]), (.hosts, ["6/6", "██████████", "30 s", "a.example"]),
        (.workers, ["w-1", "running", "32/32", "pixels", "3/4", "wait", "5", "90 MB", "w-2", "quiet"]),
        (.dead, ["10 s", "httpStatus 503", "yes", "d-1", "https://a.example/2", "no"]),
        (.failures, ["httpStatus 404", "20 s", "a.example", "the server \\u001b[2Janswered 404", "badImageData", "b.example", "bulk"]),
        (.blacklist, ["60 s", "httpStatus 404", "all", "https://a.example/gone\\u202egnp.png"]), (.events, ["nothing has ended"]),
    ])
    func `each tab shows its rows`(tab: TopTab, texts: [String]) throws {
        let shown = lines(try TopExample.model(tab), 150).joined(separator: "\n")
        for text in texts { #expect(shown.contains(text), "\(text)\n\(shown)") }
    }

    @Test func `an absent coordinator is said, and what was known stays`() throws {
        var model = try TopExample.model()
        model.link = .away("Connection refused", since: TopExample.now - 12)
        #expect(lines(model)[0].contains("no coordinator for 12 s, trying again: Connection refused") && lines(model).contains { $0.contains("bulk") })
        model.link = .troubled("Redis is out of reach")
        #expect(lines(model)[0].contains("this is old: Redis is out of reach"))
    }

    @Test(arguments: [1, 2, 3, 5, 8, 13, 14, 24, 200]) func `a frame has the size of its screen, whatever that is`(rows: Int) throws {
        for columns in [1, 2, 5, 10, 20, 40, 60, 71, 72, 80, 200] {
            for tab in TopTab.allCases {
                var model = try TopExample.model(tab)
                for keys in ["", "?", "/日本"] {
                    _ = press(keys, in: &model)
                    let frame = TopLayout.frame(model, ScreenSize(columns: columns, rows: rows), now: TopExample.now)
                    #expect(frame.lines.count == rows && frame.lines.allSatisfy { $0.columns <= columns }, "\(columns)x\(rows) \(tab) \(keys)")
                }
            }
        }
        #expect(lines(try TopExample.model(), 80, rows).last?.contains("leave") == true)
    }

    @Test func `a narrow screen leaves columns out, and keeps the names`() throws {
        let narrow = lines(try TopExample.model(), 60).joined(separator: "\n")
        #expect(narrow.contains("default") && narrow.contains("bulk") && !narrow.contains("per host"), "\(narrow)")
        #expect(lines(try TopExample.model(), 160).joined().contains("per host"))
        let wide = lines(try TopExample.model(), 200).joined(separator: "\n")
        for text in ["waiting at most", "100000", "limits of hosts", "slow.example 2"] { #expect(wide.contains(text), "\(text)\n\(wide)") }
    }

    @Test(arguments: [(0, 100, 10, 0..<10), (50, 100, 10, 45..<55), (99, 100, 10, 90..<100), (2, 5, 10, 0..<5), (0, 0, 10, 0..<0), (3, 9, 0, 3..<3)])
    func `the window holds the chosen row`(choice: Int, count: Int, height: Int, range: Range<Int>) {
        #expect(TopLayout.window(choice, count: count, height: height) == range)
    }

    @Test func `events are shown newest first, and only so many`() throws {
        var model = try TopExample.model(.events)
        for number in 0..<600 { model.snapshot.add(event: ["type": "succeeded", "at": 1_700_000_000, "receipt": .string("r-\(number)"), "queue": "default"]) }
        model.snapshot.add(
            event: try TopExample.json(#"{"type":"failed","at":1700000001,"receipt":"r","queue":"q","error":{"message":"no \u202eway","data":{"name":"dns"}}}"#)
        )
        model.snapshot.add(event: try TopExample.json(#"{"type":"worker","at":1e300,"worker":{"id":"w-9","host":"h","state":"lost"}}"#))
        #expect(model.snapshot[.events].items.count == 500)
        let shown = lines(model)
        #expect(shown[10].contains("worker") && shown[10].contains("w-9 on h is lost"), "\(shown[10])")
        #expect(shown[11].contains("22:13:21") && shown[11].contains("dns: no \\u202eway"), "\(shown[11])")
        #expect(shown[12].contains("r-599"))
    }

    @Test func `one plain frame has every row and no sequences`() throws {
        var model = try TopExample.model()
        model.snapshot[.queues].items = (0..<100).map { ["name": .string("queue-\($0)"), "paused": false] }
        let lines = TopLayout.once(model, columns: 100, now: TopExample.now)
        #expect(lines.count { $0.hasPrefix("queue-") } == 100 && !lines.joined().contains("\u{1b}") && lines.allSatisfy { !$0.hasSuffix(" ") })
        let json = try TopExample.model().snapshot.json
        #expect(json["ratesPerSecond"]?["requests"]?.double == 20 && json["phases"]?["queue"]?["meanSeconds"]?.double == 0.1 && json["dead"]?.array?.count == 2)
        #expect(json["failures"]?[0]?["count"] == 7 && json["blacklist"]?[0]?["id"] == "b-1" && json["cut"] == [])
        #expect(json["phases"]?["download"]?["p95Seconds"]?.double == 0.48 && json["phases"]?["queue"]?["p50Seconds"]?.double == 1)
        for (name, values) in ["cacheHitRates": ["memory": 0.6, "results": 0.5, "sources": 0], "lastMinute": ["failed": 2, "expired": 0, "refused": 1]] {
            for (member, value) in values { #expect(json[name]?[member]?.double == value, "\(name) \(member)") }
        }
    }
}
