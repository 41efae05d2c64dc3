import TintypeCore
package import TintypeTransport

extension Queue {
    /// Seconds for which a queue keeps an id longer than the receipt is known there, since a receipt may end late.
    private nonisolated static let margin = 60.0

    /// Reserves an id that a client has chosen for its receipt, for as long as the receipt may be known. A client that asks for a receipt names no
    /// queue. Call it before the submit, and again before each repetition of the submit.
    ///
    /// Queues share nothing in Redis, so the queue `default` decides for all. Its own `submit` checks the id itself and needs no reservation.
    /// - Parameter token: the token of this attempt, for `giveBack`.
    /// - Returns: false if another queue knows the id.
    package func reserve(_ s: Submission, token: String) async throws(RedisError) -> Bool {
        guard hasToReserve(s) else { return true }
        let reply = try await reserve(s.receipt, token, for: Self.milliseconds(s.deadlineSeconds + s.keepSeconds + Self.margin))
        switch PlainReply(reply) {
        case .ok: return true
        case .other: return false
        case .made, nil: throw Self.unexpected(.reserve, reply)
        }
    }

    /// Frees the id of a submission that failed, so that other queues may use it. Nothing happens while another attempt, earlier or later, holds a
    /// reservation for this queue: that attempt may have submitted the receipt.
    package func giveBack(_ s: Submission, token: String) async throws(RedisError) {
        guard hasToReserve(s) else { return }
        _ = try await reserve(s.receipt, token, for: 0)
    }

    /// Returns whether the id has to be reserved.
    package func hasToReserve(_ s: Submission) -> Bool { s.isChosen && name != Self.judge }

    private func reserve(_ receipt: String, _ token: String, for milliseconds: Int64) async throws(RedisError) -> RedisReply {
        var arguments = ScriptArguments(.reserve)
        arguments.add(.receipt, receipt)
        arguments.add(.queue, name)
        arguments.add(.token, token)
        arguments.add(.time, .int(milliseconds))
        return try await run(shared: .reserve, arguments.words)
    }

    nonisolated static let judge = QueueKeys.shared.name
}
