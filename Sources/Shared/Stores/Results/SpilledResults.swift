import TintypeCore
package import TintypeImages
package import TintypeTransport

/// Results that their store did not take, kept for the minute in which clients fetch them (spill). They are in the Redis of the queue, which is up if
/// there is work: `tintype:held:<key>`, with the bytes of `StoredImageCodec`.
///
/// A Redis that is full accepts them too, as it accepts the end of their fetch. So there are limits: no image above 8 MiB, the maximum for inline
/// delivery, and 32 MiB per worker at a time. Above the limits the store's own failure stands.
@Loop package final class SpilledResults {
    /// Seconds for which a result is kept.
    package nonisolated static let seconds = 60.0
    /// The maximum length of an image in bytes.
    package nonisolated static let maxBytes = 8 << 20
    private static let budget = 32 << 20
    nonisolated static let prefix = RedisSpace.held.prefix
    private static let script = "#!lua flags=allow-oom\nreturn redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])"

    private let redis: RedisNodes
    private var own: [(bytes: Int, until: ContinuousClock.Instant)] = []

    /// - Parameter redis: the Redis of the queue; not closed here.
    package init(_ redis: RedisNodes) { self.redis = redis }

    /// Returns the server that has an entry.
    /// - Parameter key: the whole key in Redis.
    func node(of key: String) -> RedisNode { redis.node(for: RedisTag(key: key)) }

    /// Spills a result.
    /// - Returns: whether it is stored.
    package func hold(_ image: StoredImage) async -> Bool {
        own.removeAll { $0.until <= .now }
        guard image.bytes.count <= Self.maxBytes, own.reduce(image.bytes.count, { $0 + $1.bytes }) <= Self.budget else { return false }
        own.append((image.bytes.count, .now + .seconds(Self.seconds)))
        let key = Self.prefix + image.key
        let bytes = await Loop.work(on: image.bytes.count) {
            var image = image
            image.expiresAt = WallClock.now + Self.seconds
            return StoredImageCodec.encode(image)
        }
        let words: [RedisArgument] = [
            "EVAL", .string(Self.script), "1", .string(key), .bytes(bytes), .int(Int64(Self.seconds * 1000)),
        ]
        do throws(RedisError) {
            let node = self.node(of: key)
            _ = try await node.command(words, timeout: node.timeout * 2)
            return true
        } catch {
            return false
        }
    }

    package func get(_ key: String) async -> StoredImage? {
        guard case .bulk(let bytes)? = try? await command("GET", key) else { return nil }
        return await Loop.work(on: bytes.count) { StoredImageCodec.decode(bytes, key: key) }
    }

    package func has(_ key: String) async -> Bool {
        (try? await command("EXISTS", key).int) == 1
    }

    private func command(_ name: RedisArgument, _ image: String) async throws(RedisError) -> RedisReply {
        let key = Self.prefix + image
        return try await node(of: key).command([name, .string(key)])
    }
}

/// Previews are stored beside the spilled results for a few seconds, in which coordinators read them. Events name them by their key. A Redis that is
/// full accepts none.
extension SpilledResults {
    private nonisolated static let previewMilliseconds: Int64 = 10_000
    /// The maximum length of a preview in bytes.
    package nonisolated static let maxPreviewBytes = 512 << 10
    private nonisolated static var previews: String { prefix + "preview:" }

    /// Stores a preview.
    /// - Parameter jpeg: the picture.
    /// - Returns: its key, or nil if it could not be stored.
    package func hold(preview jpeg: [UInt8]) async -> String? {
        guard jpeg.count <= Self.maxPreviewBytes else { return nil }
        // The key cannot be guessed, and two workers never make the same one.
        let key = Self.previews + String(UInt64.random(in: 0 ... .max), radix: 16) + String(UInt64.random(in: 0 ... .max), radix: 16)
        do throws(RedisError) {
            _ = try await node(of: key).command(["SET", .string(key), .bytes(jpeg), "PX", .int(Self.previewMilliseconds)])
            return key
        } catch {
            return nil
        }
    }

    /// Reads a preview.
    /// - Parameter key: the key in an event. Other keys have no previews.
    package func preview(_ key: String) async -> [UInt8]? {
        guard key.hasPrefix(Self.previews), key.utf8.count <= 100 else { return nil }
        guard case .bulk(let bytes)? = try? await node(of: key).command(["GET", .string(key)]) else { return nil }
        return bytes
    }
}
