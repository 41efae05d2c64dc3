import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeStores

/// The answer to a look for a beginning.
struct KeptBeginning {
    /// nil if there is none.
    let partial: PartialSource?
}

/// The beginning of a body whose download broke off, with a validator that shows whether the remainder still belongs to it. A pure value.
struct PartialSource: Sendable {
    /// The URL as results name it. Mirrors say nothing about each other.
    let url: String
    /// The URL after redirects. The validator says nothing about a body elsewhere.
    let finalURL: String
    /// A strong ETag, or else the Last-Modified date, for `If-Range` (RFC 9110 §13.1.5).
    let validator: String
    /// The length of the whole body, if known.
    let total: Int64?
    /// The response headers that describe the whole body.
    let headers: [(name: String, value: String)]
    let bytes: [UInt8]
    /// The fetch that kept it, and the epoch seconds of that. Neither is known before it is kept.
    private(set) var fetch: String?
    private(set) var storedAt = 0.0
    /// When the run began that kept it, in epoch ms of Redis.
    private(set) var since: Int64 = 0

    /// The headers that a 206 need not repeat, and that a cached source needs.
    private static let remembered: Set<String> = ["content-type", "etag", "last-modified"]

    /// The least bytes. A shorter beginning costs less to download again than to keep.
    static let least = 16 << 10
    /// The seconds for which it is kept.
    static let lifetime = 3600.0

    static func key(_ digest: String) -> String { CachedSource.beginning(of: digest) }

    /// The most workers that may die of one beginning. A beginning that has killed two would kill every later worker too.
    static let maxDeaths = 2

    /// nil if the response cannot be resumed: it is compressed, has no strong validator, or its server does not support ranges.
    init?(_ head: TransferHead, of address: SourceAddress, bytes: [UInt8]) {
        guard bytes.count >= Self.least, let validator = Self.validator(head) else { return nil }
        let headers = head.headers.filter { Self.remembered.contains($0.name) && $0.value.utf8.count <= 1024 }
        self.init(
            url: address.shown, finalURL: UnsignedURL(head.url).description, validator: validator, total: head.expectedBytes, headers: headers, bytes: bytes)
    }

    private init(url: String, finalURL: String, validator: String, total: Int64?, headers: [(name: String, value: String)], bytes: [UInt8]) {
        (self.url, self.finalURL, self.validator, self.total) = (url, finalURL, validator, total)
        (self.headers, self.bytes) = (headers, bytes)
    }

    private static func validator(_ head: TransferHead) -> String? {
        guard [200, 206].contains(head.status), !head.isEncoded,
            head.header("accept-ranges")?.lowercased() != "none"
        else { return nil }
        if let etag = head.header("etag") {
            return etag.hasPrefix("\"") && etag.utf8.count <= 1024 && etag.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f } ? etag : nil
        }
        // A file that was changed in the second before it was sent may change again in that second (RFC 9110 §8.8.2.2).
        guard let date = head.header("last-modified"), let changed = HTTPDate.seconds(date) else { return nil }
        let sent = head.header("date").flatMap { HTTPDate.seconds($0) }
        return sent.map { $0 > changed } ?? false ? date : nil
    }

    func stored(of digest: String, by fetch: String, since: Int64) -> StoredImage {
        let now = WallClock.now
        return StoredImage(
            key: Self.key(digest), contentType: "application/octet-stream",
            info: [
                "url": .string(url), "finalURL": .string(finalURL), "validator": .string(validator), "total": total.map { .int($0) } ?? .null,
                "fetch": .string(fetch), "since": .int(since), "headers": .array(headers.map { [.string($0.name), .string($0.value)] }),
            ], source: [:], bytes: bytes, storedAt: now, expiresAt: now + Self.lifetime)
    }

    init?(_ stored: StoredImage) {
        guard let url = stored.info["url"]?.string, let validator = stored.info["validator"]?.string else { return nil }
        self.init(
            url: url, finalURL: stored.info["finalURL"]?.string ?? url, validator: validator,
            total: stored.info["total"]?.int.flatMap { WireNumber.bounded(Int64($0)) },
            headers: (stored.info["headers"]?.array ?? []).map { (name: $0[0]?.string ?? "", value: $0[1]?.string ?? "") }, bytes: stored.bytes)
        (fetch, storedAt, since) = (stored.info["fetch"]?.string, stored.storedAt, Int64(stored.info["since"]?.int ?? 0))
    }
}

/// The received part of a download that has not ended.
package struct BrokenDownload {
    let partial: PartialSource
    let digest: String
    /// The fetch of the download.
    let fetch: String
    /// When the run of the download began, in epoch ms of Redis.
    let since: Int64
    /// Whether the download goes on. The part is then kept in case this worker dies.
    let isLive: Bool
}
