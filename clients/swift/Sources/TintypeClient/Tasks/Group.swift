import Synchronization

/// A group of receipts at the service: a batch, a prefetch or a chain.
///
/// It goes on in the service without its client. A lost connection costs it nothing: the client asks for it by its id.
final class Group: Sendable {
    /// The time for which one question is repeated while no coordinator answers.
    private static let patience = Duration.seconds(600)

    private struct State {
        var finished = 0
        var start: Task<Result<String, TintypeError>, Never>?
    }

    let client: Tintype
    let total: Int
    private let state = Mutex(State())

    init(_ client: Tintype, _ method: String, _ params: JSON, total: Int) {
        (self.client, self.total) = (client, total)
        let traced = client.traced(params)
        let until = client.until()
        let start = Task { () async -> Result<String, TintypeError> in
            do throws(TintypeError) {
                let answer = try await client.transport.call(method, traced, until: until)
                return .success(try Tintype.read(answer["group"] ?? .null, method))
            } catch {
                return .failure(error)
            }
        }
        state.withLock { $0.start = start }
    }

    /// The id of the group, once the service has it.
    var id: String {
        get async throws(TintypeError) {
            guard let start = state.withLock({ $0.start }) else { throw .closed }
            return try await start.value.get()
        }
    }

    /// How many items have ended, as far as the client knows.
    var finished: Int { state.withLock { $0.finished } }

    /// Asks for the state and the items from a place on.
    ///
    /// - Parameter wait: Seconds to wait for the end of the group.
    func page(from first: Int, limit: Int, wait: Double) async throws(TintypeError) -> GroupInfo {
        let group = try await id
        let params: JSON = ["group": .string(group), "from": .integer(first), "limit": .integer(limit), "wait": .number(wait)]
        let answer = try await client.transport.call("group.get", params, until: .now + Self.patience)
        let page: GroupInfo = try Tintype.read(answer, "group.get")
        state.withLock { $0.finished = max($0.finished, page.finished) }
        return page
    }

    /// Ends the group. Returns whether anything was still going on.
    func cancel() async throws(TintypeError) -> Bool {
        try await client.call("group.cancel", ["group": .string(try await id)])["cancelled"] == true
    }

    /// Ends the group, because the task that waits for it was cancelled.
    func withdraw() {
        client.errands.run { [self] in _ = try? await cancel() }
    }

    /// The error of a group that has not succeeded.
    func error(_ page: GroupInfo) -> TintypeError {
        if let failed = page.failed {
            return failed.error.of(item: failed.index)
        }
        return .local(.cancelled, "the group was cancelled\(page.reason.map { ": \($0)" } ?? "")", more: page.reason.map { ["reason": .string($0)] } ?? [:])
    }
}

extension TintypeError {
    /// The place of the failed item in its group.
    public var index: Int? { data["index"]?.intValue }

    /// Adds the place of the failed item in its group.
    func of(item index: Int) -> TintypeError {
        var more = data
        more["index"] = .integer(index)
        return TintypeError(name, "item \(index): \(message)", phase: phase, isRetryable: isRetryable, receipt: receipt, data: more)
    }
}
