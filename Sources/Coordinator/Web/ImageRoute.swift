import TintypeCore
import TintypeTransport
import TintypeImages

/// `GET /images/{key}`: finished images, from memory or the result store. `PUT /images/{key}`: keeps one that a client brings.
@Loop
final class ImageRoute {
    private let results: ResultDelivery
    private let cache: CacheTiers
    private let door: Door
    private let scope: TaskScope
    private let outgoing = OutgoingImages()

    init(results: ResultDelivery, cache: CacheTiers, door: Door, scope: TaskScope) {
        (self.results, self.cache, self.door, self.scope) = (results, cache, door, scope)
    }

    /// - Parameter answer: called once.
    func serve(_ exchange: HTTPExchange, _ answer: @escaping @Loop (WebAnswer) -> Void) {
        let key = Self.key(exchange)
        // Anything else is nobody's and not worth asking the store.
        guard CacheTier.isKey(key) else { return answer(.notFound("no image has this key")) }
        let (required, match) = (exchange.list("If-Match"), exchange.list("If-None-Match"))
        // A range is one of what GET brings (RFC 9110 §14.2).
        let (range, condition) = (exchange.method == "GET" ? exchange.header("Range") : nil, exchange.header("If-Range"))
        scope.run("image \(key)") { [self] in
            do throws(TintypeError) {
                guard let image = try await results.image(key) else { return answer(.notFound("no image has this key, or it was forgotten")) }
                var shown = Self.answer(image, isGuarded: door.isGuarded, required: required, match: match, range: range, condition: condition)
                if exchange.method != "HEAD", shown.body.count > HTTPExchange.piece {
                    guard let held = outgoing.hold(image.bytes, as: Self.tag(of: image)) else { return answer(.noRoom) }
                    // Out of the array that others are sent it from.
                    shown.body = held.bytes[shown.body.indices]
                    shown.held = held
                }
                answer(shown)
            } catch {
                answer(.failure(503, error))
            }
        }
    }

    /// The role of a token that may put images.
    static let roleToPut = MethodCatalogue.method("cache.put")?.role ?? .admin

    private static func key(_ exchange: HTTPExchange) -> String { String(exchange.path.dropFirst(ImagePath.prefix.count)) }

    /// Does what `cache.put` does, with `tier`, `ttl` and `queue` in the query and the bytes as the body.
    /// - Parameter answer: called once.
    func put(_ exchange: HTTPExchange, _ answer: @escaping @Loop (WebAnswer) -> Void) {
        let (key, grant) = (Self.key(exchange), door.grant(exchange))
        // Of both the body is not the image: a part of it (RFC 9110 §14.5), and what would be served as it came, without a word.
        if let range = exchange.header("Content-Range") {
            return answer(.failure(400, .invalidParams(path: "Content-Range", value: .string(range), expected: "the whole image")))
        }
        if let encoding = exchange.list("Content-Encoding"), encoding.lowercased() != "identity" {
            return answer(.failure(415, .invalidParams(path: "Content-Encoding", value: .string(encoding), expected: "the image as it is")))
        }
        do throws(TintypeError) {
            var params: JSONObject = ["key": .string(key), "data": ""]
            for (name, value) in exchange.query {
                guard ["tier", "ttl", "queue"].contains(name) else {
                    throw .invalidParams(path: name, value: .string(value), expected: "tier, ttl or queue in the query")
                }
                params[name] = name == "ttl" ? Double(value).map { JSON($0) } ?? .string(value) : .string(value)
            }
            params["metadata"] = try ResultMetadata.json(of: exchange.headers(after: ResultMetadata.prefix))
            guard let description = MethodCatalogue.method("cache.put"), let grant else { throw Door.missing }
            try ParameterDescription.validate(params, description.parameters, at: "")
            params = try grant.bound(params, of: description, keys: door.keys)
            guard !exchange.body.isEmpty else { throw .invalidParams(path: "", value: "", expected: "the bytes as the body") }
            // By its key: rules are about URLs.
            let target = try CacheTarget(.object(params), .none, .none, besideKey: ["queue", "metadata"])
            let put = try PutImage(target, exchange.body, contentType: exchange.header("Content-Type"), ttl: params["ttl"]?.double)
            let (required, match) = (exchange.list("If-Match"), exchange.list("If-None-Match"))
            scope.run("put \(key)") { [self] in await keep(put, target.queue, ifMatch: required, ifNoneMatch: match, answer) }
        } catch {
            answer(.failure(error.name == .forbidden ? 403 : 400, error))
        }
    }

    private func keep(_ put: PutImage, _ queue: String, ifMatch: String?, ifNoneMatch: String?, _ answer: @Loop (WebAnswer) -> Void) async {
        do throws(TintypeError) {
            if ifMatch != nil || ifNoneMatch != nil {
                let there = try await results.image(put.image.key).map { Self.tag(of: $0) }
                guard EntityTag.allowsWrite(ifMatch: ifMatch, ifNoneMatch: ifNoneMatch, there: there) else { return answer(.preconditionFailed) }
            }
            try await cache.put(put.image, in: put.tiers, queue: queue, ttl: put.ttl)
            answer(.json(201, put.answer, headers: [("Location", ImagePath.path(of: put.image.key))]))
        } catch {
            answer(.failure(error.name == .unknownQueue ? 404 : 503, error))
        }
    }

    nonisolated private static func tag(of image: StoredImage) -> String { EntityTag.text(sha256: image.rendition.sha256 ?? image.key) }

    /// The answer for an image at hand.
    /// - Parameters:
    ///   - isGuarded: whether only who has a token is given it: a cache between would give it to others.
    ///   - required: `If-Match`.
    ///   - match: `If-None-Match`.
    ///   - range: `Range`, heeded only if `condition` (`If-Range`) is absent or names the image.
    nonisolated static func answer(
        _ image: StoredImage, isGuarded: Bool = false, required: String? = nil, match: String?, range: String?, condition: String?
    ) -> WebAnswer {
        let tag = tag(of: image)
        if let required, !EntityTag.matches(required, tag, isStrong: true) { return .preconditionFailed }
        let isPrivate = isGuarded || image.rendition.isPrivate
        let now = WallClock.now
        // A store keeps it longer than it is fresh, if only for those who have just been told of it.
        let end = [image.expiresAt, image.rendition.expiresAt].compactMap { $0 }.min() ?? now + 3600
        let age = Int(max(0, min(86_400, end - now)))
        let control = (isPrivate ? "private, " : "public, ") + (age > 0 ? "max-age=\(age)" : "no-cache")
        var headers = [
            ("ETag", tag), ("Cache-Control", control), ("X-Content-Type-Options", "nosniff"),
            ("Content-Security-Policy", "default-src 'none'; sandbox"), ("Accept-Ranges", "bytes"),
        ]
        // Of a 304 too: whoever has the bytes may have other words with them.
        headers += image.rendition.metadata?.headers ?? []
        if EntityTag.matches(match, tag) { return WebAnswer(status: 304, headers: headers) }
        headers.append(("Content-Type", image.contentType))
        switch condition == nil || condition == tag ? ByteRange(range, length: image.bytes.count) : .whole {
        case .whole: return WebAnswer(status: 200, headers: headers, body: image.bytes)
        case .part(let part):
            headers.append(("Content-Range", "bytes \(part.lowerBound)-\(part.upperBound)/\(image.bytes.count)"))
            return WebAnswer(status: 206, headers: headers, body: image.bytes[part])
        case .unsatisfiable:
            headers.append(("Content-Range", "bytes */\(image.bytes.count)"))
            return WebAnswer(status: 416, headers: headers)
        }
    }
}
