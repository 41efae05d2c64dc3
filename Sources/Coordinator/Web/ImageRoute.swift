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
        // A range selects a part of a GET answer (RFC 9110 §14.2).
        let asked = ImageConditions(
            required: exchange.list("If-Match"), match: exchange.list("If-None-Match"), range: exchange.method == "GET" ? exchange.header("Range") : nil,
            condition: exchange.header("If-Range"))
        let isWanted = exchange.method != "HEAD"
        // An image in memory is answered at once, without a task.
        let found = results.held(key)?.serve { served in
            (Self.answer(&served, isGuarded: door.isGuarded, asked, at: WallClock.now), served.image)
        }
        if let (shown, image) = found { return answer(hold(shown, of: image, isWanted: isWanted)) }
        scope.run("image \(key)") { [self] in
            do throws(TintypeError) {
                guard let image = try await results.image(key) else { return answer(.notFound("no image has this key, or its image has expired")) }
                var served = ServedImage(image)
                answer(hold(Self.answer(&served, isGuarded: door.isGuarded, asked, at: WallClock.now), of: image, isWanted: isWanted))
            } catch {
                answer(.failure(503, error))
            }
        }
    }

    /// Counts a long body as one that is being sent, and lets it share the memory of its other readers.
    /// - Parameter isWanted: Whether the body is sent at all.
    private func hold(_ shown: WebAnswer, of image: StoredImage, isWanted: Bool) -> WebAnswer {
        guard isWanted, shown.body.count > HTTPExchange.piece else { return shown }
        guard let held = outgoing.hold(image.bytes, as: ServedImage.tag(of: image)) else { return .noRoom }
        var shown = shown
        // The body is a slice of the array that other readers share.
        shown.body = held.bytes[shown.body.indices]
        shown.held = held
        return shown
    }

    /// The role that a token needs to put images.
    static let roleToPut = MethodCatalogue.method("cache.put")?.role ?? .admin

    private static func key(_ exchange: HTTPExchange) -> String { String(Substring(exchange.path.utf8.dropFirst(ImagePath.prefix.utf8.count))) }

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
                let there = try await results.image(put.image.key).map { ServedImage.tag(of: $0) }
                guard EntityTag.allowsWrite(ifMatch: ifMatch, ifNoneMatch: ifNoneMatch, there: there) else { return answer(.preconditionFailed) }
            }
            try await cache.put(put.image, in: put.tiers, queue: queue, ttl: put.ttl)
            answer(.json(201, put.answer, headers: [("Location", ImagePath.path(of: put.image.key))]))
        } catch {
            answer(.failure(error.name == .unknownQueue ? 404 : 503, error))
        }
    }

    /// Returns the answer for an image.
    /// - Parameters:
    ///   - isGuarded: Whether clients need a token.
    ///   - now: Seconds since 1970.
    nonisolated static func answer(_ served: inout ServedImage, isGuarded: Bool, _ asked: ImageConditions, at now: Double) -> WebAnswer {
        let choice = ImageChoice(asked, served)
        var answer = bare(choice, served.image)
        if choice.hasImageHeaders { answer.lines = served.lines(hasType: choice != .unchanged, isGuarded: isGuarded, at: now) }
        return answer
    }

    /// Returns the answer without the headers that all answers with the image have.
    nonisolated private static func bare(_ choice: ImageChoice, _ image: StoredImage) -> WebAnswer {
        let total = image.bytes.count
        return switch choice {
        case .preconditionFailed: .preconditionFailed
        case .unchanged: WebAnswer(status: 304, headers: [])
        case .whole: WebAnswer(status: 200, headers: [], body: image.bytes)
        case .part(let part):
            WebAnswer(status: 206, headers: [("Content-Range", "bytes \(part.lowerBound)-\(part.upperBound)/\(total)")], body: image.bytes[part])
        case .unsatisfiable: WebAnswer(status: 416, headers: [("Content-Range", "bytes */\(total)")])
        }
    }
}
