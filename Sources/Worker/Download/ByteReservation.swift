import TintypeCore
package import TintypeTransport

/// The part of a worker's `ByteBudget` that one download, or a fetch, holds. Given back on release or deinit. Lives on the loop.
@Loop package final class ByteReservation {
    /// The reason why a fetch gets no more bytes.
    enum End {
        /// An older fetch needs the bytes. This fetch begins again later.
        case evicted
        /// The pictures of the fetch together exceed the whole budget.
        case refused
    }

    package let gate = TransferGate()
    /// The bytes of sources and other pictures.
    private(set) var sources = 0
    /// The bytes of results.
    private var results = 0
    var isPaused = false {
        didSet { if isPaused != oldValue { budget?.pausedDownloads += isPaused ? 1 : -1 } }
    }
    /// The bytes that were refused last.
    var wanted = 0
    var isDownloading = false
    /// Whether nobody waits for this download. Such downloads come after all others.
    let yields: Bool
    /// The order of beginning: a younger part has a larger number.
    let age: Int
    /// The number of other downloads that this fetch waits for before it can give bytes back.
    private(set) var needs = 0
    /// The reason why the fetch of this part gets no more bytes.
    var end: End? {
        get { parent.map(\.end) ?? ending }
        set { if let parent { parent.end = newValue } else { ending = newValue } }
    }
    private var ending: End?
    private let parent: ByteReservation?
    private weak var budget: ByteBudget?
    private var waiter: OneShot<Void>?

    init(_ budget: ByteBudget, of owner: ByteReservation?, age: Int, yields: Bool) {
        (self.budget, parent, self.age, self.yields) = (budget, owner, age, yields)
    }

    /// The part of the fetch that this part belongs to, or this part itself.
    var owner: ByteReservation { parent ?? self }
    package var bytes: Int { sources + results }
    var holds: Bool { bytes > 0 }

    // MARK: Downloads

    /// Asks for room for the next bytes of a download.
    /// - Returns: false if the download has to pause. Its gate opens when it may ask again.
    package func take(_ count: Int) -> Bool {
        guard let budget, budget.admits(self, count) else { return false }
        add(count)
        return true
    }

    /// The same as the verdict of a transfer. After `.stop` the body is incomplete: see `check`.
    func verdict(_ count: Int) -> TransferVerdict { take(count) ? .proceed : end == nil ? .pause : .stop }

    /// - Throws: `TintypeError.noRoom` or `limitExceeded` if this fetch gets no more bytes.
    func check() throws(TintypeError) {
        switch end {
        case nil: return
        case .evicted: throw .noRoom
        case .refused: throw .tooManyPictures(budget?.capacity ?? 0)
        }
    }

    /// Waits for room, brings bytes that arrive all at once, such as a cached source, and counts them.
    /// - Parameter size: returns the number of bytes.
    /// - Throws: as `check`; `cancelled` if the task is canceled first; the errors of `bring`.
    func arrive<T>(_ bring: @Loop () async throws(TintypeError) -> T, size: @Loop (T) -> Int) async throws(TintypeError) -> T {
        while let budget, !budget.admitsArrival(self) {
            try check()
            let waiter = OneShot<Void>()
            self.waiter = waiter
            defer { self.waiter = nil }
            do { try await waiter.wait() } catch { throw TintypeError(.cancelled, .download, "no client waits for this source any more") }
        }
        defer { budget?.arrived() }
        let value = try await bring()
        add(size(value))
        return value
    }

    /// Checks once another picture is there.
    /// - Throws: as `check`; `limitExceeded` too if the pictures of the fetch, without the largest, exceed the budget.
    func checkPictures() throws(TintypeError) {
        if let budget, budget.isExceeded(by: self) { throw .tooManyPictures(budget.capacity) }
        try check()
    }

    /// Lifts a refusal. The fetch continues without the refused picture and may ask for others.
    func allow() { if end == .refused { end = nil } }

    /// Lets a paused download ask again.
    func open() {
        isPaused = false
        gate.open()
        waiter?.complete(.success(()))
    }

    // MARK: Counts

    /// Counts bytes of a source that are there already.
    package func add(_ count: Int) {
        sources += count
        budget?.count(count)
    }

    /// Gives back freed bytes of a source.
    package func remove(_ count: Int) {
        let count = min(count, sources)
        sources -= count
        budget?.count(-count)
    }

    /// Counts bytes of a result.
    package func addResult(_ count: Int) {
        results += count
        budget?.count(count)
    }

    /// Gives back bytes of a delivered result.
    package func removeResult(_ count: Int) {
        let count = min(count, results)
        results -= count
        budget?.count(-count)
    }

    /// Gives back everything counted so far. The download may begin again.
    package func giveBack() {
        let count = bytes
        (sources, results) = (0, 0)
        budget?.count(-count)
    }

    /// Returns a part for a download that nobody waits for. It pauses whenever there is no room.
    package func another() -> ByteReservation { budget?.begin(of: nil, yields: true) ?? self }

    /// Returns a part of the same fetch, for another picture.
    package func ofLayer() -> ByteReservation { budget?.begin(of: owner, yields: false) ?? self }

    /// Marks that a download begins again with this part.
    package func beginDownload() { budget?.join(self) }

    /// Marks that the download has ended. The next oldest becomes the one that is never paused.
    package func endDownload() { budget?.leave(self) }

    /// Marks that this fetch keeps its bytes until another download has ended, so that the download does not wait for these bytes.
    package func awaitMore() {
        needs += 1
        budget?.wake()
    }

    /// Marks that the other download has ended.
    package func haveMore() {
        needs -= 1
        budget?.wake()
    }

    /// Gives everything back.
    package func release() {
        budget?.leave(self)
        giveBack()
    }

    isolated deinit {
        release()
        budget?.forget(self)
    }
}

extension TintypeError {
    /// The error of a fetch that yields its memory: older fetches need the memory of this worker, and the fetch begins again.
    static let noRoom = TintypeError(.internalError, .download, "this worker has no memory left for the pictures of this fetch", details: ["which": "memory"])

    /// - Parameter capacity: the budget in bytes.
    static func tooManyPictures(_ capacity: Int) -> TintypeError {
        TintypeError(
            .limitExceeded, .download, "its pictures together exceed the worker's memory budget of \(capacity) bytes: name fewer or smaller ones",
            details: ["limit": "memoryBudget", "allowed": JSON(capacity)])
    }

    var isOfRoom: Bool { name == .internalError && details["which"] == "memory" }

    /// Whether this worker lacks a resource that another worker may have, or that this one may have later.
    var isOfShortage: Bool { isOfDescriptors || isOfRoom }
}
