import TintypeCore

/// A refusal that names another server is no failure: nothing was done, and the command goes to that server. A slot on its way is waited for.
///
/// A script that followed `ASK` would find no queue at the other server, and begin a second one there. A key that shares its slot with no other has no
/// such parts, so its commands follow `ASK`.
extension RedisNodes {
    /// The pause before a slot on its way is asked for again.
    private static let pause = Duration.milliseconds(50)
    /// How long a server without slots keeps its client after the last use. Its move may have been given up.
    private static let stay = Duration.seconds(60)

    /// Notes a refusal because a slot moves.
    /// - Returns: the refusal; nil for another error.
    @discardableResult
    func note(_ error: RedisError, _ slot: Int) -> ClusterRedirect? {
        guard cluster != nil, case .unavailable(let text) = error, let redirect = ClusterRedirect(text) else { return nil }
        redirected[slot] = .now
        return redirect
    }

    /// Returns the client of a server that a refusal has named, also of one without slots.
    private func client(named address: SocketAddress) -> RedisClient {
        if let known = clients[address] { return known }
        for (address, guest) in guests where guest.used + Self.stay < .now {
            guests[address] = nil
            guest.client.stop()
        }
        let client = guests[address]?.client ?? begin(at: address)
        guests[address] = (client, .now)
        return client
    }

    /// Sends a command again that was refused by a server without the slot, until it is served or the time for an answer is over.
    /// - Parameters:
    ///   - isAlone: whether the key of the command shares the slot with no other.
    ///   - refusal: the first failure.
    ///   - send: sends the command to a server. `isAsked`: behind `ASKING`.
    /// - Throws: the last refusal, or another failure.
    func again(
        _ slot: Int, isAlone: Bool, after refusal: RedisError, within time: Duration,
        _ send: (_ client: RedisClient, _ isAsked: Bool) async throws(RedisError) -> RedisReply
    ) async throws(RedisError) -> RedisReply {
        let end = ContinuousClock.now + time
        var refusal = refusal
        var number = 0
        while let redirect = note(refusal, slot), ContinuousClock.now < end, !Task.isCancelled {
            number += 1
            var target: RedisClient?
            if redirect.kind == .ask, isAlone, let host = server(ofSlot: slot).address, let address = redirect.address(from: host) {
                target = client(named: address)
            }
            if let target {
                try await target.untilConnected(within: max(end - .now, Self.pause))
            } else {
                // The first MOVED has named the server. Servers that name each other in turn have not heard of a move yet.
                if redirect.kind != .moved || number > 1 { try? await Loop.sleep(Self.pause) }
                try await untilConnected(slot, within: max(end - .now, Self.pause))
            }
            do throws(RedisError) {
                return try await send(target ?? server(ofSlot: slot), target != nil)
            } catch {
                refusal = error
            }
        }
        throw refusal
    }
}
