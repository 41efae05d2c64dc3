import Coordinator
import TintypeCore
import TintypeImages
import TintypeTransport
import TintypeQueue

/// `prefetch.start`: fills the caches, some images at a time.
struct PrefetchStart: RPCMethod {
    let name = "prefetch.start"
    let parts: GroupParts

    func begin(_ call: Call, _ params: JSON) throws(TintypeError) {
        let (urls, items) = (params["urls"]?.array, params["items"]?.array)
        guard (urls == nil) != (items == nil) else {
            throw .invalidParams(path: "urls", value: params["urls"], expected: "either urls or items")
        }
        var group = GroupRecord(id: Groups.newID(), kind: .prefetch)
        group.concurrency = params["concurrency"]?.int ?? 3
        let starter = GroupStarter(parts, priority: params["priority"] ?? "low", path: urls == nil ? "items" : "urls", params)
        try starter.start(group, items ?? (urls ?? []).map { ["url": $0] }, call)
    }
}

/// `batch.start`: loads many images as one group, with results in the order of the items.
struct BatchStart: RPCMethod {
    let name = "batch.start"
    let parts: GroupParts

    func begin(_ call: Call, _ params: JSON) throws(TintypeError) {
        var group = GroupRecord(id: Groups.newID(), kind: .batch)
        group.isStrict = params["mode"] != "settleAll"
        group.concurrency = params["concurrency"]?.int ?? 64
        try GroupStarter(parts, path: "items", params).start(group, params["items"]?.array ?? [], call)
    }
}

/// `chain.start`: loads one image after the other.
struct ChainStart: RPCMethod {
    let name = "chain.start"
    let parts: GroupParts

    func begin(_ call: Call, _ params: JSON) throws(TintypeError) {
        var group = GroupRecord(id: Groups.newID(), kind: .chain)
        group.isStrict = true
        try GroupStarter(parts, path: "steps", mayRefer: true, params).start(group, params["steps"]?.array ?? [], call)
    }
}

/// `chain.append`: adds steps to a running chain.
struct ChainAppend: RPCMethod {
    let name = "chain.append"
    let parts: GroupParts

    func begin(_ call: Call, _ params: JSON) throws(TintypeError) {
        try parts.admission.checkOpen()
        let group = params["group"]?.string ?? ""
        let starter = GroupStarter(parts, path: "steps", mayRefer: true, params)
        call.run(in: parts.scope) { () async throws(TintypeError) in
            let steps = try await starter.read(params["steps"]?.array ?? [], call.session, call.trace?.context)
            let expected: String
            let added = ReceiptNames.next()
            switch try await parts.groups.append(steps, to: group, call: added, for: call.session) {
            case .ok:
                // Redis knows the last calls of a group only, so a call that is not found may all the same have added its steps.
                return GroupStarter.answer(group, await starter.replicated(.append(added, to: group)).map { $0 == .kept })
            case .unknown: throw Groups.unknown(group)
            case .ended: expected = "a chain that has not ended"
            case .otherKind: expected = "a chain"
            case .full(let count):
                throw .invalidParams(path: "steps", value: JSON(steps.count), expected: "at most \(GroupRecord.mostItems - count) further steps")
            case .long(let bytes):
                throw TintypeError(
                    .overloaded, .admission,
                    "the unfinished steps of this chain have \(bytes) bytes, and at most \(GroupRecord.mostAsked) are allowed: try again in 5 s",
                    details: ["retryAfter": 5])
            }
            throw .invalidParams(path: "group", value: .string(group), expected: expected)
        }
    }
}

/// `group.cancel`: ends a group and cancels its started items.
struct GroupCancel: RPCMethod {
    let name = "group.cancel"
    let scope: TaskScope
    let groups: Groups

    func begin(_ call: Call, _ params: JSON) {
        let group = params["group"]?.string ?? ""
        call.run(in: scope) { () async throws(TintypeError) in
            switch try await groups.cancel(group, for: call.session) {
            case .cancelled: ["cancelled": true]
            case .finished: ["cancelled": false, "reason": "finished"]
            case .unknown: ["cancelled": false, "reason": "unknown"]
            }
        }
    }
}
