import TintypeCore
import TintypeImages

/// A `StoredImage` as bytes, the same in a file and in Redis. Pure.
///
/// - 8 bytes: magic "tintype2"
/// - 4 bytes: length of the header, big endian
/// - 8 bytes: length of the image, big endian
/// - 32 bytes: SHA-256 of the header and of the hexadecimal SHA-256 of the image, which its maker mostly knows already
/// - header: JSON with key, contentType, info, source, storedAt, expiresAt, operations
/// - image: the bytes
///
/// The digest turns any damage into a miss, such as a write cut short by a crash, or a flipped bit. A read returns the written bytes, or nothing.
enum StoredImageCodec {
    private static let magic = Array("tintype2".utf8)
    static let prefixLength = 8 + 4 + 8 + 32
    private static let headerLimit = 1 << 20

    static func encode(_ image: StoredImage) -> [UInt8] {
        let front = front(image)
        var result: [UInt8] = []
        result.reserveCapacity(front.count + image.bytes.count)
        result += front
        result += image.bytes
        return result
    }

    /// Returns everything before the bytes of the image.
    static func front(_ image: StoredImage) -> [UInt8] {
        var header: JSONObject = [
            "key": .string(image.key), "contentType": .string(image.contentType), "info": image.info, "source": image.source,
            "storedAt": JSON(image.storedAt),
        ]
        header["expiresAt"] = image.expiresAt.map { JSON($0) }
        header["operations"] = image.operations
        let head = JSON.object(header).bytes()
        var result: [UInt8] = []
        result.reserveCapacity(prefixLength + head.count)
        result += magic
        append(UInt64(head.count), bytes: 4, to: &result)
        append(UInt64(image.bytes.count), bytes: 8, to: &result)
        result += digest(head[...], sha256: image.sha256 ?? Digest.sha256Hex(image.bytes))
        result += head
        return result
    }

    /// Returns the image, or nil when the bytes are damaged, incomplete, of another version or of another key.
    static func decode(_ bytes: [UInt8], key: String) -> StoredImage? {
        guard bytes.count >= prefixLength, bytes.starts(with: magic) else { return nil }
        let headCount = number(bytes[8..<12])
        let bodyCount = number(bytes[12..<20])
        guard headCount <= headerLimit, bodyCount <= bytes.count, bytes.count == prefixLength + headCount + bodyCount else { return nil }
        let head = bytes[prefixLength..<prefixLength + headCount]
        let body = bytes[(prefixLength + headCount)...]
        guard digest(head, sha256: Digest.sha256Hex(body))[...] == bytes[20..<52], let header = try? JSON(parsing: head), header["key"] == .string(key),
            let contentType = header["contentType"]?.string, let info = header["info"], let source = header["source"],
            let storedAt = header["storedAt"]?.double
        else { return nil }
        return StoredImage(
            key: key, contentType: contentType, info: info, source: source, operations: header["operations"], bytes: Array(body), storedAt: storedAt,
            expiresAt: header["expiresAt"]?.double)
    }

    /// Returns the answer of a store that has these bytes under a key.
    static func lookup(_ bytes: [UInt8], key: String) -> StoreLookup {
        guard let image = decode(bytes, key: key) else { return .unreadable }
        return image.isFresh(at: WallClock.now) ? .found(image) : image.isHeld ? .absent : .expired
    }

    /// Returns the path of the file of a key in a folder.
    static func path(of key: String, in folder: String) -> String {
        let name = name(of: key)
        return "\(folder)/\(name.prefix(2))/\(name)"
    }

    /// Returns the total length, given the first `prefixLength` bytes; nil for bytes of another format.
    static func length(_ prefix: [UInt8]) -> Int? {
        guard prefix.count >= prefixLength, prefix.starts(with: magic) else { return nil }
        let (head, body) = (number(prefix[8..<12]), number(prefix[12..<20]))
        return head <= headerLimit && body < Int.max / 2 ? prefixLength + head + body : nil
    }

    /// Returns whether the bytes belong to a spilled image (`StoredImage.isHeld`), given the first bytes with the whole header.
    static func isHeld(_ front: [UInt8]) -> Bool {
        guard front.count >= prefixLength, front.starts(with: magic) else { return false }
        let count = number(front[8..<12])
        guard count <= front.count - prefixLength, let header = try? JSON(parsing: front[prefixLength..<prefixLength + count]) else { return false }
        return header["info"].map { ImageResult.Rendition(json: $0).isHeld } ?? false
    }

    /// Returns a hexadecimal name for a key: a digest itself, and the digest of any other key, so no key can name another place.
    static func name(of key: String) -> String {
        let isDigest = (16...128).contains(key.utf8.count) && key.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        return isDigest ? key : Digest.sha256Hex(Array(key.utf8))
    }

    private static func digest(_ head: ArraySlice<UInt8>, sha256: String) -> [UInt8] {
        var digest = Digest()
        head.withUnsafeBytes { digest.update($0) }
        Array(sha256.utf8).withUnsafeBytes { digest.update($0) }
        return digest.finish()
    }

    private static func append(_ value: UInt64, bytes count: Int, to result: inout [UInt8]) {
        for shift in (0..<count).reversed() { result.append(UInt8(truncatingIfNeeded: value >> UInt64(shift * 8))) }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
        Int(clamping: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
}
