import TintypeCore
package import TintypeTransport

/// What one download, or the fetch that it is for, holds of a worker's `ByteBudget`. Given back when it is released or dropped. Lives on the loop.
@Loop package final class ByteShare {
    /// Why a fetch gets no more.
    enum End {
        /// Another one needs its bytes first: it is begun anew later.
        case evicted
        /// Its pictures together are more than the whole budget.
        case refused
    }

    package let gate = TransferGate()
    /// Bytes of sources and other pictures.
    private(set) var sources = 0
    /// Bytes of results.
    private var results = 0
    var isPaused = false {
        didSet { if isPaused != oldValue { budget?.pausedDownloads += isPaused ? 1 : -1 } }
    }
    /// Bytes that it was refused last.
    var wanted = 0
    var isDownloading = false
    /// Nobody waits for it: it comes after all others.
    let yields: Bool
    /// The later it began the larger.
    let age: Int
    /// How many other downloads this fetch waits for before it can give these back.
    private(set) var needs = 0
    /// Of a fetch: why it gets no more.
    var end: End? {
        get { parent.map(\.end) ?? ending }
        set { if let parent { parent.end = newValue } else { ending = newValue } }
    }
    private var ending: End?
    private let parent: ByteShare?
    private weak var budget: ByteBudget?
    private var waiter: OneShot<Void>?

    init(_ budget: ByteBudget, of owner: ByteShare?, age: Int, yields: Bool) {
        (self.budget, parent, self.age, self.yields) = (budget, owner, age, yields)
    }

    /// The share of the fetch that this one is for; itself for that one.
    var owner: ByteShare { parent ?? self }
    package var bytes: Int { sources + results }
    var holds: Bool { bytes > 0 }

    // MARK: Downloads

    /// Asks for room for the next bytes of a download.
    /// - Returns: false when the download has to pause; its gate opens when it may ask again.
    package func take(_ count: Int) -> Bool {
        guard let budget, budget.admits(self, count) else { return false }
        add(count)
        return true
    }

    /// The same, as the verdict of a transfer. What ends so has not come whole: see `check`.
    func verdict(_ count: Int) -> TransferVerdict { take(count) ? .proceed : end == nil ? .pause : .stop }

    /// - Throws: `TintypeError.noRoom` or `limitExceeded` when this fetch gets no more.
    func check() throws(TintypeError) {
        switch end {
        case nil: return
        case .evicted: throw .noRoom
        case .refused: throw .tooManyPictures(budget?.capacity ?? 0)
        }
    }

    /// Brings what comes at once, such as what a cache has, when there is room for it, and counts it.
    /// - Parameter size: its bytes.
    /// - Throws: as `check`; `cancelled` when the task is cancelled first.
    func arrive<T>(_ bring: @Loop () async -> T, size: @Loop (T) -> Int) async throws(TintypeError) -> T {
        while let budget, !budget.admitsArrival(self) {
            try check()
            let waiter = OneShot<Void>()
            self.waiter = waiter
            defer { self.waiter = nil }
            do { try await waiter.wait() } catch { throw TintypeError(.cancelled, .download, "nobody waits for it any more") }
        }
        let value = await bring()
        add(size(value))
        budget?.arrived()
        return value
    }

    /// Whether the pictures of the fetch alone are more than the budget, but for the largest.
    var isExceeded: Bool { budget?.isExceeded(by: self) ?? false }

    /// What the fetch was refused it does without: it may ask for other pictures.
    func allow() { if end == .refused { end = nil } }

    /// Lets a paused download ask again.
    func open() {
        isPaused = false
        gate.open()
        waiter?.complete(.success(()))
    }

    // MARK: What is held

    /// Counts bytes of a source that are there already.
    package func add(_ count: Int) {
        sources += count
        budget?.count(count)
    }

    /// Gives back bytes of a source that were let go.
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

    /// Gives back bytes of a result that was handed over.
    package func removeResult(_ count: Int) {
        let count = min(count, results)
        results -= count
        budget?.count(-count)
    }

    /// Gives back what was counted so far; the download may begin anew.
    package func giveBack() {
        let count = bytes
        (sources, results) = (0, 0)
        budget?.count(-count)
    }

    /// A share of the same budget, for a download that nobody waits for: it is always held back where there is no room.
    package func another() -> ByteShare { budget?.begin(of: nil, yields: true) ?? self }

    /// A share of the same fetch, for another picture that it needs.
    package func ofLayer() -> ByteShare { budget?.begin(of: owner, yields: false) ?? self }

    /// Says that a download begins again with this share.
    package func beginDownload() { budget?.join(self) }

    /// Says that the download is over: the next one takes its place as the one that is never held back.
    package func endDownload() { budget?.leave(self) }

    /// Says that what this fetch holds is needed until another download has ended, so that it must not wait for these bytes.
    package func awaitMore() {
        needs += 1
        budget?.wake()
    }

    /// Says that this download has ended.
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
    /// Nobody's fault but this worker's: older fetches need the memory, and this one is begun anew.
    static let noRoom = TintypeError(.internalError, .download, "this worker has no memory left for the pictures of this fetch", details: ["which": "memory"])

    /// - Parameter capacity: of the budget, in bytes.
    static func tooManyPictures(_ capacity: Int) -> TintypeError {
        TintypeError(
            .limitExceeded, .download, "its pictures together are over the worker's memory budget of \(capacity) bytes: name fewer or smaller ones",
            details: ["limit": "memoryBudget", "allowed": JSON(capacity)])
    }

    var isOfRoom: Bool { name == .internalError && details["which"] == "memory" }

    /// Whether this worker lacks something that another one may have, or this one later.
    var isOfShortage: Bool { isOfDescriptors || isOfRoom }
}
