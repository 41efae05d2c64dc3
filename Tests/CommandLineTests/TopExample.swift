import Console
import TintypeCore

@testable import TintypeTop

/// A state of `tintype top` with something in each table.
enum TopExample {
    static let now = 1_700_000_000.0

    static func json(_ text: String) throws -> JSON { try JSON(parsing: Array(text.utf8)) }
    static func list(_ text: String) throws -> TopList { TopList(items: try json(text).array ?? []) }

    /// Two queues, two workers, a dead letter of each kind, a host and a run.
    static func model(_ tab: TopTab = .queues) throws -> TopModel {
        var model = TopModel(tab: tab)
        model.address = "127.0.0.1:7411"
        var reading = TopReading()
        reading.info = ["coordinators": 1, "uptime": 7300, "version": "0.9.0"]
        reading.lists[.queues] = try list(
            #"""
            [{"name":"default","order":"fifo","paused":false,"limits":{"maxConcurrent":64,"maxConcurrentPerHost":6,"maxQueued":100000,"hostLimits":{"slow.example":2}},"queued":3,"delayed":0,"running":32,"dead":2,
            "oldestQueuedSeconds":45,"heldHosts":{"slow.example":1700000100},"workers":2},
            {"name":"bulk","order":"lifo","paused":true,"limits":{"maxConcurrent":8,"maxConcurrentPerHost":6},"queued":0,"delayed":0,"running":0,"dead":0,
            "oldestQueuedSeconds":null,"heldHosts":{},"workers":0}]
            """#
        )
        reading.lists[.workers] = try list(
            #"[{"id":"w-2","host":"h","slots":8,"running":0,"state":"quiet"},{"id":"w-1","host":"h","slots":32,"running":32,"rssBytes":90000000,"pixels":{"processes":4,"busy":3,"waiting":5},"state":"running"}]"#
        )
        reading.lists[.running] = try list(
            #"[{"fetch":"f1","queue":"default","url":"https://a.example/\u001b[31mred.png","host":"a.example","worker":"w-1","attempt":2,"phase":"download","startedSeconds":12,"fraction":0.5,"receivedBytes":2000}]"#
        )
        reading.lists[.hosts] = try list(#"[{"host":"a.example","queue":"default","running":6,"limit":6,"failed":2,"heldUntil":1700000030}]"#)
        reading.lists[.dead] = try list(
            #"[{"id":"d-1","queue":"default","url":"https://a.example/1","error":{"message":"no","data":{"name":"httpStatus","status":503}},"attempts":3,"at":1699999990,"retryable":true},{"id":"d-2","queue":"default","url":"https://a.example/2","error":{"message":"gone"},"attempts":1,"at":1699999000,"retryable":false}]"#
        )
        reading.lists[.failures] = try list(
            #"[{"error":"httpStatus","status":404,"host":"a.example","queue":"default","count":7,"lastAt":1699999980,"sample":{"receipt":"r","url":"https://a.example/1","message":"the server \u001b[2Janswered 404"}},{"error":"badImageData","host":"b.example","queue":"bulk","count":2,"lastAt":1699999970,"sample":{"message":"no picture"},"crashes":[{"sha256":"00"}]}]"#
        )
        reading.lists[.blacklist] = try list(
            #"[{"id":"b-1","queue":"default","url":"https://a.example/gone\u202egnp.png","cause":"httpStatus","status":404,"refuses":"all","until":1700000060}]"#
        )
        reading.points =
            try json(
                #"[{"time":1699999998,"seconds":1,"counts":{"requests":10,"submits":5,"pictures":1,"failed":2,"refused":1,"sourceHits":0,"sourceMisses":3,"succeeded":4,"memoryHits":6,"memoryMisses":4,"resultHits":2,"resultMisses":2},"phases":{"queue":{"count":4,"sum":0.4},"dns":{"count":4,"sum":0.1},"firstByte":{"count":4,"sum":0.3},"download":{"count":4,"sum":1.1,"buckets":[2,1,2,1]},"encode":{"count":4,"sum":0.2}}},{"time":1699999999,"seconds":1,"counts":{"requests":30,"submits":15},"phases":{}}]"#
            ).array ?? []
        reading.bounds = [0.1, 0.2, 0.3, 0.4, 0.5, 1]
        model.snapshot.take(reading)
        return model
    }

    /// Presses the keys that a terminal sends as this text.
    static func press(_ keys: String, in model: inout TopModel) -> [TopModel.Effect] {
        var reader = KeyReader()
        return (reader.take(Array(keys.utf8)) + reader.flush()).compactMap { model.take($0, now: now) }
    }

    static func lines(_ model: TopModel, _ columns: Int = 110, _ rows: Int = 30) -> [String] {
        TopLayout.frame(model, ScreenSize(columns: columns, rows: rows), now: now).lines.map(\.text)
    }
}
