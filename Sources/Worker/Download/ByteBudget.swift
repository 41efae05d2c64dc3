package import TintypeTransport

/// The budget for the bytes of sources, other pictures and results that a worker holds at once. Downloads above the budget pause until pixels catch up.
///
/// While complete fetches are processed, the others wait for their bytes. If no fetch is complete, the oldest one continues: it may exceed the budget, but
/// only by its largest source. So there is always one fetch that will end. If younger fetches hold bytes and wait as well, the youngest gives up its bytes
/// and begins again later. A fetch whose pictures would not fit even alone is refused. Lives on the loop.
@Loop package final class ByteBudget {
    package let capacity: Int
    /// The bytes held now.
    package private(set) var used = 0
    /// The downloads under way, oldest first.
    private var downloads: [Weak] = []
    /// All parts of the budget.
    private var reservations: [ObjectIdentifier: Weak] = [:]
    private var lastAge = 0
    /// The number of parts that wait for bytes of unknown size, which arrive all at once.
    private var arriving = 0

    /// The assumed size of an arrival until it is there: the default limit for a source.
    private static let arrival = 64 << 20

    private struct Weak { weak var reservation: ByteReservation? }

    /// - Parameter capacity: the budget in bytes.
    package init(capacity: Int) { self.capacity = capacity }

    /// The number of paused downloads.
    package internal(set) var pausedDownloads = 0

    /// Returns the budget part of a fetch whose download begins now.
    package func begin() -> ByteReservation { begin(of: nil, yields: false) }

    /// - Parameters:
    ///   - owner: the fetch's own part; nil if this is the fetch's own.
    ///   - yields: whether nobody waits for the download.
    func begin(of owner: ByteReservation?, yields: Bool) -> ByteReservation {
        lastAge += 1
        let reservation = ByteReservation(self, of: owner, age: lastAge, yields: yields)
        reservations[ObjectIdentifier(reservation)] = Weak(reservation: reservation)
        join(reservation)
        return reservation
    }

    func forget(_ reservation: ByteReservation) {
        reservations[ObjectIdentifier(reservation)] = nil
        if reservation.isPaused { pausedDownloads -= 1 }
    }

    func join(_ reservation: ByteReservation) {
        guard !reservation.isDownloading else { return }
        reservation.isDownloading = true
        downloads.append(Weak(reservation: reservation))
    }

    func leave(_ reservation: ByteReservation) {
        guard reservation.isDownloading else { return }
        (reservation.isDownloading, reservation.isPaused) = (false, false)
        downloads.removeAll { $0.reservation == nil || $0.reservation === reservation }
        wake()
    }

    func count(_ bytes: Int) {
        used += bytes
        if bytes < 0 { wake() }
    }

    // MARK: Order of downloads

    /// Whether a download may take this many more bytes now. If not, the download is paused.
    func admits(_ reservation: ByteReservation, _ count: Int) -> Bool {
        guard reservation.end == nil else { return false }
        let fits =
            used + count <= capacity || reservation.owner === privileged && !isDraining && used + count - largest(of: reservation, with: count) <= capacity
        (reservation.isPaused, reservation.wanted) = (!fits, count)
        if !fits { makeProgress() }
        return fits
    }

    /// The same for bytes that arrive all at once. While little is held, several may arrive together.
    func admitsArrival(_ reservation: ByteReservation) -> Bool {
        guard arriving == 0 || used + (arriving + 1) * Self.arrival <= capacity else {
            (reservation.isPaused, reservation.wanted) = (true, 1)
            return false
        }
        guard admits(reservation, 1) else { return false }
        arriving += 1
        return true
    }

    /// Ends an arrival: the bytes are counted, or will not come.
    func arrived() {
        arriving -= 1
        wake()
    }

    /// The oldest fetch with a download that somebody waits for.
    private var privileged: ByteReservation? {
        downloads.lazy.compactMap(\.reservation).filter { !$0.yields && $0.end == nil }.map(\.owner).min { $0.age < $1.age }
    }

    /// Whether some fetch will give bytes back although nothing more is downloaded.
    private var isDraining: Bool { all.contains { $0.holds && ($0.owner.end != nil || $0.owner.needs == 0 && !$0.isDownloading) } }

    private var all: some Sequence<ByteReservation> { reservations.values.lazy.compactMap(\.reservation) }

    /// Returns the bytes of the largest source of a fetch, if its part `reservation` gets `count` more.
    private func largest(of reservation: ByteReservation, with count: Int = 0) -> Int {
        all.lazy.filter { $0.owner === reservation.owner }.map { $0.sources + ($0 === reservation ? count : 0) }.max() ?? 0
    }

    /// Whether the pictures of a fetch, without the largest, exceed the budget.
    func isExceeded(by reservation: ByteReservation, with count: Int = 0) -> Bool {
        let own = all.lazy.filter { $0.owner === reservation.owner }.reduce(0) { $0 + $1.bytes }
        return own + count - largest(of: reservation, with: count) > capacity
    }

    /// Makes room if nobody gives bytes back and the oldest fetch is paused. The youngest other fetch that holds bytes gives them up. This waits until
    /// none of the others can continue by itself.
    private func makeProgress() {
        guard arriving == 0, pausedDownloads > 0, let first = privileged, !isDraining, let stuck = all.first(where: { $0.owner === first && $0.isPaused })
        else { return }
        if isExceeded(by: stuck, with: stuck.wanted) { return end(stuck, .refused) }
        let others = all.filter { $0.owner !== first && $0.holds && $0.owner.end == nil }
        guard others.allSatisfy({ $0.isPaused || !$0.isDownloading }), let victim = others.map(\.owner).max(by: { $0.age < $1.age }) else { return }
        end(victim, .evicted)
    }

    /// Ends all downloads of a fetch.
    private func end(_ reservation: ByteReservation, _ reason: ByteReservation.End) {
        reservation.owner.end = reason
        for one in Array(all) where one.owner === reservation.owner { one.open() }
    }

    /// Lets paused downloads ask again while there is room, oldest first.
    func wake() {
        guard pausedDownloads > 0 else { return }
        let first = used < capacity || isDraining ? nil : privileged
        for case let reservation? in downloads.map(\.reservation) where reservation.isPaused && (used < capacity || reservation.owner === first) {
            reservation.open()
        }
        makeProgress()
    }
}
