/// A client that has not taken its answer yet, as `AnswerBudget` compares it with others. Pure.
///
/// The slower a client reads, and the more its address keeps in memory, the sooner it gives way:
///
/// - The lateness is above 1 if the client needs more than about ten seconds for the bytes that it keeps in memory.
/// - An address has a share of the room. If it keeps more, the lateness of its readers counts as many times as it keeps shares.
///
/// So attackers keep others out only if they read the whole room within ten seconds, and faster with few addresses.
struct AnswerReader {
    /// Tells the body from those of others. Clients that read the same one share its memory.
    let body: UnsafeRawPointer
    /// The bytes of the body.
    let bytes: Int
    /// The bytes that this client keeps besides.
    var own = 0
    /// The unit that counts as one address (`ConnectionPeer.network`).
    let network: String
    /// The time that the client has taken, as a multiple of the time that `MinimumBodyRate.contested` allows.
    let lateness: Double

    private struct Place: Hashable {
        let network: String
        let body: UnsafeRawPointer
    }

    /// Returns the bodies whose readers give way to a new answer, the slowest first. A body is as slow as its fastest reader, since all of them have to go
    /// before its memory is free.
    /// - Parameters:
    ///   - missing: the bytes that have to become free.
    ///   - bytes: the bytes of the new answer. It counts as one that takes ten seconds, with the shares that it takes itself.
    ///   - share: the bytes that every address may keep.
    /// - Returns: nil if too few readers are slower than the new one.
    static func slowest(_ readers: [AnswerReader], freeing missing: Int, for bytes: Int, share: Int) -> Set<UnsafeRawPointer>? {
        var (kept, seen): ([String: Int], Set<Place>) = ([:], [])
        for reader in readers {
            let isNew = seen.insert(Place(network: reader.network, body: reader.body)).inserted
            kept[reader.network, default: 0] += reader.own + (isNew ? reader.bytes : 0)
        }
        func shares(_ bytes: Int) -> Double { max(1, Double(bytes) / Double(max(share, 1))) }
        var bodies: [UnsafeRawPointer: (delay: Double, bytes: Int)] = [:]
        for reader in readers {
            let (delay, body) = (reader.lateness * shares(kept[reader.network] ?? 0), bodies[reader.body])
            bodies[reader.body] = (min(delay, body?.delay ?? delay), (body?.bytes ?? reader.bytes) + reader.own)
        }
        var (freed, chosen): (Int, Set<UnsafeRawPointer>) = (0, [])
        for (body, place) in bodies.filter({ $0.value.delay > shares(bytes) }).sorted(by: { $0.value.delay > $1.value.delay }) {
            if freed >= missing { break }
            chosen.insert(body)
            freed += place.bytes
        }
        return freed >= missing ? chosen : nil
    }
}

extension MinimumBodyRate {
    /// The rate that keeps a reader in full memory: half a second, and ten for the whole. A phone that takes 100 KB a second has read 1 MB by then.
    static let contested = MinimumBodyRate(first: .milliseconds(500), bytesPerSecond: 4 << 10, whole: .milliseconds(10_500))
}
