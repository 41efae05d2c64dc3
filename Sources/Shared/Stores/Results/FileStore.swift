package import TintypeCore
package import TintypeTransport
package import TintypeImages

/// Results as files, one file per image, in 256 folders below `directory`.
///
/// Any number of processes of one machine may share the folder, and also machines over NFS (4, or 3 with its lock daemon). A write goes to a temporary
/// file on the same file system, which is then renamed. So a reader sees the old image, the new one or none. One process at a time trims, under a lock
/// that its death releases. Nothing is flushed to the disk, since results can be made again. After a power failure the digest in each file
/// distinguishes whole files from torn ones, which are dropped. A full disk is `storeFailed`, retryable, and leaves no files behind.
///
/// Trimming enforces the limits (`StoreLimits`): after writes, if the known state of the folder requires it, and each minute. If bytes, count or free disk
/// exceed a limit, the images not read for longest are deleted, down to 80 % of the limit. A process learns of the writes of others only when it reads the
/// folder. It does so after it has itself written a twentieth of a limit. So each process may exceed a limit by at most that, for up to a minute.
package final class FileStore: ResultStore {
    package let kind = "file"
    private let folder: FileStoreFolder
    private let pool: BlockingPool
    /// The pool for walks over all files, which may take minutes. Reads and writes of single images do not wait behind them.
    private let walks: BlockingPool
    private let ownsWalks: Bool
    @Loop private let files: OpenFiles
    @Loop private var timer: LoopTimer?
    @Loop private var isOpen = true

    /// The interval between two trims. Several processes take turns: one that comes too soon after another does nothing.
    package static let interval = Duration.seconds(60)

    /// Makes the folders if they are missing. Blocks for a moment: call it at start-up.
    /// - Parameters:
    ///   - walks: the pool for walks over all files; by default a thread of its own.
    ///   - keepsOpen: the most files that are kept open for `opened`.
    /// - Throws: `storeFailed` when `directory` cannot be made or written.
    package init(
        directory: String, limits: StoreLimits = StoreLimits(), pool: BlockingPool, walks: BlockingPool? = nil, keepsOpen: Int = 0
    ) throws(TintypeError) {
        files = OpenFiles(most: keepsOpen)
        folder = try FileStoreFolder(path: directory, limits: limits)
        self.pool = pool
        ownsWalks = walks == nil
        self.walks = walks ?? BlockingPool(threads: 1, name: "store-walks")
    }

    /// Trims the folder regularly until the store is closed.
    /// - Parameter interval: a minute, except in tests.
    @Loop package func keepTrimmed(every interval: Duration = FileStore.interval) {
        let folder = folder
        let pool = walks
        let seconds = interval / .seconds(1) * 0.9
        Self.look(over: folder, pool, unlessWithin: seconds)
        timer = LoopTimer(after: interval, repeating: true) { [weak self] in
            self?.sweep()
            Self.look(over: folder, pool, unlessWithin: seconds)
        }
    }

    /// Closes the files that nobody has asked for since the last call.
    @Loop func sweep() { files.sweep() }

    private static func look(over folder: FileStoreFolder, _ pool: BlockingPool, unlessWithin seconds: Double) {
        pool.start {
            _ = folder.trim(unlessWithin: seconds)
            emptyTrash(folder, pool)
        }
    }

    @Loop package func put(_ image: StoredImage) async throws(TintypeError) {
        let folder = folder
        let isTrimDue = try await run { () throws(TintypeError) in try folder.write(image) }
        if isTrimDue { walks.start { _ = folder.trim() } }
    }

    @Loop package func look(up key: String) async throws(TintypeError) -> StoreLookup {
        let folder = folder
        let (lookup, file) = try await run { () throws(TintypeError) in try folder.opened(key) }
        if let file, isOpen { files.keep(file, as: key) }
        return lookup
    }

    /// Each call costs two switches between threads, far more than the look for a file that is not there.
    @Loop package func look(up key: String, orElse other: String) async throws(TintypeError) -> (StoreLookup, StoreLookup?) {
        let folder = folder
        let (first, second) = try await run { () throws(TintypeError) in
            let first = try folder.opened(key)
            if case .found = first.lookup { return (first, nil as StoreLookup?) }
            return (first, try? folder.opened(other).lookup)
        }
        if let file = first.file, isOpen { files.keep(file, as: key) }
        return (first.lookup, second)
    }

    @Loop package func opened(_ key: String, copying copy: (StoredFile) -> Bool) -> StoredFile? {
        guard let (file, status) = files.current(key, copying: copy) else { return nil }
        let (isUsable, isMarkDue) = folder.judge(file.image, status)
        guard isUsable else {
            files.drop(key)
            return nil
        }
        if isMarkDue { file.mark(on: pool) }
        return file
    }

    @Loop package func contains(_ key: String) async throws(TintypeError) -> Bool {
        let folder = folder
        return try await run { () throws(TintypeError) in folder.contains(key) }
    }

    @Loop package func pin(_ key: String, _ isPinned: Bool) async throws(TintypeError) -> Bool {
        let folder = folder
        return try await run { () throws(TintypeError) in try folder.pin(key, isPinned) }
    }

    @discardableResult
    @Loop package func remove(_ key: String) async throws(TintypeError) -> StoreStatistics {
        let folder = folder
        files.drop(key)
        return try await run { () throws(TintypeError) in folder.remove(key) }
    }

    @Loop package func remove(_ mark: StoredMark) async throws(TintypeError) {
        let folder = folder
        if try await run({ () throws(TintypeError) in folder.remove(mark) }) { files.drop(mark.key) }
    }

    /// Readers see the folder empty at once. Only files that are open here may be read for `StoredFile.pathTrust` more. The files are deleted afterwards.
    @discardableResult
    @Loop package func clear() async throws(TintypeError) -> StoreStatistics {
        let folder = folder
        let cleared = try await run(on: walks) { () throws(TintypeError) in folder.clear() }
        files.dropAll()
        Self.emptyTrash(folder, walks)
        return cleared
    }

    @discardableResult
    @Loop package func trim() async throws(TintypeError) -> StoreStatistics {
        let folder = folder
        return try await run(on: walks) { () throws(TintypeError) in folder.trim() }
    }

    @Loop package func statistics() async throws(TintypeError) -> StoreStatistics {
        let folder = folder
        return try await run(on: walks) { () throws(TintypeError) in folder.statistics() }
    }

    @Loop package func close() {
        timer = nil
        isOpen = false
        files.dropAll()
        if ownsWalks { walks.stop() }
    }

    deinit { if ownsWalks { walks.stop() } }

    private static func emptyTrash(_ folder: FileStoreFolder, _ pool: BlockingPool) {
        pool.start { if folder.emptyTrash() { emptyTrash(folder, pool) } }
    }

    @Loop private func run<T: Sendable>(
        on pool: BlockingPool? = nil, _ body: @escaping @Sendable () throws(TintypeError) -> T
    ) async throws(TintypeError) -> T {
        do {
            return try await (pool ?? self.pool).run { try body() }
        } catch let error as TintypeError {
            throw error
        } catch {
            throw .storeFailed("The store is closed.", cause: "\(error)", retryable: false)
        }
    }
}
