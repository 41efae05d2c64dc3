/// The limit for the memory of all answers that clients have not taken yet. Servers may share it.
///
/// A client that reads slowly keeps its answer in memory. When the room is full, those readers give way that are slowest (`AnswerReader`), so that new
/// ones find room. Their connections are cut. An answer that the kernel takes at once needs no room, and neither does the body in a file.
@Loop
package final class AnswerBudget {
    /// A picture of more than one piece is sent only if the room admits it (`ImageSender`). Shorter answers are cut in the middle if they find no room. So
    /// they may stand over the limit, by a sixteenth of the limit in all.
    private nonisolated static let short = 2 * Outgoing.piece
    /// An answer that keeps less does not count. The number of connections limits those.
    private nonisolated static let smallest = 16 << 10

    /// In bytes. Tests lower it.
    package var limit: Int
    /// The bytes that are in memory. A body counts once, however many clients read it.
    package private(set) var used = 0
    let onCut: @Loop (SlowCut) -> Void
    private let now: @Loop () -> ContinuousClock.Instant
    private var readers: [ObjectIdentifier: Reader] = [:]
    private var bodies: [UnsafeRawPointer: Body] = [:]

    private struct Reader {
        unowned let connection: HTTPConnection
        let body: UnsafeRawPointer
        /// The bytes that only its connection keeps.
        let own: Int
        let network: String
    }

    private struct Body {
        let bytes: Int
        var readers = 0
    }

    /// - Parameters:
    ///   - onCut: called for each client that is cut off.
    ///   - now: the time, which tests move.
    package init(limit: Int = 256 << 20, now: @escaping @Loop () -> ContinuousClock.Instant = { .now }, onCut: @escaping @Loop (SlowCut) -> Void = { _ in }) {
        (self.limit, self.now, self.onCut) = (limit, now, onCut)
    }

    /// Makes room for a body that is about to be sent.
    /// - Returns: false if there is none, because all clients read quickly.
    package func admits(_ body: SharedBody) -> Bool { bodies[body.id] != nil || makeRoom(for: min(body.bytes.count, limit)) }

    /// Counts the answer of a connection whose client has to be awaited.
    /// - Returns: false if there is no room.
    func enter(_ connection: HTTPConnection) -> Bool {
        if connection.isCounted { leave(connection) }
        let (kept, own) = connection.kept
        guard (kept?.bytes ?? 0) + own >= Self.smallest else { return true }
        let id = kept?.id ?? UnsafeRawPointer(Unmanaged.passUnretained(connection).toOpaque())
        // A single answer may be larger than the limit.
        let bytes = bodies[id]?.bytes ?? min(kept?.bytes ?? 0, limit - own)
        let more = own + (bodies[id] == nil ? bytes : 0)
        guard makeRoom(for: more) || more <= Self.short && used + more <= limit + limit / 16 else { return false }
        used += own
        if bodies[id] == nil { used += bytes }
        bodies[id, default: Body(bytes: bytes)].readers += 1
        readers[ObjectIdentifier(connection)] = Reader(connection: connection, body: id, own: own, network: connection.exchange?.peer.network ?? "")
        connection.isCounted = true
        return true
    }

    /// Notes that the client of a connection has the answer, or has gone.
    func leave(_ connection: HTTPConnection) {
        connection.isCounted = false
        guard let reader = readers.removeValue(forKey: ObjectIdentifier(connection)), var body = bodies[reader.body] else { return }
        used -= reader.own
        body.readers -= 1
        if body.readers == 0 { used -= body.bytes }
        bodies[reader.body] = body.readers > 0 ? body : nil
    }

    private func makeRoom(for bytes: Int) -> Bool {
        let missing = used + bytes - limit
        guard missing > 0 else { return true }
        let now = self.now()
        let standing = readers.values.map { reader in
            let (connection, bytes) = (reader.connection, bodies[reader.body]?.bytes ?? 0)
            let pending = connection.unsent + connection.wire.unacknowledged
            let lateness = connection.clock.progress.lateness(.contested, keeping: bytes + reader.own, pending: pending, at: now)
            return AnswerReader(body: reader.body, bytes: bytes, own: reader.own, network: reader.network, lateness: lateness)
        }
        guard let slowest = AnswerReader.slowest(standing, freeing: missing, for: bytes, share: limit / 64) else { return false }
        // Each cut changes the readers.
        for reader in readers.values.filter({ slowest.contains($0.body) }) { reader.connection.cut(.full) }
        return true
    }
}

/// The reason for which a slow client was cut off.
package enum SlowCut: String, Sendable {
    /// It was slower than `MinimumBodyRate`.
    case slow
    /// Its answer was in memory, and others needed the room.
    case full
}
