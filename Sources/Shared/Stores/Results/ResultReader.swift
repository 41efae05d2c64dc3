import Glibc
package import TintypeCore
package import TintypeTransport

/// A place of finished images that may only be looked into.
package protocol ResultReader: Sendable {
    /// What kind of store it is, as metrics call it: `file`, `redis`, `s3`.
    var kind: String { get }
    /// The image, or why there is none.
    @Loop func look(up key: String) async throws(TintypeError) -> StoreLookup
    /// Gives up connections and threads. Calls after it fail.
    @Loop func close()
}

/// A folder of results that is only read, as another service or an older one has left it: nothing is made, marked or deleted in it.
package final class ResultFolder: ResultReader {
    package let kind = "file"
    private let directory: String
    /// Of its own: a folder on a machine that is away may hold up whoever asks, and nobody else is to wait for it.
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
