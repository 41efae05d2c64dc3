import TintypeCore
import TintypeImages
import TintypeTransport
import TintypeQueue

/// `group.get`: the state of a group, perhaps after waiting for its end, whichever coordinator drives it.
struct GroupGet: RPCMethod {
    let name = "group.get"
    let services: Services

    func begin(_ call: Call, _ params: JSON) {
        let group = params["group"]?.string ?? ""
        let (wait, first, limit) = (params["wait"]?.double ?? 0, params["from"]?.int ?? 0, params["limit"]?.int ?? .max)
        call.run(in: services.scope) { () async throws(TintypeError) in
            if wait > 0, try await services.groups.read(group, .state, for: call.session).state == .running { await end(of: group, within: wait) }
            // The length is unknown before the read. The guess of 2 MiB lets two answers run at a time.
            return try await call.session.inTurn(2 << 20, isKnown: false) { () async throws(TintypeError) in
                let record = try await services.groups.read(group, .results(from: first, limit: limit), for: call.session)
                let page = GroupView(record).page(from: first, limit: limit)
                let answer = JSON.object(GroupView(await filled(record, page)).json(page))
                // The answer is written while it is this call's turn.
                call.succeed(answer)
                return answer
            }
        }
    }

    /// Waits until a group has ended, or the time is over.
    private func end(of group: String, within seconds: Double) async {
        let done = OneShot<Void>()
        let watch = services.watches.add(group) { _, isTerminal in if isTerminal { done.complete(.success(())) } }
        let timer = LoopTimer(after: .seconds(seconds)) { done.complete(.success(())) }
        try? await done.wait()
        timer.cancel()
        services.watches.remove(watch, of: group)
    }

    /// Adds inline bytes where they were requested, as many as one answer may carry. Other renditions keep their references.
    private func filled(_ record: GroupRecord, _ page: Range<Int>) async -> GroupRecord {
        var record = record
        var left = ResultDelivery.inlineLimit
        for index in page where record.outcomes[index]?["deliver"] == "inline" {
            guard var outcome = record.outcomes[index]?.object, let result = outcome["result"].map({ ImageResult(json: $0) }) else { continue }
            let renditions = result.renditions
            let size = ResultDelivery.size(renditions)
            guard size <= left, let data = try? await services.results.data(of: renditions, inMemory: true) else { continue }
            left -= size
            outcome["result"] = result.carrying(data).json
            record.outcomes[index] = .object(outcome)
        }
        return record
    }
}
