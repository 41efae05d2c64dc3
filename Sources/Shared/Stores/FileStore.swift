/// Results as files, one file an image, in 256 folders below `directory`. Several processes may share the folder.
///
/// A write goes to a temporary file of the same file system and is renamed into place, so a reader sees the old image,
/// the new one or none. It is not flushed to the disk: results can be made again, and after a power failure the digest
/// in each file tells whole ones from torn ones, which are dropped. A full disk is `storeFailed`, retryable, and leaves
/// nothing behind. With `maxBytes` the least recently read go when the folder grows over it, down to 80 %; every process
/// measures after each twentieth of `maxBytes` it has written, so that is the most each may overshoot.
package final class FileStore: ResultStore {
    package let kind = "file"
    private let folder: FileStoreFolder
    private let pool: BlockingPool

    /// Makes the folders if they are missing. Blocks for a moment: for start-up.
    /// - Throws: `storeFailed` when `directory` cannot be made or written.
    package init(directory: String, maxBytes: Int? = nil, pool: BlockingPool) throws(TintypeError) {
        folder = try FileStoreFolder(path: directory, maxBytes: maxBytes)
        self.pool = pool
    }

    @Loop package func put(_ image: StoredImage) async throws(TintypeError) {
        let folder = folder
        try await run { () throws(TintypeError) in try folder.write(image) }
    }

    @Loop package func get(_ key: String) async throws(TintypeError) -> StoredImage? {
        let folder = folder
        return try await run { () throws(TintypeError) in try folder.read(key) }
    }

    @Loop package func contains(_ key: String) async throws(TintypeError) -> Bool {
        let folder = folder
        return try await run { () throws(TintypeError) in folder.contains(key) }
    }

    @Loop package func remove(_ key: String) async throws(TintypeError) -> Int {
        let folder = folder
        return try await run { () throws(TintypeError) in folder.remove(key) }
    }

    @Loop package func clear() async throws(TintypeError) -> StoreStatistics {
        let folder = folder
        return try await run { () throws(TintypeError) in folder.clear() }
    }

    @Loop package func statistics() async throws(TintypeError) -> StoreStatistics {
        let folder = folder
        return try await run { () throws(TintypeError) in folder.statistics() }
    }

    @Loop package func close() {}

    @Loop private func run<T: Sendable>(
        _ body: @escaping @Sendable () throws(TintypeError) -> T
    ) async throws(TintypeError) -> T {
        do {
            return try await pool.run { try body() }
        } catch let error as TintypeError {
            throw error
        } catch {
            throw .storeFailed("The store is closed.", cause: "\(error)", retryable: false)
        }
    }
}
