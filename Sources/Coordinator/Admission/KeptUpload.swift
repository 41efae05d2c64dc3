import TintypeCore
import TintypeImages
import TintypeStores

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
