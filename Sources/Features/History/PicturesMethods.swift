import Coordinator
import TintypeCore
import ImgproxyURLs
import TintypeImages
import TintypeQueue
import TintypeTransport

/// `pictures.list`: the latest results, or those with a tag.
struct PicturesList: RPCMethod {
    let name = "pictures.list"
    let ends: RecentEndsWatch
    let questions: QueueQuestions

    func begin(_ call: Call, _ params: JSON) throws(TintypeError) {
        let (limit, host, after) = (params["limit"]?.int ?? 50, params["host"]?.string?.lowercased(), params["after"]?.string)
        guard let tag = params["tag"]?.string else {
            if let lonely = ["scope", "cursor"].first(where: { params[$0]?.isNull == false }) {
                throw .invalidParams(path: lonely, value: params[lonely], expected: "a tag beside it")
            }
            return call.succeed(["items": .array(ends.pictures(limit, host: host, after: after))])
        }
        if let after { throw .invalidParams(path: "after", value: .string(after), expected: "none beside tag, whose pages go on by cursor") }
        let word = CacheTag.word(tag, scope: params["scope"]?.string.map { Source.hash(scope: $0) })
        let cursor = ListCursor(params)
        questions.answer(call, ofQueue: nil) { queues async throws(RedisError) in
            let page = try await queues.list(from: cursor, limit) { queue, limit, cursor throws(RedisError) in
                try await queue.tagged(word, limit: limit, after: cursor)
            } json: {
                ShownPicture.json($0)
            }
            guard var filtered = page.object, let items = page["items"]?.array else { return page }
            // The index has descriptions of sources too, which are no pictures.
            filtered["items"] = .array(items.filter { $0["format"]?.string != nil && (host == nil || $0["host"] == host.map(JSON.string)) })
            return .object(filtered)
        }
    }
}

/// `pictures.get`: how a result was made.
struct PicturesGet: RPCMethod {
    let name = "pictures.get"
    let scope: TaskScope
    let cache: CacheTiers

    func begin(_ call: Call, _ params: JSON) {
        let key = params["key"]?.string ?? ""
        call.run(in: scope) { () async throws(TintypeError) in
            let image = try await cache.image(key, from: CacheTier.ofRenditions).image
            return ["key": .string(key), "operations": image.operations ?? .null]
        }
    }
}
