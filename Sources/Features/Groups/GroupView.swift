import Coordinator
import TintypeCore
import TintypeImages
import TintypeQueue

/// The form in which clients see a group: the answer of `group.get`, and the events. Pure.
struct GroupView {
    let record: GroupRecord

    /// The event `succeeded` contains the results of a group of at most this many items, if they fit.
    static let maxInEvent = 1000
    /// The bytes of items in one message. Inline bytes may add as much again and more; a message must stay below the limit of a connection.
    static let mostBytes = GroupRecord.mostRead
    /// The members of a result whose length origins and clients choose, and the most bytes of each that are recorded. The receipt of the item has
    /// the full members.
    private static let longMembers = [("json", 64 << 10), ("text", 64 << 10), ("userInfo", maxNoted)]
    /// The bytes of a group's outcomes above which these members are no longer recorded.
    static let maxNoted = 8 << 20

    init(_ record: GroupRecord) { self.record = record }

    /// The answer of `group.get` with all items.
    var json: JSONObject { json(0..<record.total) }

    /// Returns the answer of `group.get`.
    /// - Parameter page: The items to show.
    func json(_ page: Range<Int>) -> JSONObject {
        var json: JSONObject = [
            "group": .string(record.id), "kind": .string(record.kind.rawValue), "state": .string(record.state.rawValue),
            "finished": JSON(record.finished), "total": JSON(record.total), "results": results(page),
        ]
        if page.upperBound < record.total { json["next"] = JSON(page.upperBound) }
        return json.merging(particulars)
    }

    /// Returns the items for one message: as many as fit, but at least one.
    func page(from first: Int = 0, limit: Int = .max) -> Range<Int> {
        let start = min(max(0, first), record.total)
        let end = min(start + min(max(0, limit), record.total - start), max(start, record.readTo))
        var left = JSON.Allowance(bytes: Self.mostBytes, levels: .max)
        return start..<((start..<end).first { !item($0).fits(&left) && $0 > start } ?? end)
    }

    /// The state as an event: `progress` while the group runs, else the terminal event.
    var event: JSONObject {
        var event: JSONObject = [
            "group": .string(record.id), "kind": .string(record.kind.rawValue), "seq": JSON(record.seq),
            "type": .string(record.state == .running ? "progress" : record.state.rawValue),
            "at": (try? JSON(parsing: record.at)) ?? JSON(WallClock.now), "finished": JSON(record.finished), "total": JSON(record.total),
        ]
        guard record.state != .running else { return event }
        event = event.merging(particulars)
        if record.kind == .prefetch { return event.merging(errors) }
        guard record.state == .succeeded, record.total <= Self.maxInEvent else { return event }
        let page = page()
        if page.upperBound == record.total { event["results"] = results(page) }
        return event
    }

    /// The items that must be read for `event` of an ended group.
    var extentOfEvent: GroupRecord.Extent {
        let telling = record.kind == .prefetch || record.state == .succeeded && record.total <= Self.maxInEvent
        return .results(limit: telling ? .max : 0)
    }

    /// Returns the event for a group that Redis has lost.
    static func lost(_ id: String) -> JSONObject {
        let error = TintypeError(.unknownGroup, .queue, "Redis has lost this group: start it again", retryable: true)
        return ["group": .string(id), "type": "failed", "at": JSON(WallClock.now), "error": error.json]
    }

    /// Returns the items in the order of the requests.
    private func results(_ page: Range<Int>) -> JSON { .array(page.map(item)) }

    /// Returns one item. An item that had not ended when its group ended was canceled with the group.
    private func item(_ index: Int) -> JSON {
        if let outcome = record.outcomes[index]?.object { return .object((["index": JSON(index)] as JSONObject).merging(outcome)) }
        if record.failed == index, let failure = record.failure { return ["index": JSON(index), "state": "failed", "error": failure] }
        let state = record.state != .running ? "cancelled" : record.begun[index] != nil ? "running" : "queued"
        return ["index": JSON(index), "state": .string(state)]
    }

    private var particulars: JSONObject {
        let origins = ResultOrigin.Place.allCases.compactMap { place in record.origins[place].map { (place.rawValue, JSON($0)) } }
        var json: JSONObject = ["origins": .object(JSONObject(origins))]
        if let failed = record.failed {
            json["failed"] = ["index": JSON(failed), "error": record.outcomes[failed]?["error"] ?? record.failure ?? .null]
        }
        if let reason = record.reason { json["reason"] = .string(reason) }
        guard record.kind == .prefetch else { return json }
        // These numbers follow SDWebImage's prefetcher: `finished` counts every end, `skipped` the items that were not loaded.
        let unfinished = record.state == .running ? 0 : record.total - record.finished
        json["skipped"] = JSON(record.failures + unfinished)
        return json
    }

    /// The errors of a prefetch, as many as fit into its event. `next` is the index from which `group.get` has the others.
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

    /// Returns the error without the response of the origin, which is too much for a large group. The receipt of the item has it.
    static func brief(_ error: TintypeError) -> TintypeError {
        var brief = error
        for member in ["headers", "body"] { brief.details[member] = nil }
        return brief
    }

    /// Returns the result without members that are too long to record.
    private static func noted(_ result: ImageResult, room: Int) -> JSON {
        var short = result.object
        for (member, most) in longMembers {
            var left = JSON.Allowance(bytes: min(most, room), levels: .max)
            if let value = short[member], !value.fits(&left) { short[member] = nil }
        }
        return .object(short)
    }

    /// Returns the outcome to record for an ended request.
    /// - Parameters:
    ///   - receipt: Its receipt; nil if there was none.
    ///   - isInline: Whether the answer of `group.get` contains its bytes.
    ///   - room: The bytes that its optional members may have.
    static func outcome(
        _ outcome: Outcome, receipt: String?, kind: GroupRecord.Kind, isInline: Bool = false, room: Int = maxNoted
    ) -> JSON {
        var json: JSONObject = ["state": .string(outcome.state.rawValue)]
        json["receipt"] = receipt.map { .string($0) }
        if let error = outcome.error { json["error"] = brief(error).json }
        if kind != .prefetch { json["result"] = outcome.result.map { noted($0, room: room) } }
        if isInline, json["result"] != nil { json["deliver"] = "inline" }
        return .object(json)
    }
}
