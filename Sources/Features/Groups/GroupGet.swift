import Coordinator
import TintypeCore
import TintypeImages
import TintypeTransport
import TintypeQueue

/// `group.get`: the state of a group, perhaps after waiting for its end, whichever coordinator drives it.
struct GroupGet: RPCMethod {
    let name = "group.get"
    let scope: TaskScope
    let groups: Groups
    let watches: GroupWatches
    let results: ResultDelivery

    func begin(_ call: Call, _ params: JSON) {
        let group = params["group"]?.string ?? ""
        let (wait, first, limit) = (params["wait"]?.double ?? 0, params["from"]?.int ?? 0, params["limit"]?.int ?? .max)
        call.run(in: scope) { () async throws(TintypeError) in
            if wait > 0, try await groups.read(group, .state, for: call.session).state == .running { await end(of: group, within: wait) }
            // The length is unknown before the read. The guess of 2 MiB lets two answers run at a time.
            return try await call.succeedInTurn(guessing: 2 << 20) { room async throws(TintypeError) in
                let record = try await groups.read(group, .results(from: first, limit: limit), for: call.session)
                let page = GroupView(record).page(from: first, limit: limit)
                let inline = Self.inline(record, page)
                let bytes = Base64.length(of: inline.reduce(0) { $0 + ResultDelivery.size($1.result.renditions) }) + (1 << 20)
                guard bytes <= room else { return .longer(bytes) }
                return .answer(.object(GroupView(await filled(record, inline)).json(page)))
            }
        }
    }

    /// Waits until a group has ended, or the time is over.
    private func end(of group: String, within seconds: Double) async {
        let done = OneShot<Void>()
        let watch = watches.add(group) { _, isTerminal in if isTerminal { done.complete(.success(())) } }
        let timer = LoopTimer(after: .seconds(seconds)) { done.complete(.success(())) }
        try? await done.wait()
        timer.cancel()
        watches.remove(watch, of: group)
    }

    /// Returns the results of a page whose bytes were requested inline, as many as one answer may carry. Other renditions keep their references.
    private static func inline(_ record: GroupRecord, _ page: Range<Int>) -> [(index: Int, result: ImageResult)] {
        var left = ResultDelivery.inlineLimit
        return page.compactMap { index in
            guard let outcome = record.outcomes[index], outcome["deliver"] == "inline", let result = outcome["result"].map({ ImageResult(json: $0) }) else {
                return nil
            }
            let size = ResultDelivery.size(result.renditions)
            guard size <= left else { return nil }
            left -= size
            return (index, result)
        }
    }

    /// Adds the bytes of these results, as far as they are still there.
    private func filled(_ record: GroupRecord, _ inline: [(index: Int, result: ImageResult)]) async -> GroupRecord {
        var record = record
        for (index, result) in inline {
            guard var outcome = record.outcomes[index]?.object, let data = try? await results.data(of: result.renditions, inMemory: true)
            else { continue }
            outcome["result"] = result.carrying(data).json
            record.outcomes[index] = .object(outcome)
        }
        return record
    }
}
