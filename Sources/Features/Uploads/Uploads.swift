import Coordinator
import TintypeContracts
import TintypeCore
import TintypeImages
import TintypeStores
import TintypeTransport

/// The bytes that clients have sent to be sources. They lie in the store of sources, under ids of their own, until they expire.
///
/// A store gets an upload whole or not at all: a coordinator that dies in the middle leaves no source behind. Bytes that wait for a slow store are
/// counted even if their client has gone.
@Loop
final class Uploads {
    /// The most bytes of one upload.
    let most: Int
    /// The budget for uploads that arrive.
    let arriving: BodyBudget
    /// The budget for uploads that are hashed and written.
    private let writing: BodyBudget
    /// Seconds.
    private let lifetime: Double
    private let store: any ResultStore
    private let redisMemory: RedisMemoryGuard
    private let clients: ClientQuotas
    private let metrics: Metrics

    init(_ settings: UploadSettings, store: any ResultStore, redisMemory: RedisMemoryGuard, clients: ClientQuotas, metrics: Metrics) {
        (most, lifetime) = (settings.most, settings.lifetime / .seconds(1))
        // Two of the longest.
        let (budget, isTooMuch) = settings.most.multipliedReportingOverflow(by: 2)
        (arriving, writing) = (BodyBudget(isTooMuch ? .max : budget), BodyBudget(isTooMuch ? .max : budget))
        (self.store, self.redisMemory, self.clients, self.metrics) = (store, redisMemory, clients, metrics)
    }

    /// The bytes that are being hashed or written.
    var waiting: Int { writing.used }

    /// Stores bytes as a source.
    /// - Parameters:
    ///   - promised: the SHA-256 that the client names, in hexadecimal.
    ///   - client: the session that sends them.
    /// - Throws: `invalidParams` for bytes of another hash, `limitExceeded` for more than all uploads of the client may have, `overloaded` if there is no room,
    ///   `storeFailed`.
    func keep(_ bytes: [UInt8], promised: String?, of client: Session) async throws(TintypeError) -> KeptUpload {
        let held = BodyReservation(writing)
        guard held.grow(to: bytes.count) else {
            throw TintypeError(.overloaded, .store, "too many uploads wait for the store: try again in 1 s", details: ["retryAfter": 1])
        }
        let sha256 = await Loop.work(on: bytes.count) { Digest.sha256Hex(bytes) }
        if let promised, promised != sha256 {
            throw .invalidParams(path: "Content-Digest", value: .string(promised), expected: "the hash of the bytes that arrived, \(sha256)")
        }
        // The queue may be in the same Redis, and must not be without memory because of uploads.
        if store.kind == "redis" { try await redisMemory.take(bytes.count, of: client.sharer) }
        let (now, named) = (WallClock.now, clients[client.grant])
        try named?.check(upload: bytes.count)
        // Earlier requests may have left too many.
        guard try await removeExcess(of: named) else {
            throw TintypeError(.overloaded, .store, "older uploads of this client have to leave the store first: try again in 1 s", details: ["retryAfter": 1])
        }
        let upload = KeptUpload(bytes, sha256: sha256, owner: client.grant?.owner, at: now, for: lifetime)
        let began = ContinuousClock.now
        do throws(TintypeError) {
            try await store.put(upload.image)
            metrics.ended(.put, of: "sources", isDone: true, since: began)
        } catch {
            metrics.ended(.put, of: "sources", isDone: false, since: began)
            throw error
        }
        named?.keeps(upload: upload.source.key, bytes.count, until: now + lifetime)
        // Only now, because no upload may be lost for one that the store does not take. Those that it does not remove stay counted.
        _ = try? await removeExcess(of: named)
        withExtendedLifetime(held) {}
        return upload
    }

    /// The most uploads that are removed at a time, one after the other. The name may have thousands of tiny ones.
    private static let mostRemoved = 256

    /// Removes the oldest uploads of a name as far as it has more than its share. So no client pushes the uploads of another one out of a store.
    /// - Returns: whether the name has no more than its share now.
    private func removeExcess(of named: ClientQuota?) async throws(TintypeError) -> Bool {
        for _ in 0..<Self.mostRemoved {
            guard let named, let key = named.excessUpload(at: WallClock.now) else { return true }
            try await remove(key: key)
            named.dropped(upload: key)
        }
        return named?.excessUpload(at: WallClock.now) == nil
    }

    /// Removes an upload before it expires. Results that were made of it stay.
    /// - Parameter grant: the rights of its client.
    /// - Returns: whether it was there.
    func remove(_ upload: UploadedSource, of grant: AccessGrant) async throws(TintypeError) -> Bool {
        let isThere = try await remove(key: upload.key)
        if isThere { clients[grant]?.dropped(upload: upload.key) }
        return isThere
    }

    @discardableResult
    private func remove(key: String) async throws(TintypeError) -> Bool {
        let began = ContinuousClock.now
        do throws(TintypeError) {
            let isThere = try await store.remove(key).count > 0
            metrics.ended(.remove, of: "sources", isDone: true, since: began)
            return isThere
        } catch {
            metrics.ended(.remove, of: "sources", isDone: false, since: began)
            throw error
        }
    }
}

/// An upload as it is stored, and as its client is answered. Pure.
struct KeptUpload: Sendable {
    let source: UploadedSource
    let image: StoredImage

    /// - Parameters:
    ///   - sha256: of the bytes, in hexadecimal.
    ///   - owner: the owner of the upload (`AccessGrant.owner`).
    ///   - now: seconds since 1970.
    ///   - lifetime: seconds.
    init(_ bytes: [UInt8], sha256: String, owner: String?, at now: Double, for lifetime: Double) {
        source = UploadedSource(of: owner)
        // The beginning of the bytes shows their format, whatever the client says. The header guard judges them before a decoder does.
        let type: String? = if case .image(let format)? = ImageSniff.of(bytes) { format.contentType } else { nil }
        image = StoredImage(
            key: source.key, contentType: type ?? Self.unknown, info: [:], source: [:], bytes: bytes, sha256: sha256, storedAt: now,
            expiresAt: now + lifetime)
    }

    private static let unknown = "application/octet-stream"

    /// `{url, bytes, sha256, contentType?, expiresAt}`
    var answer: JSON {
        var object: JSONObject = ["url": .string(source.url), "bytes": JSON(image.bytes.count)]
        object["sha256"] = image.sha256.map { .string($0) }
        if image.contentType != Self.unknown { object["contentType"] = .string(image.contentType) }
        object["expiresAt"] = image.expiresAt.map { JSON(($0 * 1000).rounded() / 1000) }
        return .object(object)
    }
}
