import TintypeCore
package import TintypeImages

extension MethodCatalog {
    /// Purges of results and sources.
    package static let purges: FeatureMethods = (purgeMethods, "cache.remove")

    private static let purgeMethods: [MethodDescription] = [
        MethodDescription(
            "cache.purge",
            "Removes everything from a URL, from URLs with a prefix, or with a tag, in all queues and stores. Give exactly one. "
                + "Nothing keeps the results of runs under way. A token with a scope purges only its own tags.",
            [
                ParameterDescription("url", .string(maxLength: 16 << 10), "A source's URL, without signature."),
                ParameterDescription(
                    "prefix", .string(maxLength: 16 << 10), "The beginning of URLs, the slash behind the host included. No character is special."),
                ParameterDescription("tag", CacheTag.type, "A tag of `cache.tags`."),
                ParameterDescription("scope", ImageRequest.scope, "The scope of `tag`."),
            ], role: .put, result: "`{results, sources, fetches}`: how many it hit; of sources, those that it removed at once",
            errors: [.storeFailed, .unavailable],
            example: MethodExample(#"{"prefix":"https://example.org/photos/"}"#, #"{"results":0,"sources":0,"fetches":0}"#))
    ]
}
