import TintypeCore
import TintypeTransport
import TintypeImages

/// `GET /images/{key}`: serves finished images from memory or the result store. `PUT /images/{key}`: stores an image of a client.
@Loop
final class ImageRoute {
    private let results: ResultDelivery
    private let cache: CacheTiers
    private let door: AccessControl
    private let scope: TaskScope
    private let outgoing = OutgoingImages()

    init(results: ResultDelivery, cache: CacheTiers, door: AccessControl, scope: TaskScope) {
        (self.results, self.cache, self.door, self.scope) = (results, cache, door, scope)
    }

    /// Serves an image.
    /// - Parameter answer: Called once.
    func serve(_ exchange: HTTPExchange, _ answer: @escaping @Loop (WebAnswer) -> Void) {
        let key = Self.key(exchange)
        // Any other text is not a key, so the store is not asked.
        guard CacheTier.isKey(key) else { return answer(.notFound("no image has this key")) }
        let (required, match) = (exchange.list("If-Match"), exchange.list("If-None-Match"))
        // A range selects a part of a GET answer (RFC 9110 §14.2).
        let (range, condition) = (exchange.method == "GET" ? exchange.header("Range") : nil, exchange.header("If-Range"))
        scope.run("image \(key)") { [self] in
            do throws(TintypeError) {
                guard let image = try await results.image(key) else { return answer(.notFound("no image has this key, or its image has expired")) }
                var shown = Self.answer(image, isGuarded: door.isGuarded, required: required, match: match, range: range, condition: condition)
                if exchange.method != "HEAD", shown.body.count > HTTPExchange.piece {
                    guard let held = outgoing.hold(image.bytes, as: Self.tag(of: image)) else { return answer(.noRoom) }
                    // The body is a slice of the array that other readers share.
                    shown.body = held.bytes[shown.body.indices]
                    shown.held = held
                }
                answer(shown)
            } catch {
                answer(.failure(503, error))
            }
        }
    }

    /// The role that a token needs to put images.
    static let roleToPut = MethodCatalogue.method("cache.put")?.role ?? .admin

    private static func key(_ exchange: HTTPExchange) -> String { String(exchange.path.dropFirst(ImagePath.prefix.count)) }

    /// Stores an image like `cache.put`, with `tier`, `ttl` and `queue` in the query and the bytes as the body.
    /// - Parameter answer: Called once.
    func put(_ exchange: HTTPExchange, _ answer: @escaping @Loop (WebAnswer) -> Void) {
        let (key, grant) = (Self.key(exchange), door.grant(exchange))
        // Two kinds of bodies are not the image: a part of it (RFC 9110 §14.5), and an encoded one. The latter would be served without its encoding.
        if let range = exchange.header("Content-Range") {
            return answer(.failure(400, .invalidParams(path: "Content-Range", value: .string(range), expected: "the whole image")))
        }
        if let encoding = exchange.list("Content-Encoding"), encoding.lowercased() != "identity" {
            return answer(.failure(415, .invalidParams(path: "Content-Encoding", value: .string(encoding), expected: "the image without an encoding")))
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
            guard let description = MethodCatalogue.method("cache.put"), let grant else { throw AccessControl.missing }
            try ParameterDescription.validate(params, description.parameters, at: "")
            params = try grant.bound(params, of: description, keys: door.keys)
            guard !exchange.body.isEmpty else { throw .invalidParams(path: "", value: "", expected: "the bytes as the body") }
            // The target is a key. Rules do not apply, because they are about URLs.
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

    /// Returns the answer for an image.
    /// - Parameters:
    ///   - isGuarded: Whether clients need a token. A shared cache would give the image to other clients.
    ///   - required: `If-Match`.
    ///   - match: `If-None-Match`.
    ///   - range: `Range`, which counts only if `condition` (`If-Range`) is absent or names the image.
    nonisolated static func answer(
        _ image: StoredImage, isGuarded: Bool = false, required: String? = nil, match: String?, range: String?, condition: String?
    ) -> WebAnswer {
        let tag = tag(of: image)
        if let required, !EntityTag.matches(required, tag, isStrong: true) { return .preconditionFailed }
        let isPrivate = isGuarded || image.rendition.isPrivate
        let now = WallClock.now
        // A store keeps an image longer than it is fresh, at least for clients that were just told of it.
        let end = [image.expiresAt, image.rendition.expiresAt].compactMap { $0 }.min() ?? now + 3600
        let age = Int(max(0, min(86_400, end - now)))
        let control = (isPrivate ? "private, " : "public, ") + (age > 0 ? "max-age=\(age)" : "no-cache")
        var headers = [
            ("ETag", tag), ("Cache-Control", control), ("X-Content-Type-Options", "nosniff"),
            ("Content-Security-Policy", "default-src 'none'; sandbox"), ("Accept-Ranges", "bytes"),
        ]
        // A 304 has these headers too: the client may have other metadata with the same bytes.
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
