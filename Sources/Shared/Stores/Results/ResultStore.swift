package import TintypeCore
package import TintypeTransport
package import TintypeImages

/// The content of a store.
package struct StoreStatistics: Sendable, Hashable {
    package var count: Int
    package var bytes: Int
    /// The maximum number of bytes; nil without a limit.
    package var capacity: Int?

    package init(count: Int = 0, bytes: Int = 0, capacity: Int? = nil) {
        (self.count, self.bytes, self.capacity) = (count, bytes, capacity)
    }

    /// Other processes may report any size: the sum stays at the largest number.
    package static func += (all: inout StoreStatistics, more: StoreStatistics) {
        all.count = sum(all.count, more.count)
        all.bytes = sum(all.bytes, more.bytes)
    }

    private static func sum(_ a: Int, _ b: Int) -> Int {
        let (sum, overflows) = a.addingReportingOverflow(b)
        return overflows ? .max : sum
    }
}

/// The answer of a store for a key.
package enum StoreLookup: Sendable, Hashable {
    case found(StoredImage)
    case absent
    /// The image was there, but it has expired.
    case expired
    /// The image was there, but damaged. It is gone now.
    case unreadable
}

/// A store for finished images, between the worker that makes them and the clients that ask for them.
///
/// Call it on the loop. File calls run on a `BlockingPool`, Redis calls on the store's connection. Every store returns an image complete and as it was
/// put, or not at all. All calls throw `storeFailed` (phase store) with the cause as text. `retryable` says whether a retry may help without an
/// operator. `look` removes damaged and expired images.
package protocol ResultStore: ResultReader {
    /// Stores the image. An older one of the same key is replaced in one step: readers see either of the two.
    @Loop func put(_ image: StoredImage) async throws(TintypeError)
    /// Returns the file of an image that a `look` has found, if it is still open, unchanged, and the current image of the key. Never waits for a disk.
    /// - Parameter copy: is called first, and takes bytes of the file (`StoredFile.cachedBytes`). It returns false if it could not.
    /// - Returns: nil if there is none, also if the image exists: then `look` finds it. The bytes that were taken are right only if there is a file.
    @Loop func opened(_ key: String, copying copy: (StoredFile) -> Bool) -> StoredFile?
    /// Looks an image up and, if it is not found, another one, where this costs no second call.
    /// - Returns: the answer for each; nil for the other one if it was not looked up.
    @Loop func look(up key: String, orElse other: String) async throws(TintypeError) -> (StoreLookup, StoreLookup?)
    /// Returns whether there is an entry that has not expired. It may still turn out to be damaged when it is read.
    @Loop func contains(_ key: String) async throws(TintypeError) -> Bool
    /// Pins or unpins an image. When the store has too much, pinned images stay, up to a limit. An image that replaces a pinned one is pinned too.
    /// - Returns: whether there is an image.
    @Loop func pin(_ key: String, _ isPinned: Bool) async throws(TintypeError) -> Bool
    /// Removes the image. Returns the freed space.
    @discardableResult @Loop func remove(_ key: String) async throws(TintypeError) -> StoreStatistics
    /// Removes the image that has this mark. An image that was put in its place since stays.
    @Loop func remove(_ mark: StoredMark) async throws(TintypeError)
    /// Removes everything. Returns the freed space.
    @discardableResult @Loop func clear() async throws(TintypeError) -> StoreStatistics
    /// Removes expired images and those above the limits, which the store also does by itself. Returns the freed space.
    @discardableResult @Loop func trim() async throws(TintypeError) -> StoreStatistics
    /// Counts the content: it walks over all entries, so it is for operators, not for every request.
    @Loop func statistics() async throws(TintypeError) -> StoreStatistics
}

extension ResultStore {
    /// A store without limits of its own removes nothing early.
    @Loop package func pin(_ key: String, _ isPinned: Bool) async throws(TintypeError) -> Bool { try await contains(key) }

    /// Only the threads of a folder answer two questions in one call.
    @Loop package func look(up key: String, orElse other: String) async throws(TintypeError) -> (StoreLookup, StoreLookup?) {
        (try await look(up: key), nil)
    }

