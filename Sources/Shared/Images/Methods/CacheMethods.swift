import TintypeCore

extension MethodCatalog {
    private static let tier = ParameterDescription("tier", .choice(CacheTier.names), "One tier. Default: all tiers.")
    private static let key = ParameterDescription("key", CacheTier.keyType, "The key of a result or source.")
    /// A key, a request, or the members of a request.
    package static let cacheTarget =
        [key, ParameterDescription("request", .object(ImageRequest.parameters), "A request, instead of its members beside the others.")]
    private static let request = ImageRequest.parameters.map(\.optional)

    /// `PUT /images/{key}` does the same.
    package static let cachePut = MethodDescription(
        "cache.put",
        "Stores your bytes as the one rendition of a request, as if the service had made them. The picture's header gives format, size and frames. "
            + "The tier sources refuses a request with `fetch.decrypt`. For more than 8 MiB, use `PUT /images/{key}` with `tier`, `ttl` and `queue` in the query, and metadata in headers "
            + "`Tintype-Meta-…`.",
        cacheTarget + [
            ParameterDescription("tier", .choice(CacheTier.names), "One tier. Default: memory and results."),
            ParameterDescription("data", .string(maxLength: 8 << 20), required: true, "The bytes in base64."),
            ParameterDescription("ttl", .number(-1...31_536_000), "Seconds to keep the bytes. Default: one hour; 0 or negative: not kept."),
        ] + request, role: .put, requests: .target, result: "`{key, bytes}`",
        errors: [.invalidURL, .denied, .storeFailed, .unknownQueue, .unavailable],
        example: MethodExample(
            #"{"url":"https://example.org/dot.gif","cache":{"key":"dot"},"data":"R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"}"#,
            #"{"key":"dot","bytes":42}"#))

    static let cacheMethods: [MethodDescription] = [
        MethodDescription(
            "cache.contains",
            "Lists the tiers that have an image, or all renditions of a request; the tier sources, if it has the source.", cacheTarget + [tier] + request,
            role: .load, requests: .target,
            result: "`{tiers: [tier]}`", errors: [.invalidURL, .denied, .storeFailed],
            example: MethodExample(#"{"key":"dot"}"#, #"{"tiers":["memory","results"]}"#)),
        MethodDescription(
            "cache.get", "Reads an image from the cache; never makes or fetches one. A miss gives its `reason`.",
            cacheTarget + [ParameterDescription("tier", .choice(CacheTier.names), "One tier. Default: memory, then results.")] + request,
            role: .load, requests: .target,
            result: "[ImageResult](#imageresult) with a null `receipt`; with `deliver: inline` the bytes too",
            errors: [.cacheMiss, .limitExceeded, .invalidURL, .denied, .storeFailed],
            example: MethodExample(
                #"{"key":"dot"}"#,
                #"{"receipt":null,"from":"memory","state":"succeeded","#
                    + #""renditions":[{"name":"default","url":"/images/dot","format":"gif","contentType":"image/gif","width":1,"height":1}]}"#,
                isShortened: true)),
        cachePut,
        MethodDescription(
            "cache.setMetadata",
            "Replaces the metadata of stored results; without `metadata`, removes it. Stops at the first missing rendition; those before are changed.",
            cacheTarget + request, role: .put, requests: .target, result: "`{changed}`",
            errors: [.cacheMiss, .invalidURL, .denied, .storeFailed, .unavailable],
            example: MethodExample(#"{"key":"dot","metadata":{"author":"Ada"}}"#, #"{"changed":1}"#)),
        MethodDescription(
            "cache.remove",
            "Removes an image, or all renditions of a request and its source, from the tiers and the memory of all coordinators. "
                + "Results of other requests for the same URL stay until they expire.",
            cacheTarget + [tier] + request, role: .put, requests: .target, result: "`{removed, bytes}`",
            errors: [.invalidURL, .denied, .storeFailed, .unavailable], example: MethodExample(#"{"key":"dot"}"#, #"{"removed":1,"bytes":624}"#)),
        MethodDescription(
            "cache.pin",
            "Pins results: until they expire, a folder store does not remove them for its limits. It keeps at most maxPinned bytes of them (in its "
                + "URL), the most recently read first. Other stores remove none early.",
            cacheTarget + request, role: .put, requests: .target,
            result: "`{pinned}`: how many the store has", errors: [.invalidURL, .denied, .storeFailed],
            example: MethodExample(#"{"key":"dot"}"#, #"{"pinned":1}"#)),
        MethodDescription(
            "cache.unpin", "Unpins results.", cacheTarget + request, role: .put, requests: .target,
            result: "`{unpinned}`: how many the store has", errors: [.invalidURL, .denied, .storeFailed],
            example: MethodExample(#"{"key":"dot"}"#, #"{"unpinned":1}"#)),
        MethodDescription(
            "cache.trim", "Removes expired entries and entries above the limits, as each tier does by itself.", [tier], role: .admin,
            result: "`{removed, bytes}`", errors: [.storeFailed], example: MethodExample(#"{"tier":"results"}"#, #"{"removed":0,"bytes":0}"#)),
        MethodDescription(
            "cache.clear", "Empties one tier or all, and the memory of all coordinators.", [tier], role: .admin, result: "`{removed, bytes}`",
            errors: [.storeFailed, .unavailable], example: MethodExample(#"{"tier":"memory"}"#, #"{"removed":4,"bytes":4374}"#)),
        MethodDescription(
            "cache.stats",
            "Shows each tier's size. Results kept only for their URL do not count; in a bucket they do until `cache.trim`.",
            [
                tier,
                ParameterDescription(
                    "maxAge", .number(0...86_400), default: 0, "Seconds for which an earlier count will do."),
            ], role: .admin,
            result: "`{tier: {count, bytes, capacity}}`", errors: [.storeFailed],
            example: MethodExample(#"{"tier":"results"}"#, #"{"results":{"count":4,"bytes":459055,"capacity":null}}"#)),
    ]
}
