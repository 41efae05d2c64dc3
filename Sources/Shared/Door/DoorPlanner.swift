import TintypeCore
import TintypeImages

/// Makes a request of options and a source. A pure value.
///
/// The steps have the order of imgproxy's pipeline, whatever the order in the URL. Sizes mean the turned picture, so turns come first.
package struct DoorPlanner: Sendable {
    let options: PictureOptions
    let policy: DoorPolicy
    let accept: AcceptClass
    /// Whether the URL has a signature. Without one its maker is a stranger.
    private let isSigned: Bool
    /// The headers of hints that count for the picture.
    private let hinted: [String]

    package init(_ options: PictureOptions, _ policy: DoorPolicy, accept: AcceptClass, hints: ClientHints, isSigned: Bool) {
        var completed = options
        if policy.heedsHints { hints.apply(to: &completed) }
        hinted = policy.heedsHints ? ClientHints.names(for: options) : []
        (self.options, self.policy, self.accept, self.isSigned) = (completed, policy, accept, isSigned)
    }

    /// - Parameters:
    ///   - source: the URL of the source.
    ///   - now: seconds since 1970.
    /// - Throws: `expired`, `notAllowed`, `notSupported`.
    package func plan(_ source: String, now: Int) throws(DoorRefusal) -> DoorPlan {
        if let end = options.expires, now >= end {
            throw DoorRefusal(.expired, option: "expires", "the URL was good until \(end), in seconds since 1970; ask for a new one")
        }
        try SourceRefusal.checkUpload(source)
        try SourceRefusal.checkUpload(options.watermarkURL, option: "watermark_url")
        try SourceRefusal.checkUpload(options.fallbackURL, option: "fallback_image_url")
        var request: JSONObject = ["url": .string(source)]
        if options.isRaw {
            request["as"] = "bytes"
        } else {
            if let gap = DoorGap.all.first(where: { $0.isAsked(options) }) { throw gap.refusal }
            let steps = try transform()
            if !steps.isEmpty { request["transform"] = .array(steps) }
            request["output"] = .object(output(accept))
            let decode = decode()
            if !decode.isEmpty { request["decode"] = .object(decode) }
        }
        if options.maxSourceBytes > 0 { request["fetch"] = ["maxBytes": JSON(options.maxSourceBytes)] }
        // A tag that is named twice is there once. A text that is no tag only makes another URL. So does every text of an unsigned URL. A tag is a key in
        // Redis for a month, and strangers must not make such keys at will.
        let named = options.tags + options.cacheTags.filter { !options.tags.contains($0) }
        guard named.count < CacheTag.most else {
            throw DoorRefusal(.wrongArgument, option: "cache_tags", "a picture has at most \(CacheTag.most - 1) tags, with those of presets; name fewer")
        }
        let tags = named + [options.cacheBuster].filter { isSigned && CacheTag.isTag($0) && !named.contains($0) }
        var cache = JSONObject()
        if options.bypassesCache { cache["policy"] = "reload" }
        if !tags.isEmpty { cache["tags"] = .array(tags.map { .string($0) }) }
        if !cache.isEmpty { request["cache"] = .object(cache) }
        if let url = options.fallbackURL { request["fallback"] = ["url": .string(url)] }
        request["queue"] = options.queue.map { .string($0) }
        request["priority"] = options.priority.map { JSON($0) }
        return DoorPlan(
            request: request, quick: quick(request), filename: options.filename, isAttachment: options.isAttachment, expires: options.expires, tags: tags,
            isSigned: isSigned, varies: (!policy.detected.isEmpty && !options.isRaw && options.format == nil ? ["Accept"] : []) + hinted)
    }

    /// The same request without the slow format of the class. A request that bypasses the caches never finds the better picture, so it gets that at once.
    private func quick(_ request: JSONObject) -> DoorPlan.Quick? {
        guard policy.isQuickFirst, !options.isRaw, options.format == nil, !options.bypassesCache, let slow = accept.slow else { return nil }
        var request = request
        request["output"] = .object(output(accept.quick))
        return DoorPlan.Quick(request: request, next: slow)
    }

    private func decode() -> JSONObject {
        JSONObject(present: [
            "frames": .when(options.disablesAnimation || options.maxFrames == 1, "first"), "page": .when(options.page > 0, JSON(options.page)),
            "thumbnail": .when(options.enforcesThumbnail, true),
            "maxPixels": .when(options.maxSourceResolution > 0, Self.pixels(options.maxSourceResolution)),
            "maxFramePixels": .when(options.maxFrameResolution > 0, Self.pixels(options.maxFrameResolution)),
        ])
    }

    private static func pixels(_ megapixels: Double) -> JSON { JSON(max(1, Int(min(megapixels * 1_000_000, 1e15)))) }

    /// - Parameter accept: the class of the client, which counts if the options name no format.
    private func output(_ accept: AcceptClass) -> JSONObject {
        var object = JSONObject()
        if let format = options.format {
            object["format"] = .string(format.rawValue)
        } else if accept != .none {
            object["format"] = "auto"
            object["accept"] = .array((accept.formats + [.png, .jpeg, .gif]).map { .string($0.rawValue) })
        }
        let sizeLimit = options.autoquality.method == .size ? options.autoquality.target.map { Int($0.rounded(.down)) } : nil
        let highest = sizeLimit == nil ? nil : options.autoquality.most
        let quality = highest ?? (options.quality > 0 ? options.quality : options.format.flatMap { options.formatQualities[$0] } ?? 0)
        if !options.keptFormats.isEmpty { object["keep"] = .array(options.keptFormats.map { .string($0.rawValue) }) }
        if let dssim = options.soughtDSSIM {
            object["quality"] = "auto"
            // DSSIM is (1 - SSIM) / 2. Rounded, so that one number has one key.
            object["likeness"] = JSON(((1 - 2 * dssim) * 1_000_000).rounded() / 1_000_000)
        } else if quality > 0 {
            object["quality"] = JSON(quality)
        }
        let qualities = options.formatQualities.filter { OutputOptions().quality(in: $0.key) != nil }.sorted { $0.key.rawValue < $1.key.rawValue }
        if object["quality"] == nil, options.format == nil, !qualities.isEmpty {
            object["qualities"] = .object(JSONObject(qualities.map { ($0.key.rawValue, JSON($0.value)) }))
        }
        let maxBytes = options.maxBytes > 0 && [nil, .jpeg, .webp, .heif].contains(options.format) ? options.maxBytes : nil
        object["maxBytes"] = [maxBytes, sizeLimit].compactMap { $0 }.min().map { JSON($0) }
        let format = options.format
        if format == .jpeg && options.isProgressive || format == .png && options.isInterlaced { object["progressive"] = true }
        if format == .webp, options.webpCompression == "lossless" { object["lossless"] = true }
        let isFullAVIF = options.avifSubsampling == .auto ? quality >= PictureOptions.fullColorQuality : options.avifSubsampling == .off
        if format == .jpeg && options.keepsColors || format == .avif && isFullAVIF { object["subsampling"] = "4:4:4" }
        if options.isPalette { object["palette"] = true }
        if !options.stripsMetadata { object["metadata"] = "all" } else if options.keepsCopyright { object["metadata"] = "copyright" }
        if !options.stripsProfile { object["icc"] = "keep" }
        return object
    }
}
