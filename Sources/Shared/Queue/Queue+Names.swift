package import TintypeTransport

extension Queue {
    /// How much longer an id stays with its queue than its receipt is to be known there: a receipt may end late.
    private nonisolated static let margin = 60.0

    /// Has an id that a client has chosen for its receipt belong to this queue, for as long as the receipt may be known: whoever asks for a
    /// receipt names no queue. Before the submit, and again before each that repeats it.
    ///
    /// Queues share nothing in Redis, so the queue `default` judges for all. Its own `submit` looks by itself: there is nothing to do for it.
    /// - Parameter token: of this attempt, for `giveBack`.
    /// - Returns: false if another queue knows the id.
    package func reserve(_ s: Submission, token: String) async throws(RedisError) -> Bool {
        guard hasToReserve(s) else { return true }
        let reply = try await reserve(s.receipt, token, for: Self.milliseconds(s.deadlineSeconds + s.keepSeconds + Self.margin))
        switch PlainWord(reply) {
        case .ok: return true
        case .other: return false
        case .made, nil: throw Self.unexpected(scripts.reserve, reply)
        }
    }

    /// Lets the id of a submission go that came to nothing, so that other queues may have it. Nothing happens while somebody else has reserved
    /// it for this queue too, before or since, and not given it back: that one may have submitted it.
    package func giveBack(_ s: Submission, token: String) async throws(RedisError) {
        guard hasToReserve(s) else { return }
        _ = try await reserve(s.receipt, token, for: 0)
    }

    /// Whether there is anything to be reserved.
    package func hasToReserve(_ s: Submission) -> Bool { s.isChosen && name != Self.judge }

    private func reserve(_ receipt: String, _ token: String, for milliseconds: Int64) async throws(RedisError) -> RedisReply {
        try await run(shared: scripts.reserve, [.string(receipt), .string(name), .string(token), .int(milliseconds)])
    }

    nonisolated static let judge = QueueKeys.shared.name
}
