import Coordinator
import TintypeCore
import TintypeTransport
import TintypeQueue
import TintypeImages

/// The objects that the methods of groups share.
@Loop
struct GroupParts {
    let groups: Groups
    let watches: GroupWatches
    let admission: Admission
    let durability: Durability
    let scope: TaskScope
}

/// The common part of `prefetch.start`, `batch.start` and `chain.start`: reads the items, starts the group, and sends its events to the calling connection.
@Loop
struct GroupStarter {
    let parts: GroupParts
    /// The priority of items that name none.
    var priority: JSON?
    /// The parameter that contains the items.
    let path: String
    var mayRefer = false
    /// The member `durable` of the call.
    let durable: JSON?
    /// The hooks that the calling connection gets.
    var hooks = RequestHooks.none

    /// - Parameter params: The members of the call.
    init(_ parts: GroupParts, priority: JSON? = nil, path: String, mayRefer: Bool = false, _ params: JSON) {
        (self.parts, self.priority, self.path, self.mayRefer) = (parts, priority, path, mayRefer)
        durable = params["durable"]
        if params["hooks"]?.bool == true { hooks = .all }
    }

    func start(_ group: GroupRecord, _ items: [JSON], _ call: Call) throws(TintypeError) {
        try parts.admission.checkOpen()
        try parts.groups.checkRoom()
        let (session, watches) = (call.session, parts.watches)
        call.run(in: parts.scope) { () async throws(TintypeError) in
            let requests = try await read(items, session, call.trace?.context)
            // The watch begins before the group starts, so that no event is missed.
            if session.canNotify { await watches.prepare(group.id) }
            do throws(TintypeError) {
                // A cancellation may have ended the wait for the channel. A client that has disconnected still wants its group.
                if call.isCancelled { throw Call.withdrawn }
                try await parts.groups.start(group, requests, for: session)
            } catch {
                watches.discard(group.id)
                throw error
            }
            let isDurable: Bool?
            do throws(TintypeError) {
                isDurable =
                    switch await replicated(.group(group.id)) {
                    case .kept: true
                    case .unsure: false
                    case .lost: throw TintypeError(.unavailable, .queue, "Redis has lost the group: repeat the request", details: ["retryAfter": 1])
                    case nil: nil
                    }
            } catch {
                watches.discard(group.id)
                parts.groups.forsake(group.id)
                throw error
            }
            if call.isCancelled {
                watches.discard(group.id)
                parts.groups.forsake(group.id)
                throw Call.withdrawn
            }
            if session.canNotify { watches.notify(session, of: group, hooks) }
            return Self.answer(group.id, isDurable)
        }
    }

    /// Waits until replicas have a record of a group, if the call or the operator asks for that.
    /// - Returns: nil if nobody asks.
    func replicated(_ record: ReplicaWaits.Record) async -> ReplicaWaits.End? {
        let durability = parts.durability
        guard durability.coversGroup(durable) else { return nil }
        return await durability.wait(for: record, until: durability.limit())
    }

    static func answer(_ group: String, _ isDurable: Bool?) -> JSON {
        var answer: JSONObject = ["group": .string(group)]
        answer["durable"] = isDurable.map { JSON($0) }
        return .object(answer)
    }

    /// Returns the items in the form for Redis.
    /// - Throws: The mistake of an item.
    func read(_ items: [JSON], _ session: Session, _ trace: TraceContext?) async throws(TintypeError) -> [JSON] {
        var requests: [JSON] = []
        requests.reserveCapacity(items.count)
        for (index, item) in items.enumerated() {
            requests.append(
                try GroupItems.item(
                    item, at: "\(path)[\(index)]", priority: priority, rules: parts.admission.rules, mayRefer: mayRefer, owner: session.grant?.owner,
                    sharer: session.sharer, trace: trace))
            if index % GroupItems.turn == GroupItems.turn - 1 { await Task.yield() }
        }
        return requests
    }
}
