package import TintypeCore
package import TintypeTransport
package import TintypeImages

/// Results or sources in Redis, with an expiry: one key per image, `tintype:results:<key>` or `tintype:sources:<key>`, with the bytes of
/// `StoredImageCodec`. Each key has a slot of its own in a Redis Cluster.
///
/// The store has a connection of its own, so that a megabyte of image does not delay the queue's scripts. It suits small results and few machines
/// without a shared file system. A Redis that is full answers `storeFailed`.
package final class RedisStore: ResultStore {
    package let kind = "redis"
    /// The lifetime of an image without `expiresAt`.
    package static let defaultLifetime = Duration.seconds(24 * 3600)

    /// The beginning of all keys.
    private let prefix: String
    /// Whether expired or damaged images are left in place.
    private let isReadOnly: Bool
    @Loop private let redis: RedisNodes

    /// Takes the connections over: starts them now and stops them in `close`.
    @Loop package init(_ redis: RedisNodes, _ shelf: StoreNamespace = .results, isReadOnly: Bool = false) {
        self.isReadOnly = isReadOnly
        prefix = shelf.space.prefix
        self.redis = redis
        redis.start()
    }

    @Loop package func put(_ image: StoredImage) async throws(TintypeError) {
        var milliseconds = Int(Self.defaultLifetime / .milliseconds(1))
        if let expiresAt = image.expiresAt { milliseconds = Int(Duration.seconds(bounded: expiresAt - WallClock.now).milliseconds) }
        guard milliseconds > 0 else { return }
        let bytes = await Loop.work(on: image.bytes.count) { StoredImageCodec.encode(image) }
        let key = self.key(image.key)
        _ = try await command(["SET", .string(key), .bytes(bytes), "PX", RedisArgument(milliseconds)], on: key)
    }

    /// An expired image is absent, since Redis removes it by itself.
    @Loop package func look(up key: String) async throws(TintypeError) -> StoreLookup {
        let place = self.key(key)
        guard case .bulk(let bytes) = try await command(["GET", .string(place)], on: place) else { return .absent }
        let lookup = await Loop.work(on: bytes.count) { StoredImageCodec.lookup(bytes, key: key) }
        if case .found = lookup { return lookup }
        if !isReadOnly { try await discard(key, Array(bytes.prefix(StoredImageCodec.prefixLength))) }
        return lookup
    }

    @Loop package func remove(_ mark: StoredMark) async throws(TintypeError) { try await discard(mark.key, mark.bytes) }

    /// Deletes the value that begins with these bytes (`StoredMark`), but not a value that was put in its place since.
    @Loop func discard(_ key: String, _ beginning: [UInt8]) async throws(TintypeError) {
        let key = self.key(key)
        _ = try await command(
            ["EVAL", .string(Self.discarding), "1", .string(key), .bytes(beginning), RedisArgument(StoredImageCodec.prefixLength - 1)], on: key)
    }

    private static let discarding =
        "if redis.call('GETRANGE', KEYS[1], 0, ARGV[2]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"

    @Loop package func contains(_ key: String) async throws(TintypeError) -> Bool {
        let key = self.key(key)
        return try await command(["EXISTS", .string(key)], on: key).int == 1
    }

    @discardableResult
    @Loop package func remove(_ key: String) async throws(TintypeError) -> StoreStatistics {
        let key = self.key(key)
        let size = try await command(["STRLEN", .string(key)], on: key).int ?? 0
        let removed = try await command(["DEL", .string(key)], on: key).int ?? 0
        return removed == 1 ? StoreStatistics(count: 1, bytes: Int(size)) : StoreStatistics()
    }

    /// Does nothing: every key has an expiry.
    @discardableResult
    @Loop package func trim() async throws(TintypeError) -> StoreStatistics { StoreStatistics() }

    @discardableResult
    @Loop package func clear() async throws(TintypeError) -> StoreStatistics {
        try await walk(removing: true)
    }

    @Loop package func statistics() async throws(TintypeError) -> StoreStatistics {
        try await walk(removing: false)
    }

    @Loop package func close() {
        redis.stop()
    }

    /// Walks over all keys of the store in steps that do not block Redis for long.
    @Loop private func walk(removing: Bool) async throws(TintypeError) -> StoreStatistics {
        var found = StoreStatistics()
        var next: RedisKeyCursor? = RedisKeyCursor()
        while let place = next {
            let page = try await keys(from: place)
            next = page.next
            for key in page.keys {
                let size = try await command(["STRLEN", .string(key)], on: key).int ?? 0
                if !removing, size <= 0 { continue }
                if !removing, try await isHeld(key) { continue }
                if removing, try await command(["UNLINK", .string(key)], on: key).int != 1 { continue }
                found += StoreStatistics(count: 1, bytes: Int(size))
            }
        }
        return found
    }

    @Loop private func isHeld(_ key: String) async throws(TintypeError) -> Bool {
        guard case .bulk(let front) = try await command(["GETRANGE", .string(key), "0", RedisArgument(Self.maxFront)], on: key) else { return false }
        return StoredImageCodec.isHeld(front)
    }

    /// Enough for the header of a spilled picture. A picture with a longer header is counted.
    private static let maxFront = (16 << 10) - 1

    private func key(_ image: String) -> String { prefix + image }

    @Loop private func keys(from place: RedisKeyCursor) async throws(TintypeError) -> (keys: [String], next: RedisKeyCursor?) {
        do throws(RedisError) {
            return try await redis.keys(matching: prefix + "*", from: place)
        } catch {
            throw Self.failure(error)
        }
    }

    /// Sends a command on one key.
    @Loop private func command(_ arguments: [RedisArgument], on key: String) async throws(TintypeError) -> RedisReply {
        let node = redis.node(for: RedisTag(key: key))
        do throws(RedisError) {
            if !node.isConnected { try await node.untilConnected(within: node.timeout) }
            return try await node.command(arguments, timeout: node.timeout * 2)
        } catch {
            throw Self.failure(error)
        }
    }

    private static func failure(_ error: RedisError) -> TintypeError {
        let isFull = error == .outOfMemory
        return .storeFailed(
            isFull ? "The Redis of the result store is full." : "The result store failed: \(error).",
            cause: error.description, retryable: error.isRetryable || isFull)
    }
}
