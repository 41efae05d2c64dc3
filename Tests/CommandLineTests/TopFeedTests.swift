import TintypeCore
import TintypeTransport
import TestSupport
import Testing

@testable import Console
@testable import TintypeTop

/// The questions of `tintype top` to a coordinator that is written in the test.
@Suite(.timeLimit(.minutes(1)), .scoped) struct TopFeedTests {
    /// A coordinator that answers each method by a closure, one message on each line.
    @Loop private final class Coordinator {
        private(set) var asked: [(method: String, params: JSON)] = []
        private var streams: [ByteStream] = []
        private var listener: Listener?

        init(_ answer: @escaping @Loop (_ method: String, _ params: JSON) -> JSON) throws {
            listener = try Listener(.tcp(host: "127.0.0.1", port: 0)) { [unowned self] stream in
                var splitter = MessageSplitter(maxMessageBytes: 1 << 20)
                stream.onBytes = { [unowned self, unowned stream] bytes in
                    splitter.append(bytes) { piece in
                        guard case .message(let text) = piece, let message = try? JSON(parsing: text), let method = message["method"]?.string else { return }
                        let params = message["params"] ?? [:]
                        asked.append((method, params))
                        stream.write((["jsonrpc": "2.0", "id": message["id"] ?? .null, "result": answer(method, params)] as JSON).bytes() + [10])
                    }
                }
                streams.append(stream)
            }
        }

        var address: String { listener.map { "\($0.address)" } ?? "" }

        func close() {
            listener?.close()
            for stream in streams { stream.close() }
        }
    }

    @Loop private func feed(_ coordinator: Coordinator) throws -> TopFeed {
        TopFeed(try Arguments(["--coordinator", coordinator.address], of: .top))
    }

    /// The points of a coordinator whose clock may be far from that of this machine, as `stats.series` answers.
    private func points(_ now: Int, _ params: JSON) -> JSON {
        let since = params["since"]?.int ?? 0
        let points: [JSON] = (now - 20...now).map { ["time": JSON($0), "seconds": 1, "counts": ["requests": 5]] }
        return ["step": 1, "points": .array(points.filter { ($0["time"]?.int ?? 0) > since })]
    }

    @Test(arguments: [-86_400, 0, 86_400]) @Loop func `rates need no clock of this machine`(ahead: Int) async throws {
        let clock = Int(WallClock.now) + ahead
        let coordinator = try Coordinator { method, params in method == "stats.series" ? self.points(clock, params) : [] }
        defer { coordinator.close() }
        let feed = try feed(coordinator)
        defer { feed.drop() }
        var snapshot = TopSnapshot()
        snapshot.take(try await feed.read([.queues], after: nil))
        #expect(snapshot.json["ratesPerSecond"]?["requests"]?.double == 5)
        #expect(snapshot.lastPoint == clock)
        // Later rounds ask for news only.
        snapshot.take(try await feed.read([.queues], after: snapshot.lastPoint))
        #expect(coordinator.asked.filter { $0.method == "stats.series" }.map { $0.params["since"]?.int } == [0, clock])
    }

    @Test(arguments: [(500, false), (501, true)]) @Loop func `a list that is cut says so`(rows: Int, isCut: Bool) async throws {
        let coordinator = try Coordinator { method, params in
            switch method {
            case "runs.list", "hosts.list", "blacklist.list", "failures.list":
                // There are never more than 200 groups of failures.
                let count = min(method == "failures.list" ? rows - 301 : rows, params["limit"]?.int ?? 100)
                return ["items": .array((0..<count).map { ["fetch": .string("f\($0)"), "host": .string("h\($0)")] })]
            case "queue.list": return [["name": "default", "dead": JSON(rows)]]
            case "dead.list":
                let items: JSON = .array((0..<min(rows, 500)).map { ["id": .string("d\($0)")] })
                return isCut ? ["items": items, "cursor": "more"] : ["items": items]
            case _: return []
            }
        }
        defer { coordinator.close() }
        let feed = try feed(coordinator)
        defer { feed.drop() }
        var model = TopModel(tab: .running)
        model.snapshot.take(try await feed.read([.running, .hosts, .dead, .failures, .blacklist], after: nil))
        let json = model.snapshot.json
        #expect(json["cut"] == (isCut ? ["running", "hosts", "dead", "failures", "blacklist"] : []))
        #expect(json["failures"]?.array?.count == 199)
        for name in ["running", "hosts", "dead", "blacklist"] { #expect(json[name]?.array?.count == 500, "\(name)") }
        let words = "only 500 rows are shown: there are more"
        #expect(TopLayout.once(model, columns: 100, now: 0).contains(words) == isCut)
        #expect(TopLayout.frame(model, ScreenSize(columns: 100, rows: 20), now: 0).lines.contains { $0.text.contains(words) } == isCut)
    }

    @Test @Loop func `dead letters of more queues than are asked for are cut`() async throws {
        let coordinator = try Coordinator { method, _ in
            switch method {
            case "queue.list": .array((0..<21).map { ["name": .string("q\($0)"), "dead": 1] })
            case "dead.list": ["items": [["id": "d"]]]
            case _: []
            }
        }
        defer { coordinator.close() }
        let feed = try feed(coordinator)
        defer { feed.drop() }
        let reading = try await feed.read([.dead], after: nil)
        #expect(reading.lists[.dead]?.items.count == 20 && reading.lists[.dead]?.isCut == true)
    }
}
