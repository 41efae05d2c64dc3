import TintypeCore
import TintypeImages
import TintypeQueue

/// What clients are shown of a group: the answer of `group.get`, and the events. Pure.
struct GroupView {
    let record: GroupRecord

    /// Groups of at most this many items have their results in the event `succeeded` too, if they fit.
    static let mostInEvent = 1000
    /// Bytes of items in one message, which may carry as much again inline and more, and must stay below what a connection holds.
    static let mostBytes = GroupRecord.mostRead
    /// Members of a result that are as long as origins and clients like, and how many bytes of them are written down. An item's receipt has
    /// them, too.
    private static let longMembers = [("json", 64 << 10), ("userInfo", mostNoted)]
    /// Bytes of what came of all items of a group beyond which no such member is written down.
    static let mostNoted = 8 << 20

    init(_ record: GroupRecord) { self.record = record }

    /// The answer of `group.get` with all items.
    var json: JSONObject { json(0..<record.total) }

    /// The answer of `group.get`.
    /// - Parameter page: the items to show.
    func json(_ page: Range<Int>) -> JSONObject {
        var json: JSONObject = [
            "group": .string(record.id), "kind": .string(record.kind.rawValue), "state": .string(record.state.rawValue),
            "finished": JSON(record.finished), "total": JSON(record.total), "results": results(page),
        ]
        if page.upperBound < record.total { json["next"] = JSON(page.upperBound) }
        return json.merging(particulars)
    }

    /// The items that go into one message: as many as fit, but one at the least.
    func page(from first: Int = 0, limit: Int = .max) -> Range<Int> {
        let start = min(max(0, first), record.total)
        let end = min(start + min(max(0, limit), record.total - start), max(start, record.readTo))
        var left = JSON.Allowance(bytes: Self.mostBytes, levels: .max)
        return start..<((start..<end).first { !item($0).fits(&left) && $0 > start } ?? end)
    }

    /// The state as an event: `progress` while it runs, else the terminal one.
    var event: JSONObject {
        var event: JSONObject = [
            "group": .string(record.id), "kind": .string(record.kind.rawValue), "seq": JSON(record.seq),
            "type": .string(record.state == .running ? "progress" : record.state.rawValue),
            "at": (try? JSON(parsing: record.at)) ?? JSON(WallClock.now), "finished": JSON(record.finished), "total": JSON(record.total),
        ]
        guard record.state != .running else { return event }
        event = event.merging(particulars)
        if record.kind == .prefetch { return event.merging(errors) }
        guard record.state == .succeeded, record.total <= Self.mostInEvent else { return event }
        let page = page()
        if page.upperBound == record.total { event["results"] = results(page) }
        return event
    }

    /// What has to be read of the items of a group that has ended for `event`.
    var extentOfEvent: GroupRecord.Extent {
        let telling = record.kind == .prefetch || record.state == .succeeded && record.total <= Self.mostInEvent
        return .results(limit: telling ? .max : 0)
    }

    /// What became of a group that Redis has lost.
    static func lost(_ id: String) -> JSONObject {
        let error = TintypeError(.unknownGroup, .queue, "Redis has lost this group; start it again", retryable: true)
        return ["group": .string(id), "type": "failed", "at": JSON(WallClock.now), "error": error.json]
    }

    /// Items in the order of the requests.
    private func results(_ page: Range<Int>) -> JSON { .array(page.map(item)) }

    /// One that has not ended when its group has was withdrawn with it.
    private func item(_ index: Int) -> JSON {
        if let outcome = record.outcomes[index]?.object { return .object((["index": JSON(index)] as JSONObject).merging(outcome)) }
        if record.failed == index, let failure = record.failure { return ["index": JSON(index), "state": "failed", "error": failure] }
        let state = record.state != .running ? "cancelled" : record.begun[index] != nil ? "running" : "queued"
        return ["index": JSON(index), "state": .string(state)]
    }

    private var particulars: JSONObject {
        var json = JSONObject()
        if let failed = record.failed {
            json["failed"] = ["index": JSON(failed), "error": record.outcomes[failed]?["error"] ?? record.failure ?? .null]
        }
        if let reason = record.reason { json["reason"] = .string(reason) }
        guard record.kind == .prefetch else { return json }
        // As SDWebImage's prefetcher counts: finished however they ended, skipped those that were not loaded.
        let unfinished = record.state == .running ? 0 : record.total - record.finished
        json["skipped"] = JSON(record.failures + unfinished)
        return json
    }

    /// The errors of a prefetch, as many as fit into its event; `next` says from where on the results of `group.get` have the rest.
    private var errors: JSONObject {
        var left = JSON.Allowance(bytes: Self.mostBytes, levels: .max)
        var errors: [JSON] = []
        for index in 0..<record.readTo {
            guard let error = record.outcomes[index]?["error"] else { continue }
            guard error.fits(&left) else { return ["errors": .array(errors), "next": JSON(index)] }
            errors.append(["index": JSON(index), "error": error])
        }
        return record.readTo == record.total ? ["errors": .array(errors)] : ["errors": .array(errors), "next": JSON(record.readTo)]
    }

    /// An error without what the origin said, of which a large group would have too much; the item's receipt has it.
    static func brief(_ error: TintypeError) -> TintypeError {
        var brief = error
        for member in ["headers", "body"] { brief.details[member] = nil }
        return brief
    }

    /// A result without what is too long to be written down.
    private static func noted(_ result: ImageResult, room: Int) -> JSON {
        var short = result.object
        for (member, most) in longMembers {
            var left = JSON.Allowance(bytes: min(most, room), levels: .max)
            if let value = short[member], !value.fits(&left) { short[member] = nil }
        }
        return .object(short)
    }

    /// What is written down of a request that has ended.
    /// - Parameters:
    ///   - receipt: its receipt; nil if there was none.
    ///   - isInline: whether its bytes belong into the answer of `group.get`.
    ///   - room: bytes that members may have which it can do without.
    static func outcome(
        _ outcome: Outcome, receipt: String?, kind: GroupRecord.Kind, isInline: Bool = false, room: Int = mostNoted
    ) -> JSON {
        var json: JSONObject = ["state": .string(outcome.state.rawValue)]
        json["receipt"] = receipt.map { .string($0) }
        if let error = outcome.error { json["error"] = brief(error).json }
        if kind != .prefetch { json["result"] = outcome.result.map { noted($0, room: room) } }
        if isInline, json["result"] != nil { json["deliver"] = "inline" }
        return .object(json)
    }
}
