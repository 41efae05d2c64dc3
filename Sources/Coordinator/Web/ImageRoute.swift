import Shared

/// `GET /images/{key}`: finished images, from memory or the result store.
@Loop
final class ImageRoute {
    private let results: ResultDelivery
    private let scope: TaskScope

    init(results: ResultDelivery, scope: TaskScope) {
        self.results = results
        self.scope = scope
    }

    /// - Parameter answer: called once.
    func serve(_ exchange: HTTPExchange, key: String, _ answer: @escaping @Loop (WebAnswer) -> Void) {
        // Keys are digests; anything else is nobody's and not worth asking the store.
        guard (1...128).contains(key.utf8.count), key.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x7a).contains($0) || $0 == 0x2d })
        else {
            return answer(.notFound("no image has this key"))
        }
        let (match, range) = (exchange.header("If-None-Match"), exchange.header("Range"))
        let condition = exchange.header("If-Range")
        scope.run("image \(key)") { [self] in
            do throws(TintypeError) {
                guard let image = try await results.image(key) else { return answer(.notFound("no image has this key, or it was forgotten")) }
                answer(Self.answer(image, match: match, range: range, condition: condition))
            } catch {
                answer(.failure(503, error))
            }
        }
    }

    /// The answer for an image at hand.
    /// - Parameters:
    ///   - match: `If-None-Match`.
    ///   - range: `Range`, heeded only if `condition` (`If-Range`) is absent or names the image.
    nonisolated static func answer(_ image: StoredImage, match: String?, range: String?, condition: String?) -> WebAnswer {
        let tag = EntityTag.text(sha256: image.info["sha256"]?.string ?? image.key)
        let now = Seconds.epoch
        let age = max(0, min(86_400, Int((image.expiresAt ?? now + 3600) - now)))
        var headers = [
            ("ETag", tag), ("Cache-Control", "public, max-age=\(age)"), ("X-Content-Type-Options", "nosniff"),
            ("Content-Security-Policy", "default-src 'none'; sandbox"), ("Accept-Ranges", "bytes"),
        ]
        if EntityTag.matches(match, tag) { return WebAnswer(status: 304, headers: headers, body: []) }
        headers.append(("Content-Type", image.contentType))
        switch condition == nil || condition == tag ? ByteRange(range, length: image.bytes.count) : .whole {
        case .whole: return WebAnswer(status: 200, headers: headers, body: image.bytes)
        case .part(let part):
            headers.append(("Content-Range", "bytes \(part.lowerBound)-\(part.upperBound)/\(image.bytes.count)"))
            return WebAnswer(status: 206, headers: headers, body: Array(image.bytes[part]))
        case .unsatisfiable:
            headers.append(("Content-Range", "bytes */\(image.bytes.count)"))
            return WebAnswer(status: 416, headers: headers, body: [])
        }
    }
}
