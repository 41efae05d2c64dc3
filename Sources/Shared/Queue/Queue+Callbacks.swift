package import TintypeCore
package import TintypeImages
package import TintypeTransport

extension Queue {
    /// Leases callbacks that are due. They become due again for any coordinator when `lease` has passed without `settle`.
    /// - Parameters:
    ///   - perHost: how many callbacks to one host may be under way.
    ///   - underWay: how many are under way, by host.
    package func dueCallbacks(
        count: Int, lease: Duration, perHost: Int = 8, underWay: [String: Int] = [:]
    ) async throws(RedisError) -> [DueCallback] {
        let head: [RedisArgument] = [.int(Int64(count)), .int(lease.milliseconds), .int(Int64(perHost))]
        let reply = try await run(.callbacksLease, head + underWay.flatMap { [.string($0.key), .int(Int64($0.value))] })
        guard let items = reply.array else { throw Self.unexpected(.callbacksLease) }
        var due: [DueCallback] = []
        for item in items {
            guard let words = item.array, words.count == 6, let receipt = words[0].string, let token = words[1].int, let failures = words[2].int,
                let target = words[3].string.flatMap({ CallbackTarget(queued: $0) }), let event = words[4].string, let host = words[5].string
            else { throw Self.unexpected(.callbacksLease) }
            due.append(DueCallback(receipt: receipt, token: token, failures: Int(failures), target: target, event: event, host: host))
        }
        return due
    }

    /// Reports the end of a try: the callback and its secret are forgotten, or the callback is due again after `pause`.
    /// - Returns: false if another coordinator has the callback now, or the same was reported before.
    @discardableResult
    package func settle(_ callback: DueCallback, retryAfter pause: Duration?) async throws(RedisError) -> Bool {
        let reply = try await run(.callbackSettle, [.string(callback.receipt), .int(callback.token), pause.map { .int($0.milliseconds) } ?? ""])
        return PlainReply(reply) == .ok
    }

    /// Stores the callback and the end of a receipt that was answered without Redis. Repeating the call is harmless, and so is submitting the receipt
    /// afterwards.
    /// - Parameters:
    ///   - s: the submission of the receipt, with the callback.
    ///   - at: the time of the end, as in its event.
    ///   - body: the members of the terminal event, as JSON.
    ///   - event: the whole terminal event.
    package func owe(_ s: Submission, at: String, body: String, event: String) async throws(RedisError) {
        guard let target = s.callback else { return }
        let reply = try await run(
            .callbackStore,
            [
                .receipt: .string(s.receipt), .receiver: .string(target.queued), .event: .string(event), .coordinator: .string(s.coordinator),
                .fingerprint: .string(String(s.fingerprint.prefix(32))), .meta: .ifAny(s.meta), .terms: .ifAny(s.terms.words), .at: .string(at),
                .body: .string(body), .keep: .int(Self.milliseconds(s.keepSeconds)),
            ])
        guard PlainReply(reply) == .ok else { throw .reply("there is no queue \(name)") }
    }
}

/// A callback that is due and leased to this process.
package struct DueCallback: Sendable {
    package let receipt: String
    /// The token of the lease. A call with another token changes nothing.
    package let token: Int64
    /// The number of tries that have failed.
    package let failures: Int
    package let target: CallbackTarget
    /// The terminal event, which is the body of the POST.
    package let event: String
    /// The receiver for the limit per host: host and port.
    package let host: String

    /// The place of its request in a trace; nil: the request named none.
    package var trace: TraceContext? {
        // Few events name a trace, and only those are read.
        guard event.utf8.count < Self.longest, event.contains("\"traceparent\":"), let members = try? JSON(parsing: event).object else { return nil }
        return TraceContext(members: members)
    }

    /// Longer events are sent without their trace: to read one would hold up others.
    private static let longest = 1 << 20
}
