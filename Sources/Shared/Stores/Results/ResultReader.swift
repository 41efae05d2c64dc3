import Glibc
package import TintypeCore
package import TintypeTransport

/// A read-only store of finished images.
package protocol ResultReader: Sendable {
    /// The kind of store in metrics: `file`, `redis`, `s3`.
    var kind: String { get }
    /// Returns the image, or the reason for which there is none.
    @Loop func look(up key: String) async throws(TintypeError) -> StoreLookup
    /// Closes connections and threads. Calls after it fail.
    @Loop func close()
}

/// A read-only folder of results of another service or an older one. Nothing in it is made, marked or deleted.
package final class ResultFolder: ResultReader {
    package let kind = "file"
    private let directory: String
    /// A pool of its own: a folder on an unreachable machine may block its readers, and no other call must wait for it.
    private let pool = BlockingPool(threads: 2, name: "fallback")

    init(directory: String) { self.directory = directory }

    @Loop package func look(up key: String) async throws(TintypeError) -> StoreLookup {
        let path = StoredImageCodec.path(of: key, in: directory)
        do {
            return try await pool.run { try Self.read(path, key) }
        } catch let error as TintypeError {
            throw error
        } catch {
            throw .storeFailed("The fallback store is closed.", cause: "\(error)", retryable: false)
        }
    }

    private static func read(_ path: String, _ key: String) throws(TintypeError) -> StoreLookup {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try FileCalls.read(path).bytes
        } catch {
            if error.code == ENOENT || error.code == ENOTDIR { return .absent }
            throw .storeFailed("The result could not be read.", cause: error.words, retryable: true)
        }
        return StoredImageCodec.lookup(bytes, key: key)
    }

    @Loop package func close() { pool.stop() }
}
