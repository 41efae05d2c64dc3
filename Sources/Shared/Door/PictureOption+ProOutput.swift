import TintypeImages

extension PictureOption {
    /// Options of imgproxy Pro for the source, the file and the caches that have something like it here.
    static let proOutputs: [PictureOption] = [
        PictureOption(
            "autoquality", ["aq"], isPro: true,
            [
                OptionArgument("method", .word(PictureOptions.Autoquality.Method.allCases.map(\.rawValue))),
                OptionArgument("target", .number(0...1_000_000_000)), OptionArgument("min quality", .integer(0...100)),
                OptionArgument("max quality", .integer(1...100)), OptionArgument("allowed error", .number(0...1)),
            ],
            becomes: "size is `output.maxBytes`, and its `max_quality` is `output.quality`; dssim and ml search for the `output.likeness` 1 - 2 · DSSIM"
        ) { options, values throws(DoorRefusal) in
            let old = options.autoquality
            let read = PictureOptions.Autoquality(
                method: values.text(0).flatMap { PictureOptions.Autoquality.Method(rawValue: $0) } ?? old.method, target: values.number(1) ?? old.target,
                least: values.int(2) ?? old.least, most: values.int(3) ?? old.most, allowedError: values.number(4) ?? old.allowedError)
            if read.method == .size, read.target ?? 0 < 1 { throw .wrongArgument("the method size needs a target of at least 1 byte") }
            options.autoquality = read
        },
        PictureOption(
            "jpeg_options", ["jpgo"], isPro: true,
            [
                OptionArgument("progressive", .flag), OptionArgument("no subsample", .flag), OptionArgument("trellis quant", .word(off)),
                OptionArgument("overshoot deringing", .word(off)), OptionArgument("optimize scans", .word(off)), OptionArgument("quant table", .word(["0"])),
            ], becomes: "`output.progressive` and `output.subsampling` of a named jpeg; the others must be off"
        ) { options, values in
            options.isProgressive = values.flag(0) ?? options.isProgressive
            options.keepsColors = values.flag(1) ?? options.keepsColors
        },
        PictureOption(
            "png_options", ["pngo"], isPro: true,
            [OptionArgument("interlaced", .flag), OptionArgument("quantize", .flag), OptionArgument("colors", .integer(256...256))],
            becomes: "`output.progressive` of a named png, and `output.palette` of 256 colors"
        ) { options, values in
            options.isInterlaced = values.flag(0) ?? options.isInterlaced
            options.isPalette = values.flag(1) ?? options.isPalette
        },
        PictureOption(
            "webp_options", ["webpo"], isPro: true,
            [
                OptionArgument("compression", .word(["lossy", "near_lossless", "lossless"])), OptionArgument("smart subsample", .word(off)),
                OptionArgument("preset", .word(["default"])),
            ], becomes: "`output.lossless` of a named webp; the others must be off or `default`"
        ) { options, values in options.webpCompression = values.text(0) ?? options.webpCompression },
        PictureOption(
            "avif_options", ["avifo"], isPro: true,
            [OptionArgument("subsample", .word(PictureOptions.Subsampling.allCases.map(\.rawValue)))],
            becomes: "`output.subsampling` of a named avif; `auto` keeps all colors from the quality 90 on"
        ) { options, values in options.avifSubsampling = values.text(0).flatMap { PictureOptions.Subsampling(rawValue: $0) } ?? options.avifSubsampling },
        PictureOption("page", ["pg"], isPro: true, sets: \.page, "page", .integer(0...65535), becomes: "`decode.page`"),
        PictureOption("disable_animation", ["da"], isPro: true, sets: \.disablesAnimation, "disable", .flag, becomes: "`decode.frames: \"first\"`"),
        PictureOption(
            "fallback_image_url", ["fiu"], isPro: true, [OptionArgument("url", .base64)], becomes: "`fallback.url`"
        ) { options, values in options.fallbackURL = values.text(0) },
        PictureOption("bypass_cache", ["bc"], isPro: true, sets: \.bypassesCache, "bypass", .flag, isOperators: true, becomes: "`cache.policy: \"reload\"`"),
        PictureOption(
            "cache_tags", ["ct"], isPro: true, [OptionArgument("tag", .text)], repeats: 1, needsSignature: true,
            becomes: "`cache.tags` and the header field `Cache-Tag`, beside the tags of presets; only in presets and signed URLs"
        ) { options, values throws(DoorRefusal) in
            var tags: [String] = []
            for tag in values.texts(from: 0) where !tag.isEmpty && !tags.contains(tag) {
                guard CacheTag.isTag(tag) else { throw .wrongArgument("the tag must have 1 to \(CacheTag.longest) of [A-Za-z0-9._~-]") }
                guard tags.count < CacheTag.most - 1 else { throw .wrongArgument("a picture has at most \(CacheTag.most - 1) tags") }
                tags.append(tag)
            }
            options.cacheTags = tags
        },
    ]

    private static let off = ["0", "f", "false"]
}
