import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeStores

/// `GET /images/{key}`: serves finished images from memory, from open files, or from the result store. `PUT /images/{key}`: stores an image of a client.
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
        // An image in memory or in an open file is answered at once, without a task.
        if let served = results.held(key) { return answer(fromMemory(served, asked, isWanted: isWanted)) }
        var shown: WebAnswer?
        let isOpened = results.isOpened(key) { file in
            shown = from(file, asked, isWanted: isWanted)
            return shown != nil
        }
        if isOpened, let shown { return answer(shown) }
        scope.run("image \(key)") { [self] in
            do throws(TintypeError) {
                guard let image = try await results.image(key) else { return answer(.notFound("no image has this key, or its image has expired")) }
                answer(fromMemory(ServedImage(image), asked, isWanted: isWanted))
            } catch {
                answer(.failure(503, error))
            }
        }
    }

    /// - Parameter isWanted: Whether the body is sent at all.
    private func fromMemory(_ served: ServedImage, _ asked: ImageConditions, isWanted: Bool) -> WebAnswer {
        let shown = Self.answer(served, isGuarded: door.isGuarded, asked, at: WallClock.now)
        guard isWanted, shown.body.count > HTTPExchange.piece else { return shown }
        // Counts a long body as one that is being sent, and lets it share the memory of its other readers.
        guard let held = outgoing.hold(served.image.bytes, as: served.tag) else { return .noRoom }
        var answer = shown
        // The body is a slice of the array that other readers share.
        answer.body = held.bytes[shown.body.indices]
        answer.held = held
        return answer
    }

    /// Returns the answer with bytes of an open file, which is checked afterwards.
    /// - Returns: nil if the file has to be read again.
    private func from(_ file: StoredFile, _ asked: ImageConditions, isWanted: Bool) -> WebAnswer? {
        let served: ServedImage
        if let kept = file.companion as? ServedImage {
            served = kept
        } else {
            served = ServedImage(file.image, count: file.count)
            file.companion = served
        }
        var (answer, range) = Self.outline(served, isGuarded: door.isGuarded, asked, at: WallClock.now)
        guard let range else { return answer }
        if !isWanted {
            answer.file = file.part(range)
        } else if range.count <= StoredFile.mostCopied {
            guard let bytes = file.cachedBytes(range) else { return nil }
            answer.body = bytes[...]
        } else {
            guard file.isCached(range) else { return nil }
            answer.file = file.part(range)
        }
        return answer
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

    /// Returns the answer for an image in memory.
    /// - Parameters:
    ///   - isGuarded: Whether clients need a token.
    ///   - now: Seconds since 1970.
    nonisolated static func answer(_ served: ServedImage, isGuarded: Bool, _ asked: ImageConditions, at now: Double) -> WebAnswer {
        var (answer, range) = outline(served, isGuarded: isGuarded, asked, at: now)
        if let range { answer.body = served.image.bytes[range] }
        return answer
    }

    /// Returns the answer for an image without its bytes, and which of them belong to it.
    private nonisolated static func outline(
        _ served: ServedImage, isGuarded: Bool, _ asked: ImageConditions, at now: Double
    ) -> (answer: WebAnswer, range: Range<Int>?) {
        let choice = ImageChoice(asked, served)
        var answer = bare(choice, of: served.count)
        if choice.hasImageHeaders { answer.lines = served.lines(hasType: choice != .unchanged, isGuarded: isGuarded, at: now) }
        return (answer, choice.bytes(of: served.count))
    }

    /// Returns the answer without the headers that all answers with the image have.
    private nonisolated static func bare(_ choice: ImageChoice, of total: Int) -> WebAnswer {
        switch choice {
        case .preconditionFailed: .preconditionFailed
        case .unchanged: WebAnswer(status: 304, headers: [])
        case .whole: WebAnswer(status: 200, headers: [])
        case .part(let part): WebAnswer(status: 206, headers: [("Content-Range", "bytes \(part.lowerBound)-\(part.upperBound)/\(total)")])
        case .unsatisfiable: WebAnswer(status: 416, headers: [("Content-Range", "bytes */\(total)")])
        }
    }
}
