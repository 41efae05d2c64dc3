package import TintypeCore
package import TintypeTransport
package import TintypeImages

/// What a store holds.
package struct StoreStatistics: Sendable, Hashable {
    package var count: Int
    package var bytes: Int
    /// Bytes it may hold; nil without a limit of its own.
    package var capacity: Int?

    package init(count: Int = 0, bytes: Int = 0, capacity: Int? = nil) {
        (self.count, self.bytes, self.capacity) = (count, bytes, capacity)
    }

    /// What others say of sizes may be anything: the sum stays at its largest.
    package static func += (all: inout StoreStatistics, more: StoreStatistics) {
        all.count = sum(all.count, more.count)
        all.bytes = sum(all.bytes, more.bytes)
    }

    private static func sum(_ a: Int, _ b: Int) -> Int {
        let (sum, overflows) = a.addingReportingOverflow(b)
        return overflows ? .max : sum
    }
}

/// What a store has under a key.
package enum StoreLookup: Sendable, Hashable {
    case found(StoredImage)
    case absent
    /// It was there, but its time is over.
    case expired
    /// It was there, but damaged; it is gone now.
    case unreadable
}

/// Where finished images are kept between the worker that makes them and whoever asks for them.
///
/// Called on the loop; the work of files happens on a `BlockingPool`, that of Redis on its connection. Every store
/// returns an image whole and as it was put, or not at all. All throw `storeFailed` (phase store) with the cause in
/// words; `retryable` says whether trying again can help without anybody doing something. What `look` finds damaged or over is forgotten.
package protocol ResultStore: ResultReader {
    /// Keeps the image; an older one of the same key is replaced in one step, readers see one or the other.
    @Loop func put(_ image: StoredImage) async throws(TintypeError)
    /// Whether there is an entry that has not expired; it may still turn out to be damaged when it is read.
    @Loop func contains(_ key: String) async throws(TintypeError) -> Bool
    /// Has the image spared where the limits of the store are exceeded, as far as it spares any, or no longer. Whatever takes its place is spared, too.
    /// - Returns: whether there is one.
    @Loop func pin(_ key: String, _ isPinned: Bool) async throws(TintypeError) -> Bool
    /// Forgets the image. Returns what was freed.
    @discardableResult @Loop func remove(_ key: String) async throws(TintypeError) -> StoreStatistics
    /// Forgets everything. Returns what was freed.
    @discardableResult @Loop func clear() async throws(TintypeError) -> StoreStatistics
    /// Forgets what has expired and what the store's limits do not allow, which it also does by itself. Returns what was freed.
    @discardableResult @Loop func trim() async throws(TintypeError) -> StoreStatistics
    /// Counts what is there: walks over all entries, so for operators, not for every request.
    @Loop func statistics() async throws(TintypeError) -> StoreStatistics
}

extension ResultStore {
    /// A store without limits of its own takes nothing away before its time.
    @Loop package func pin(_ key: String, _ isPinned: Bool) async throws(TintypeError) -> Bool { try await contains(key) }

    /// The image, or nil when there is none, it is damaged or it has expired.
    @Loop package func get(_ key: String) async throws(TintypeError) -> StoredImage? {
        if case .found(let image) = try await look(up: key) { image } else { nil }
    }
}

extension TintypeError {
    /// `storeFailed` with what happened in `message` and the system's words in `cause`.
    static func storeFailed(_ message: String, cause: String, retryable: Bool) -> TintypeError {
        TintypeError(.storeFailed, .store, message, retryable: retryable, details: ["cause": .string(cause)])
    }
}

/// Opens the store a URL names.
package enum ResultStores {
    /// Called once at start for each shelf. `name` is what Redis shows of the connection; `pool` does the file calls; credentials of S3 come
    /// from `environment`.
    /// - Throws: `storeFailed` when the URL is wrong or the folder cannot be used. A Redis out of reach is not an error
    ///   here: it is connected to in the background, and calls fail until it is there.
    @Loop package static func open(
        _ url: String, _ shelf: StoreShelf = .results, name: String, pool: BlockingPool, logger: Logger,
        environment: [String: String] = ProcessEnvironment.all()
    ) throws(TintypeError) -> any ResultStore {
        switch try place(url, shelf) {
        case .file(let directory, let limits):
            let store = try FileStore(directory: shelf == .results ? directory : "\(directory)/\(shelf.rawValue)", limits: limits, pool: pool)
            store.keepTrimmed()
            return store
        case .s3(let address):
            return S3Store(address, try credentials(environment), shelf)
        case .redis(let endpoint):
            return RedisStore(RedisNodes(endpoint, name: "\(name)-\(shelf.rawValue)", logger: logger), shelf)
        }
    }

    /// The same of results that are only read: nothing is written there, nor deleted. A folder need not be there.
    /// - Throws: `storeFailed` when the URL is wrong, or names limits for a folder.
    @Loop package static func openToRead(
        _ url: String, name: String, logger: Logger, environment: [String: String] = ProcessEnvironment.all()
    ) throws(TintypeError) -> any ResultReader {
        switch try place(url, .results) {
        case .file(let directory, let limits):
            guard limits == StoreLimits() else {
                throw .storeFailed("A folder that is only read takes no limits.", cause: RedactedURL(url).description, retryable: false)
            }
            return ResultFolder(directory: directory)
        case .s3(let address): return S3Store(address, try credentials(environment), isReadOnly: true)
        case .redis(let endpoint):
            return RedisStore(RedisNodes(endpoint, name: "\(name)-fallback", logger: logger), isReadOnly: true)
        }
    }

    private static func place(_ url: String, _ shelf: StoreShelf) throws(TintypeError) -> ResultsURL {
        do throws(SettingMistake) {
            return try ResultsURL(url)
        } catch {
            throw .storeFailed("The URL of the store of \(shelf.rawValue) is wrong.", cause: error.message, retryable: false)
        }
    }

    private static func credentials(_ environment: [String: String]) throws(TintypeError) -> S3Credentials {
        if let credentials = S3Credentials(environment: environment) { return credentials }
        throw .storeFailed(
            "A store in S3 needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment.", cause: "no credentials", retryable: false)
    }
}
