package import TintypeCore
package import TintypeTransport

/// A client that takes answers. While others wait for room, `LongAnswerBudget` closes one that takes too little.
@Loop
package protocol LongAnswerReader: AnyObject {
    /// The bytes that it has taken so far; nil while nothing waits for it. Only the difference of two values counts.
    var takenBytes: Int? { get }
    /// Closes the connection of a client that reads too slowly.
    func cutSlow()
}

/// The bytes of all large answers that are being made, or that their clients have not taken yet. All connections of JSON-RPC share it, over TCP and HTTP.
///
/// A large answer gets its place before its bytes are read, and gives the place back when the kernel has them. Without room it waits, in order. An
/// address that has used up its share lets other addresses pass. An answer that alone is larger than a limit gets a place when nothing else has one.
///
/// While answers of an address wait or are refused, its own clients are judged by their pace. While the room of all is too small, all clients are.
@Loop
package final class LongAnswerBudget {
    package struct Limits: Sendable {
        /// The bytes for all clients. While an answer is written, there are two copies of it, so the memory may be more by the largest answer.
        package var all = 48 << 20
        /// The bytes for one address. Three addresses that read nothing cannot use up the room of all.
        package var address = 12 << 20
        /// The time after which a waiting answer fails, unless another answer for its address has got a place meanwhile.
        package var patience = Duration.seconds(60)
        /// The interval of looks at waiting answers and slow clients.
        package var look = Duration.seconds(1)
        /// While answers wait, a client must take this many bytes in this time. The largest answer then ends within the patience of the others.
        package var pace = (bytes: 2_560 << 10, time: Duration.seconds(10))
    }

    @Loop private final class Waiter {
        let (bytes, address): (Int, String)
        weak var reader: (any LongAnswerReader)?
        let since = ContinuousClock.now
        let reservation = OneShot<AnswerReservation>()
        var hasLeft = false
        init(_ bytes: Int, _ address: String, _ reader: (any LongAnswerReader)?) { (self.bytes, self.address, self.reader) = (bytes, address, reader) }
    }

    private struct Reader {
        weak var reader: (any LongAnswerReader)?
        package let address: String
    }

    /// The looks at slow clients for which a refusal counts.
    private static let lasting = 20

    package let limits: Limits
    private let all: BodyBudget
    private var addresses: [String: BodyBudget] = [:]
    private var waiting: [Waiter] = []
    /// The time at which a waiting answer of an address last got its place.
    private var movedAt: [String: ContinuousClock.Instant] = [:]
    /// The clients that take the answers, by place.
    private var readers: [ObjectIdentifier: Reader] = [:]
    /// The bytes that each client had taken at a time.
    private var paces: [ObjectIdentifier: (taken: Int, at: ContinuousClock.Instant)] = [:]
    private var timer: LoopTimer?
    /// The addresses whose share was too small for an answer, and the looks that are left. Their clients alone are judged.
    private var short: [String: Int] = [:]
    /// The looks that are left since the room of all was too small. All clients are judged.
    private var allShort = 0

    init(_ limits: Limits = Limits()) {
        self.limits = limits
        all = BodyBudget(limits.all)
    }

    /// The bytes with a place.
    package var bytes: Int { all.used }
    /// The number of answers that wait for a place.
    var waitingCount: Int { waiting.count }

    /// The error of an answer for which there is no room.
    package static var full: TintypeError {
        TintypeError(
            .overloaded, .deliver, "too many bytes of answers wait for their clients: try again in 1 s, or use deliver: reference", retryable: true,
            details: ["retryAfter": 1])
    }

    /// Returns a place; nil if there is no room now.
    /// - Parameter address: The network of the client; empty if it has none, as on a Unix socket.
    package func reserve(_ bytes: Int, of address: String, for reader: (any LongAnswerReader)?) -> AnswerReservation? {
        let share = addresses[address] ?? BodyBudget(address.isEmpty ? limits.all : limits.address)
        let parts = [BodyReservation(share), BodyReservation(all)]
        guard parts[0].grow(to: min(bytes, share.limit)) else {
            short[address] = Self.lasting
            startLooking()
            return nil
        }
        guard parts[1].grow(to: min(bytes, limits.all)) else {
            allShort = Self.lasting
            startLooking()
            return nil
        }
        addresses[address] = share
        return AnswerReservation(self, bytes, parts, address, reader)
    }

    /// Returns a place as soon as there is room.
    /// - Throws: `overloaded` when the patience is over, or `cancelled` when the task is canceled.
    package func enter(_ bytes: Int, of address: String, for reader: (any LongAnswerReader)?) async throws(TintypeError) -> AnswerReservation {
        if waiting.isEmpty, let reservation = reserve(bytes, of: address, for: reader) { return reservation }
        let waiter = Waiter(bytes, address, reader)
        waiting.append(waiter)
        startLooking()
        look()
        do {
            return try await waiter.reservation.wait()
        } catch {
            waiter.hasLeft = true
            look()
            throw (error as? TintypeError) ?? Outcome.cancellation(reason: "disconnected", phase: Phase.deliver.rawValue)
        }
    }

    private func startLooking() {
        if timer == nil { timer = LoopTimer(after: limits.look, repeating: true) { [weak self] in self?.judge(at: .now) } }
    }

    /// Judges a client like one with a place, or no longer: its bytes had to be written without one.
    func setJudged(_ isJudged: Bool, _ reader: any LongAnswerReader, of address: String) {
        readers[ObjectIdentifier(reader)] = isJudged ? Reader(reader: reader, address: address) : nil
    }

    /// Ends the waiting of a client that has gone.
    package func leave(_ reader: any LongAnswerReader) {
        guard !waiting.isEmpty else { return }
        for waiter in waiting where waiter.reader === reader {
            waiter.hasLeft = true
            waiter.reservation.complete(.failure(CancellationError()))
        }
        look()
    }

    /// Gives places to waiting answers, as far as there is room.
    private func look() {
        var (index, full) = (0, Set<String>())
        while index < waiting.count {
            let waiter = waiting[index]
            if waiter.hasLeft {
                waiting.remove(at: index)
            } else if full.contains(waiter.address) {
                index += 1
            } else if let reservation = reserve(waiter.bytes, of: waiter.address, for: waiter.reader) {
                waiting.remove(at: index)
                movedAt[waiter.address] = .now
                waiter.reservation.complete(.success(reservation))
            } else {
                // Smaller answers must not pass for ever one that waits for the room of all.
                if min(waiter.bytes, limits.all) > limits.all - all.used { break }
                full.insert(waiter.address)
                index += 1
            }
        }
        if waiting.isEmpty { movedAt = [:] }
        if waiting.isEmpty, short.isEmpty, allShort == 0 { (timer, paces) = (nil, [:]) }
    }

    /// Refuses answers that have waited too long, and closes clients that keep others waiting.
    func judge(at now: ContinuousClock.Instant) {
        for waiter in waiting where now - max(waiter.since, movedAt[waiter.address] ?? waiter.since) > limits.patience {
            waiter.hasLeft = true
            waiter.reservation.complete(.failure(Self.full))
        }
        var seen: [ObjectIdentifier: (taken: Int, at: ContinuousClock.Instant)] = [:]
        for reservation in readers.values where allShort > 0 || short[reservation.address] != nil {
            guard let reader = reservation.reader else { continue }
            let id = ObjectIdentifier(reader)
            guard seen[id] == nil, let taken = reader.takenBytes else { continue }
            let earlier = paces[id] ?? (taken, now)
            if now - earlier.at < limits.pace.time {
                seen[id] = earlier
            } else {
                seen[id] = (taken, now)
                if taken - earlier.taken < limits.pace.bytes { reader.cutSlow() }
            }
        }
        paces = seen
        short = short.compactMapValues { $0 > 1 ? $0 - 1 : nil }
        allShort = max(0, allShort - 1)
        look()
    }

    fileprivate func set(_ reader: (any LongAnswerReader)?, of reservation: ObjectIdentifier, _ address: String) {
        readers[reservation] = reader.map { Reader(reader: $0, address: address) }
    }

    fileprivate func left(_ reservation: ObjectIdentifier, _ address: String) {
        readers[reservation] = nil
        if addresses[address]?.used == 0 { addresses[address] = nil }
        if !waiting.isEmpty { Loop.execute { self.look() } }
    }
}

/// The place of one answer in `LongAnswerBudget`, until it is released.
@Loop
package final class AnswerReservation {
    package let bytes: Int
    private let budget: LongAnswerBudget
    private var parts: [BodyReservation]
    private let address: String
    /// The client that takes the answer.
    weak var reader: (any LongAnswerReader)? { didSet { budget.set(reader, of: ObjectIdentifier(self), address) } }

    fileprivate init(_ budget: LongAnswerBudget, _ bytes: Int, _ parts: [BodyReservation], _ address: String, _ reader: (any LongAnswerReader)?) {
        (self.budget, self.bytes, self.parts, self.address) = (budget, bytes, parts, address)
        self.reader = reader
        budget.set(reader, of: ObjectIdentifier(self), address)
    }

    isolated deinit {
        parts = []
        budget.left(ObjectIdentifier(self), address)
    }
}