    /// Only a folder keeps files open.
    @Loop package func opened(_ key: String, copying copy: (StoredFile) -> Bool) -> StoredFile? { nil }

    /// Returns the image, or nil when there is none, or it is damaged or expired.
    @Loop package func get(_ key: String) async throws(TintypeError) -> StoredImage? {
        if case .found(let image) = try await look(up: key) { image } else { nil }
    }
}

extension TintypeError {
    /// `storeFailed` with the event in `message` and the system's text in `cause`.
    static func storeFailed(_ message: String, cause: String, retryable: Bool) -> TintypeError {
        TintypeError(.storeFailed, .store, message, retryable: retryable, details: ["cause": .string(cause)])
    }
}

/// Opens the store of a URL.
package enum ResultStores {
    /// Opens a store. Call it once at start for each `StoreNamespace`. `redis` knows the topologies of this process, and `name` is the name of the
    /// connection in Redis. `pool` runs the file calls, and `environment` has the credentials for S3. A folder keeps files open if `keepsOpen`.
    /// - Throws: `storeFailed` when the URL is wrong or the folder cannot be used. An unreachable Redis is not an error here: the store connects in the
    ///   background, and calls fail until it has connected.
    @Loop package static func open(
        _ url: String, _ shelf: StoreNamespace = .results, redis: RedisTopologies = RedisTopologies(), name: String, pool: BlockingPool,
        keepsOpen: Bool = false,
        logger: Logger, environment: [String: String] = ProcessEnvironment.all()
    ) throws(TintypeError) -> any ResultStore {
        switch try place(url, shelf, redis.tls) {
        case .file(let directory, let limits):
            let store = try FileStore(
                directory: shelf == .results ? directory : "\(directory)/\(shelf.rawValue)", limits: limits, pool: pool,
                keepsOpen: keepsOpen ? OpenFiles.most : 0)
            store.keepTrimmed()
            return store
        case .s3(let address):
            return S3Store(address, try credentials(environment), shelf)
        case .redis(let url):
            return RedisStore(RedisNodes(redis.topology(of: url, name: name, logger: logger), name: "\(name)-\(shelf.rawValue)", logger: logger), shelf)
        }
    }

    /// Opens a store for reading only: nothing is written or deleted there. A folder need not exist.
    /// - Throws: `storeFailed` when the URL is wrong, or has limits for a folder.
    @Loop package static func openToRead(
        _ url: String, redis: RedisTopologies = RedisTopologies(), name: String, logger: Logger, environment: [String: String] = ProcessEnvironment.all()
    ) throws(TintypeError) -> any ResultReader {
        switch try place(url, .results, redis.tls) {
        case .file(let directory, let limits):
            guard limits == StoreLimits() else {
                throw .storeFailed("A read-only folder must not have limits.", cause: RedactedURL(url).description, retryable: false)
            }
            return ResultFolder(directory: directory)
        case .s3(let address): return S3Store(address, try credentials(environment), isReadOnly: true)
        case .redis(let url):
            return RedisStore(RedisNodes(redis.topology(of: url, name: name, logger: logger), name: "\(name)-fallback", logger: logger), isReadOnly: true)
        }
    }

    private static func place(_ url: String, _ shelf: StoreNamespace, _ tls: TLSClientFiles) throws(TintypeError) -> ResultsURL {
        do throws(SettingError) {
            return try ResultsURL(url, tls: tls)
        } catch {
            throw .storeFailed("The URL of the store of \(shelf.rawValue) is wrong.", cause: error.message, retryable: false)
        }
    }

    /// Those of the environment, for stores and places in S3.
    /// - Throws: `storeFailed` where there are none.
    package static func credentials(_ environment: [String: String]) throws(TintypeError) -> S3Credentials {
        if let credentials = S3Credentials(environment: environment) { return credentials }
        throw .storeFailed("A store in S3 needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment.", cause: "no credentials", retryable: false)
    }
}
