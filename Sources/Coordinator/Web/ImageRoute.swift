import TintypeCore
package import TintypeTransport
import TintypeImages
import TintypeStores

/// `GET /images/{key}`: serves finished images from memory, from open files, or from the result store. `PUT /images/{key}`: stores an image of a client.
@Loop
package final class ImageRoute {
    private let kept: KeptResults
    private let cache: CacheTiers
    private let access: AccessControl
    private let scope: TaskScope
    private let sender: ImageSender
    /// The budget for images that are hashed and written, also after their clients have gone.
    private let writing = BodyBudget(4 * BodyAdmission.maxImage)

    init(kept: KeptResults, cache: CacheTiers, access: AccessControl, scope: TaskScope, sender: ImageSender) {
        (self.kept, self.cache, self.access, self.scope, self.sender) = (kept, cache, access, scope, sender)
    }

    /// Serves an image.
    /// - Parameter answer: Called once.
    package func serve(_ exchange: HTTPExchange, _ answer: @escaping @Loop (WebAnswer) -> Void) {
        let key = Self.key(exchange)
        // Any other text is not a key, so the store is not asked.
        guard CacheTier.isKey(key) else { return answer(.notFound("no image has this key")) }
        let (asked, isWanted) = (ImageConditions(exchange), exchange.method != "HEAD")
        let lines: ImageSender.Lines = { [access] served, choice in
            served.lines(hasType: choice != .unchanged, mayBeKept: choice.mayBeKept, isGuarded: access.isGuarded, at: WallClock.now)
        }
        // An image in memory or in an open file is answered at once, without a task.
        if let shown = sender.atOnce(key, asked, isWanted: isWanted, lines) { return answer(shown) }
        // The dashboard only looks: that must not push out the pictures that clients ask for.
        let inMemory = exchange.query["memory"] != "no"
        scope.run("image \(key)") { [sender] in
            do throws(TintypeError) {
                let shown = try await sender.read(key, asked, isWanted: isWanted, inMemory: inMemory, lines)
                answer(shown ?? .notFound("no image has this key, or its image has expired"))
            } catch {
                answer(.failure(503, error))
            }
        }
    }

    /// The name of the route.
    package static let name = "images"

    /// The name in metrics of a request that only looks at an image, as the dashboard does. Otherwise the page would show its own traffic.
    package static let look = "looks"
    private static let lookQuery = Array("?memory=no".utf8)

    static func isLook(_ exchange: HTTPExchange, route: String) -> Bool {
        route == name && exchange.target.suffix(lookQuery.count).elementsEqual(lookQuery)
    }

    private static func key(_ exchange: HTTPExchange) -> String { String(Substring(exchange.path.utf8.dropFirst(ImagePath.prefix.utf8.count))) }

    /// Stores an image like `cache.put`, with `tier`, `ttl` and `queue` in the query and the bytes as the body.
    /// - Parameter answer: Called once.
    package func put(_ exchange: HTTPExchange, _ answer: @escaping @Loop (WebAnswer) -> Void) {
        let (key, grant) = (Self.key(exchange), access.grant(exchange))
        if let refusal = WholeBody.refusal(exchange, "the whole image", "the image without an encoding") { return answer(refusal) }
        do throws(TintypeError) {
            var params: JSONObject = ["key": .string(key), "data": ""]
            for (name, value) in exchange.query {
                guard ["tier", "ttl", "queue"].contains(name) else {
                    throw .invalidParams(path: name, value: .string(value), expected: "tier, ttl or queue in the query")
                }
                params[name] = name == "ttl" ? Double(value).map { JSON($0) } ?? .string(value) : .string(value)
            }
            params["metadata"] = try ResultMetadata.json(of: exchange.headers(after: ResultMetadata.prefix))
            guard let grant else { throw AccessControl.missing }
            try ParameterDescription.validate(params, MethodCatalog.cachePut.parameters, at: "")
            params = try grant.bound(params, of: MethodCatalog.cachePut, keys: access.keys)
            guard !exchange.body.isEmpty else { throw .invalidParams(path: "", value: "", expected: "the bytes as the body") }
            // The target is a key. Rules do not apply, because they are about URLs.
            let target = try CacheTarget(.object(params), .none, .none, besideKey: ["queue", "metadata"])
            let (bytes, type, ttl) = (exchange.body, exchange.header("Content-Type"), params["ttl"]?.double)
            let (required, match) = (exchange.list("If-Match"), exchange.list("If-None-Match"))
            let held = BodyReservation(writing)
            guard held.grow(to: bytes.count) else { return answer(.noRoom) }
            scope.run("put \(key)") { [self] in
                defer { withExtendedLifetime(held) {} }
                do throws(TintypeError) {
                    let put = try await PutImage.of(target, bytes, contentType: type, ttl: ttl)
                    await keep(put, target, ifMatch: required, ifNoneMatch: match, answer)
                } catch {
                    answer(.failure(400, error))
                }
            }
        } catch {
            answer(.failure(error.name == .forbidden ? 403 : 400, error))
        }
    }

    private func keep(_ put: PutImage, _ target: CacheTarget, ifMatch: String?, ifNoneMatch: String?, _ answer: @Loop (WebAnswer) -> Void) async {
        do throws(TintypeError) {
            if ifMatch != nil || ifNoneMatch != nil {
                let there = try await kept.image(put.image.key).map { ServedImage.tag(of: $0) }
                guard EntityTag.allowsWrite(ifMatch: ifMatch, ifNoneMatch: ifNoneMatch, there: there) else { return answer(.preconditionFailed) }
            }
            try await cache.put(put.image, in: put.tiers, queue: target.queue, host: target.host, source: target.source, ttl: put.ttl)
            answer(.json(201, put.answer, headers: [("Location", ImagePath.path(of: put.image.key))]))
        } catch {
            answer(.failure(error.name == .unknownQueue ? 404 : 503, error))
        }
    }
}
