import TintypeCore

extension MethodCatalogue {
    private static let tier = ParameterDescription("tier", .choice(CacheTier.names), "One tier; default: all.")
    private static let key = ParameterDescription("key", CacheTier.keyType, "The key of a result, or of a source.")
    /// A key, a request, or the members of a request.
    private static let target =
        [key, ParameterDescription("request", .object(ImageRequest.parameters), "Or an ImageRequest; its members may also stand beside the others instead.")]
    private static let request = ImageRequest.parameters.map(\.optional)

    static let cacheMethods: [MethodDescription] = [
        MethodDescription(
            "cache.contains", "Which tiers have an image, or all renditions of a request; of the tier sources, its source.", target + [tier] + request,
            role: .load, requests: .target,
            result: "`{tiers: […]}`", errors: [.invalidURL, .denied, .storeFailed]),
        MethodDescription(
            "cache.get", "What the cache has of an image; never makes or fetches anything. A miss says why: `reason`.",
            target + [ParameterDescription("tier", .choice(CacheTier.names), "One tier; default: memory, then results.")] + request,
            role: .load, requests: .target,
            result: "ImageResult, `receipt` null; with `deliver: inline` its bytes", errors: [.cacheMiss, .limitExceeded, .invalidURL, .denied, .storeFailed]),
        MethodDescription(
            "cache.put",
            "Keeps bytes that you bring, as if they had been made here: the one rendition of a request is answered with them from then on. Their head is read, so that the result tells format, width, height and frames. The tier sources takes none for a request with `fetch.decrypt`. Larger ones: `PUT /images/{key}`, with `tier`, `ttl` and `queue` in its query, and metadata in headers `Tintype-Meta-…`.",
            target + [
                ParameterDescription("tier", .choice(CacheTier.names), "One tier; default: memory and results."),
                ParameterDescription("data", .string(maxLength: 8 << 20), required: true, "The bytes in base64."),
                ParameterDescription("ttl", .number(-1...31_536_000), "Seconds they are kept; default one hour; 0 or negative: not kept."),
            ] + request, role: .put, requests: .target, result: "`{key, bytes}`", errors: [.invalidURL, .denied, .storeFailed, .unknownQueue, .unavailable]),
        MethodDescription(
            "cache.setMetadata",
            "Gives results that are in the store other words to be kept with them: `metadata` in place of what they had; without it they have none. "
                + "Of several renditions those before one that is missing are changed.",
            target + request, role: .put, requests: .target, result: "`{changed}`", errors: [.cacheMiss, .invalidURL, .denied, .storeFailed, .unavailable]),
        MethodDescription(
            "cache.remove", "Forgets an image, or all renditions of a request and its source; in the memory of all coordinators.",
            target + [tier] + request, role: .put, requests: .target, result: "`{removed, bytes}`", errors: [.invalidURL, .denied, .storeFailed, .unavailable]),
        MethodDescription(
            "cache.pin",
            "Spares results, until their time is over, where the folder of the store exceeds its limits of bytes, number or free disk: as many as maxPinned "
                + "of its URL has room for, those read last before others. Stores of other kinds take nothing away before its time.",
            target + request, role: .put, requests: .target, result: "`{pinned}`: how many are in the store", errors: [.invalidURL, .denied, .storeFailed]),
        MethodDescription(
            "cache.unpin", "Spares results no longer.", target + request, role: .put, requests: .target,
            result: "`{unpinned}`: how many are in the store", errors: [.invalidURL, .denied, .storeFailed]),
        MethodDescription(
            "cache.trim", "Forgets what is over and what the limits do not allow, as each tier also does by itself.", [tier], role: .admin,
            result: "`{removed, bytes}`",
            errors: [.storeFailed]),
        MethodDescription(
            "cache.clear", "Empties a tier, or all; the memory of all coordinators.", [tier], role: .admin, result: "`{removed, bytes}`",
            errors: [.storeFailed, .unavailable]),
        MethodDescription(
            "cache.stats",
            "How much each tier holds. Pictures that nobody keeps, and that lie there for their URL alone, do not count; in an S3 bucket they do, until `cache.trim`.",
            [tier], role: .admin,
            result: "`{tier: {count, bytes, capacity}}`", errors: [.storeFailed]),
    ]
}
