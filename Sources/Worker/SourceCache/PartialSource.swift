import Shared

/// The beginning of a body whose download broke off, and by what its origin can tell that the rest still belongs to it. A pure value.
struct PartialSource: Sendable {
    /// Where it came from, as results name it: mirrors say nothing of each other.
    let url: String
    /// A strong ETag, else the Last-Modified date: what `If-Range` takes (RFC 9110 §13.1.5).
    let validator: String
    /// The length of the whole, if it was said.
    let total: Int64?
    let bytes: [UInt8]

    /// What is shorter costs less to fetch again than to keep.
    static let least = 16 << 10
    /// Seconds it is kept.
    private static let lifetime = 3600.0

    static func key(_ digest: String) -> String { digest + "-part" }

    /// nil when the response cannot be gone on with: compressed on the way, without a validator that compares bytes, or from a server that says so.
    init?(_ head: TransferHead, of address: SourceAddress, bytes: [UInt8]) {
        guard bytes.count >= Self.least, let validator = Self.validator(head), let total = Self.total(head) else { return nil }
        self.init(url: address.shown, validator: validator, total: total, bytes: bytes)
    }

    private init(url: String, validator: String, total: Int64?, bytes: [UInt8]) {
        (self.url, self.validator, self.total, self.bytes) = (url, validator, total, bytes)
    }

    private static func validator(_ head: TransferHead) -> String? {
        guard [200, 206].contains(head.status), head.header("content-encoding").map({ $0.lowercased() == "identity" }) ?? true,
            head.header("accept-ranges")?.lowercased() != "none"
        else { return nil }
        if let etag = head.header("etag") {
            return etag.hasPrefix("\"") && etag.utf8.count <= 1024 && etag.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f } ? etag : nil
        }
        // What was changed in the second before it was sent may have changed again in that second (RFC 9110 §8.8.2.2).
        guard let date = head.header("last-modified"), let changed = HTTPDate.seconds(date) else { return nil }
        let sent = head.header("date").flatMap { HTTPDate.seconds($0) }
        return sent.map { $0 > changed } ?? false ? date : nil
    }

    private static func total(_ head: TransferHead) -> Int64?? {
        guard head.status == 206 else { return .some(head.expectedBytes) }
        return ContentRange(head.header("content-range") ?? "").map { $0.total }
    }

    func stored(of digest: String) -> StoredImage {
        let now = Timestamp.now().seconds
        return StoredImage(
            key: Self.key(digest), contentType: "application/octet-stream",
            info: ["url": .string(url), "validator": .string(validator), "total": total.map { .int($0) } ?? .null], source: [:], bytes: bytes, storedAt: now,
            expiresAt: now + Self.lifetime)
    }

    init?(_ stored: StoredImage) {
        guard let url = stored.info["url"]?.string, let validator = stored.info["validator"]?.string else { return nil }
        self.init(url: url, validator: validator, total: stored.info["total"]?.int.map { Int64($0) }, bytes: stored.bytes)
    }
}
