import TintypeImages

extension PictureOption {
    /// Options of imgproxy Pro that have an operation here.
    static let pro: [PictureOption] = [
        PictureOption(
            "resizing_algorithm", ["ra"], isPro: true,
            [OptionArgument("algorithm", .word(["nearest", "linear", "cubic", "lanczos2", "lanczos3"]), required: true)], becomes: "`resize.kernel`"
        ) { options, values in options.kernel = values.text(0).flatMap { Resize.Kernel(rawValue: $0) } ?? .lanczos3 },
        PictureOption(
            "background_alpha", ["bga"], isPro: true, [OptionArgument("alpha", .number(0...1), required: true)], becomes: "the alpha of `background`"
        ) { options, values in options.backgroundAlpha = values.number(0) ?? 1 },
        PictureOption(
            "adjust", ["a"], isPro: true,
            [
                OptionArgument("brightness", .integer(-255...255)), OptionArgument("contrast", .number(0...10)), OptionArgument("saturation", .number(0...10)),
            ], becomes: "`brightness`, `contrast` and `saturation` in one"
        ) { options, values in
            options.brightness = values.int(0) ?? options.brightness
            options.contrast = values.number(1) ?? options.contrast
            options.saturation = values.number(2) ?? options.saturation
        },
        PictureOption(
            "brightness", ["br"], isPro: true, [OptionArgument("brightness", .integer(-255...255), required: true)],
            becomes: "nothing: `modulate.brightness` is a factor"
        ) { options, values in options.brightness = values.int(0) ?? 0 },
        PictureOption(
            "contrast", ["co"], isPro: true, [OptionArgument("contrast", .number(0...10), required: true)], becomes: "`modulate.contrast`"
        ) { options, values in options.contrast = values.number(0) ?? 1 },
        PictureOption(
            "saturation", ["sa"], isPro: true, [OptionArgument("saturation", .number(0...10), required: true)], becomes: "`modulate.saturation`"
        ) { options, values in options.saturation = values.number(0) ?? 1 },
        PictureOption(
            "duotone", ["dt"], isPro: true,
            [OptionArgument("intensity", .number(0...1), required: true), OptionArgument("color1", .color), OptionArgument("color2", .color)],
            becomes: "`duotone`, with the intensity 1"
        ) { options, values in
            options.duotone = PictureOptions.Duotone(intensity: values.number(0) ?? 0, shadow: values.color(1), highlight: values.color(2))
        },
        PictureOption(
            "watermark_url", ["wmu"], isPro: true, [OptionArgument("url", .base64)], becomes: "`composite.url`, where `watermark` has an opacity"
        ) { options, values in options.watermarkURL = values.text(0) },
        PictureOption(
            "watermark_text", ["wmt"], isPro: true, [OptionArgument("text", .base64)], becomes: "`text` of 16 pixels, where `watermark` has an opacity"
        ) { options, values in options.watermarkText = values.text(0) },
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
            [OptionArgument("interlaced", .word(off)), OptionArgument("quantize", .flag), OptionArgument("colors", .integer(256...256))],
            becomes: "`output.palette` of 256 colors; `interlaced` must be off"
        ) { options, values in options.isPalette = values.flag(1) ?? options.isPalette },
        PictureOption(
            "page", ["pg"], isPro: true, [OptionArgument("page", .integer(0...65535), required: true)], becomes: "`decode.page`"
        ) { options, values in options.page = values.int(0) ?? 0 },
        PictureOption(
            "disable_animation", ["da"], isPro: true, [OptionArgument("disable", .flag, required: true)], becomes: "`decode.frames: \"first\"`"
        ) { options, values in options.disablesAnimation = values.flag(0) ?? false },
        PictureOption(
            "fallback_image_url", ["fiu"], isPro: true, [OptionArgument("url", .base64)], becomes: "`fallback.url`"
        ) { options, values in options.fallbackURL = values.text(0) },
        PictureOption(
            "bypass_cache", ["bc"], isPro: true, [OptionArgument("bypass", .flag, required: true)], isOperators: true,
            becomes: "`cache.policy: \"reload\"`"
        ) { options, values in options.bypassesCache = values.flag(0) ?? false },
    ]

    private static let off = ["0", "f", "false"]

    /// Options of imgproxy Pro without anything like them here.
    static let unread: [PictureOption] = [
        PictureOption(unread: "objects_position", ["obj_pos", "op"]), PictureOption(unread: "crop_aspect_ratio", ["crop_ar", "car"]),
        PictureOption(unread: "monochrome", ["mc"]), PictureOption(unread: "unsharp_masking", ["ush"]), PictureOption(unread: "blur_areas", ["ba"]),
        PictureOption(unread: "progressive_blur", ["pbl"]), PictureOption(unread: "blur_detections", ["bd"]),
        PictureOption(unread: "draw_detections", ["dd"]), PictureOption(unread: "crop_objects"), PictureOption(unread: "colorize", ["col"]),
        PictureOption(unread: "gradient", ["gr"]), PictureOption(unread: "watermark_size", ["wms"]),
        PictureOption(unread: "watermark_rotate", ["wm_rot", "wmr"]), PictureOption(unread: "watermark_shadow", ["wmsh"]),
        PictureOption(unread: "style", ["st"]), PictureOption(unread: "dpi"), PictureOption(unread: "color_profile", ["cp", "icc"]),
        PictureOption(unread: "autoquality", ["aq"]), PictureOption(unread: "webp_options", ["webpo"]), PictureOption(unread: "avif_options", ["avifo"]),
        PictureOption(unread: "pages", ["pgs"]), PictureOption(unread: "video_thumbnail_second", ["vts"]),
        PictureOption(unread: "video_thumbnail_keyframes", ["vtk"]), PictureOption(unread: "video_thumbnail_tile", ["vtt"]),
        PictureOption(unread: "video_thumbnail_animation", ["vta"]), PictureOption(unread: "cache_tags", ["ct"]), PictureOption(unread: "hashsum", ["hs"]),
    ]
}
