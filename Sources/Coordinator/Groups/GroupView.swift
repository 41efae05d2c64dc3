import Shared

/// What clients are shown of a group: the answer of `group.get`, and the events. Pure.
struct GroupView {
    let record: GroupRecord

    /// Groups of at most this many items have their results in the event `succeeded` too.
    static let mostInEvent = 1000

    init(_ record: GroupRecord) { self.record = record }

    /// The answer of `group.get`.
    var json: JSONObject {
        let json: JSONObject = [
            "group": .string(record.id), "kind": .string(record.kind.rawValue), "state": .string(record.state.rawValue),
            "finished": JSON(record.finished), "total": JSON(record.total), "results": results,
        ]
        return json.merging(particulars)
    }

    /// The state as an event: `progress` while it runs, else the terminal one.
    var event: JSONObject {
        var event: JSONObject = [
            "group": .string(record.id), "kind": .string(record.kind.rawValue), "seq": JSON(record.seq),
            "type": .string(record.state == .running ? "progress" : record.state.rawValue),
            "at": (try? JSON(parsing: record.at)) ?? JSON(Seconds.epoch), "finished": JSON(record.finished), "total": JSON(record.total),
        ]
        guard record.state != .running else { return event }
        if record.kind != .prefetch, record.state == .succeeded, record.total <= Self.mostInEvent { event["results"] = results }
        return event.merging(particulars)
    }

    /// What became of a group that Redis has lost.
    static func lost(_ id: String) -> JSONObject {
        let error = TintypeError(.unknownGroup, .queue, "Redis has lost this group; start it again", retryable: true)
        return ["group": .string(id), "type": "failed", "at": JSON(Seconds.epoch), "error": error.json]
    }

    /// Each item in the order of the requests. One that has not ended when its group has was withdrawn with it.
    private var results: JSON {
        .array(
            (0..<record.total).map { index in
                if let outcome = record.outcomes[index]?.object { return .object((["index": JSON(index)] as JSONObject).merging(outcome)) }
                let state = record.state != .running ? "cancelled" : record.begun[index] != nil ? "running" : "queued"
                return ["index": JSON(index), "state": .string(state)]
            })
    }

    private var particulars: JSONObject {
        var json = JSONObject()
        if let failed = record.failed { json["failed"] = ["index": JSON(failed), "error": record.outcomes[failed]?["error"] ?? .null] }
        if let reason = record.reason { json["reason"] = .string(reason) }
        guard record.kind == .prefetch else { return json }
        let errors = record.outcomes.keys.sorted().compactMap { index -> JSON? in
            guard let error = record.outcomes[index]?["error"] else { return nil }
            return ["index": JSON(index), "error": error]
        }
        // As SDWebImage's prefetcher counts: finished however they ended, skipped those that were not loaded.
        let unfinished = record.state == .running ? 0 : record.total - record.finished
        json["skipped"] = JSON(errors.count + unfinished)
        json["errors"] = .array(errors)
        return json
    }

    /// What is written down of a request that has ended.
    /// - Parameters:
    ///   - receipt: its receipt; nil if there was none.
    ///   - isInline: whether its bytes belong into the answer of `group.get`.
    static func outcome(_ outcome: Outcome, receipt: String?, kind: GroupRecord.Kind, isInline: Bool = false) -> JSON {
        var json: JSONObject = ["state": .string(outcome.state.rawValue)]
        json["receipt"] = receipt.map { .string($0) }
        if let error = outcome.error { json["error"] = error.json }
        if kind != .prefetch { json["result"] = outcome.result.map { .object($0) } }
        if isInline, json["result"] != nil { json["deliver"] = "inline" }
        return .object(json)
    }
}
