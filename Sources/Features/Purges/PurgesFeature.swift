package import Coordinator
import TintypeCore
import TintypeContracts
import TintypeImages
import TintypeQueue
import TintypeTransport

extension Feature {
    /// Purges of results and sources, by URL, prefix or tag.
    package static let purges: Maker = { core, _ in
        let purger = Purger(
            results: core.storage.results, sources: core.storage.sources, registry: core.queues.registry, invalidation: core.storage.invalidation,
            logger: core.process.logger)
        var feature = Feature(MethodCatalog.purges)
        feature.methods = [CachePurge(purger: purger, admission: core.admission, scope: core.process.scope, events: core.events)]
        feature.parts = [purger]
        return feature
    }
}

/// `cache.purge`: removes everything that came from a URL, from URLs with a prefix, or that has a tag.
struct CachePurge: RPCMethod {
    let name = "cache.purge"
    let purger: Purger
    let admission: Admission
    let scope: TaskScope
    let events: CoreEvents

    /// The members of which exactly one names what to purge.
    private static let ways = ["url", "prefix", "tag"]

    func begin(_ call: Call, _ params: JSON) throws(TintypeError) {
        let named = Self.ways.compactMap { way in params[way]?.string.map { (way, $0) } }
        guard named.count == 1, let (way, text) = named.first else {
            throw .invalidParams(path: named.last?.0 ?? "url", value: named.last.map { .string($0.1) }, expected: "exactly one of url, prefix and tag")
        }
        let (bound, asked) = (call.session.grant?.scope, params["scope"]?.string)
        guard way == "tag" || bound == nil else {
            throw TintypeError(
                .forbidden, .admission, "\(way): this token is bound to a scope, and URLs are not; give requests a tag (cache.tags) and purge the tag",
                details: ["path": .string(way)])
        }
        if let asked, way != "tag" {
            throw .invalidParams(path: "scope", value: .string(asked), expected: "none beside \(way), which hits all scopes")
        }
        if let bound, let asked, asked != bound {
            throw TintypeError(
                .forbidden, .admission, "scope: this token is bound to a scope: leave scope out, or use another token", details: ["path": "scope"])
        }
        let (scope, client) = (bound ?? asked, call.session.sharer)
        let purge: @Loop () async throws(TintypeError) -> Purger.Counts
        // Without user, password and signature.
        var shown = text
        switch way {
        case "tag":
            let word = CacheTag.word(text, scope: scope.map { Source.hash(scope: $0) })
            purge = { [purger] () async throws(TintypeError) in try await purger.purge(tag: word, for: client) }
        case "prefix":
            let target = try PurgeTarget(prefix: text)
            shown = target.text
            purge = { [purger] () async throws(TintypeError) in try await purger.purge(target, source: nil, for: client) }
        default:
            let target = try PurgeTarget(url: text)
            shown = target.text
            let source = (try? Source(urls: [text], fetch: FetchOptions())).map { admission.keys.key($0.digest) }
            purge = { [purger] () async throws(TintypeError) in try await purger.purge(target, source: source, for: client) }
        }
        // A client that goes does not leave half a purge.
        self.scope.run("purge") { [events, shown] in
            do throws(TintypeError) {
                let counts = try await purge().json
                var purged: JSONObject = [way: .string(shown)]
                purged["scope"] = scope.map { .string($0) }
                await events.purged?(purged, counts)
                call.succeed(.object(counts))
            } catch {
                call.fail(error)
            }
        }
    }
}
