package import TintypeCore
package import TintypeTransport
package import TintypeImages

/// Results as objects of an S3 bucket: `<prefix>/<shelf>/ab/<digest>`, with the bytes of `StoredImageCodec`. The metadata `x-amz-meta-expires` also has
/// the expiry in seconds since 1970, and `x-amz-meta-mark` the mark of the image, so that HEAD shows them.
///
/// libcurl signs the requests. Expired objects are never returned, and are deleted when they are read. A lifecycle rule of the bucket has to delete
/// objects that no client asks for any more (or `cache.trim`, which walks over everything). An unreachable, refusing or busy store is `storeFailed`.
package final class S3Store: ResultStore {
    package let kind = "s3"
    private let folder: String
    /// Whether expired or damaged objects are left in place.
    private let isReadOnly: Bool
    @Loop private let bucket: S3Bucket

    /// The header with the bytes of a `StoredMark` in hexadecimal.
    private static let mark = "x-amz-meta-mark"
    /// The number of objects that a walk deletes or reads at once.
    private static let atOnce = 16

    @Loop package init(_ address: S3Address, _ credentials: S3Credentials, _ shelf: StoreNamespace = .results, isReadOnly: Bool = false) {
        self.isReadOnly = isReadOnly
        folder = (address.prefix.isEmpty ? "" : address.prefix + "/") + shelf.rawValue + "/"
        bucket = S3Bucket(address, credentials, called: "The result store")
    }

    private func object(_ key: String) -> String {
        let name = StoredImageCodec.name(of: key)
        return "\(folder)\(name.prefix(2))/\(name)"
    }

    @Loop package func put(_ image: StoredImage) async throws(TintypeError) {
        var headers = [("Content-Type", "application/octet-stream")]
        if let expiresAt = image.expiresAt { headers.append(("x-amz-meta-expires", JSON(expiresAt).text)) }
        let bytes = await Loop.work(on: image.bytes.count) { StoredImageCodec.encode(image) }
        headers.append((Self.mark, Digest.hex(bytes.prefix(StoredImageCodec.prefixLength))))
        _ = try await bucket.send("PUT", object(image.key), headers: headers, body: bytes)
    }

    @Loop package func look(up key: String) async throws(TintypeError) -> StoreLookup {
        guard let answer = try await bucket.send("GET", object(key)) else { return .absent }
        let lookup = await Loop.work(on: answer.body.count) { StoredImageCodec.lookup(answer.body, key: key) }
        if case .found = lookup { return lookup }
        if !isReadOnly { try await discard(object(key), seen: answer.head) }
        return lookup
    }

    @Loop package func contains(_ key: String) async throws(TintypeError) -> Bool {
        guard let head = try await bucket.send("HEAD", object(key))?.head else { return false }
        return Self.isFresh(head)
    }

    private static func isFresh(_ head: TransferHead) -> Bool {
        head.header("x-amz-meta-expires").flatMap { Double($0) }.map { WallClock.now < $0 } ?? true
    }

    @discardableResult
    @Loop package func remove(_ key: String) async throws(TintypeError) -> StoreStatistics {
        guard let head = try await bucket.send("HEAD", object(key))?.head else { return StoreStatistics() }
        _ = try await bucket.send("DELETE", object(key))
        return StoreStatistics(count: 1, bytes: head.header("content-length").flatMap { WireNumber.digits($0) }.map { Int($0) } ?? 0)
    }

    @Loop package func remove(_ mark: StoredMark) async throws(TintypeError) {
        guard let head = try await bucket.send("HEAD", object(mark.key))?.head, head.header(Self.mark) == Digest.hex(mark.bytes) else { return }
        try await discard(object(mark.key), seen: head)
    }

    @discardableResult
    @Loop package func clear() async throws(TintypeError) -> StoreStatistics {
        try await walk { object async throws(TintypeError) in
            _ = try await self.bucket.send("DELETE", object.key)
            return true
        }
    }

    @discardableResult
    @Loop package func trim() async throws(TintypeError) -> StoreStatistics {
        try await walk { object async throws(TintypeError) in
            guard let head = try await self.bucket.send("HEAD", object.key)?.head, !Self.isFresh(head) else { return false }
            return try await self.discard(object.key, seen: head)
        }
    }

    /// Deletes the object that was read, but not an object that was put in its place since. Stores without conditional deletes are at least asked just
    /// before.
    /// - Returns: whether the object is gone.
    @discardableResult
    @Loop private func discard(_ object: String, seen: TransferHead) async throws(TintypeError) -> Bool {
        guard let tag = seen.header("etag") else { return false }
        guard try await bucket.send("HEAD", object)?.head.header("etag") == tag else { return false }
        return try await bucket.send("DELETE", object, headers: [("If-Match", tag)])?.head.status != 412
    }

    @Loop package func statistics() async throws(TintypeError) -> StoreStatistics {
        var all = StoreStatistics()
        try await eachPage { objects in
            for object in objects { all += StoreStatistics(count: 1, bytes: object.size) }
        }
        return all
    }

    @Loop package func close() {}

    // MARK: Walking

    /// Passes every object to `delete`, several at once. It returns whether the object is gone.
    @Loop private func walk(_ delete: @escaping @Loop (S3Listing.Object) async throws(TintypeError) -> Bool) async throws(TintypeError) -> StoreStatistics {
        var freed = StoreStatistics()
        try await eachPage { objects async throws(TintypeError) in
            var rest = objects[...]
            while !rest.isEmpty {
                let few = rest.prefix(Self.atOnce)
                rest = rest.dropFirst(few.count)
                freed += try await remove(few, delete)
            }
        }
        return freed
    }

    /// The most pages of a listing: a hundred million objects.
    private static let mostPages = 100_000

    /// Lists all objects, a thousand at a time.
    /// - Throws: `storeFailed`, also if the listing does not come to an end.
    @Loop private func eachPage(_ body: @Loop ([S3Listing.Object]) async throws(TintypeError) -> Void) async throws(TintypeError) {
        var next: String?
        for _ in 0..<Self.mostPages {
            let page = try await list(from: next)
            try await body(page.objects)
            guard let token = page.next else { return }
            guard token != next else { break }
            next = token
        }
        throw .storeFailed("The listing of the result store's bucket does not end.", cause: "the same continuation token, or too many pages", retryable: false)
    }

    @Loop private func remove(
        _ objects: ArraySlice<S3Listing.Object>, _ delete: @escaping @Loop (S3Listing.Object) async throws(TintypeError) -> Bool
    ) async throws(TintypeError) -> StoreStatistics {
        let scope = TaskScope()
        var freed = StoreStatistics()
        var failure: TintypeError?
        for object in objects {
            scope.run("delete") {
                do throws(TintypeError) {
                    guard try await delete(object) else { return }
                    freed += StoreStatistics(count: 1, bytes: object.size)
                } catch {
                    failure = error
                }
            }
        }
        await scope.drain()
        if let failure { throw failure }
        return freed
    }

    @Loop private func list(from next: String?) async throws(TintypeError) -> S3Listing {
        // The parameters are sorted by name, as the signature requires.
        var query = "list-type=2&max-keys=1000&prefix=\(PercentText.encoded(folder))"
        if let next { query = "continuation-token=\(PercentText.encoded(next))&" + query }
        guard let answer = try await bucket.send("GET", "", query: query), let listing = S3Listing(answer.body) else {
            throw .storeFailed("The bucket of the result store cannot be listed.", cause: "no listing", retryable: false)
        }
        return listing
    }
}
