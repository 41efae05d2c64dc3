import TintypeImages

extension PictureOption {
    /// Options of imgproxy Pro for pixels that have an operation here.
    static let proLooks: [PictureOption] = [
        PictureOption(
            "resizing_algorithm", ["ra"], isPro: true,
            [OptionArgument("algorithm", .word(["nearest", "linear", "cubic", "lanczos2", "lanczos3"]), required: true)], becomes: "`resize.kernel`"
        ) { options, values in options.kernel = values.text(0).flatMap { Resize.Kernel(rawValue: $0) } ?? .lanczos3 },
        PictureOption(
            "crop_aspect_ratio", ["crop_ar", "car"], isPro: true,
            [OptionArgument("aspect ratio", .number(0...1000), required: true), OptionArgument("enlarge", .flag)],
            becomes: "the sides of `crop`, and a `resize` with `coverDown` that cuts the rest"
        ) { options, values in options.cropAspect = PictureOptions.CropAspect(ratio: values.number(0) ?? 0, enlarges: values.flag(1) ?? false) },
        PictureOption("background_alpha", ["bga"], isPro: true, sets: \.backgroundAlpha, "alpha", .number(0...1), becomes: "the alpha of `background`"),
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
            "brightness", ["br"], isPro: true, sets: \.brightness, "brightness", .integer(-255...255),
            becomes: "`tint` with `plusLighter` or `plusDarker`: the number is added to each color"),
        PictureOption("contrast", ["co"], isPro: true, sets: \.contrast, "contrast", .number(0...10), becomes: "`modulate.contrast`"),
        PictureOption("saturation", ["sa"], isPro: true, sets: \.saturation, "saturation", .number(0...10), becomes: "`modulate.saturation`"),
        PictureOption(
            "monochrome", ["mc"], isPro: true, [OptionArgument("intensity", .number(0...1), required: true), OptionArgument("color", .color)],
            becomes: "`tint` with the blend `color`, and the intensity as its alpha; without a color gray"
        ) { options, values in options.monochrome = PictureOptions.Monochrome(intensity: values.number(0) ?? 0, color: values.color(1)) },
        PictureOption(
            "duotone", ["dt"], isPro: true,
            [OptionArgument("intensity", .number(0...1), required: true), OptionArgument("color1", .color), OptionArgument("color2", .color)],
            becomes: "`duotone`, with the intensity as `amount`"
        ) { options, values in
            options.duotone = PictureOptions.Duotone(intensity: values.number(0) ?? 0, shadow: values.color(1), highlight: values.color(2))
        },
        PictureOption(
            "colorize", ["col"], isPro: true,
            [OptionArgument("opacity", .number(0...1), required: true), OptionArgument("color", .color), OptionArgument("keep alpha", .flag)],
            becomes: "`composite` of a color before canvases and padding, or with `keep_alpha` `tint`"
        ) { options, values in
            options.overlay = PictureOptions.Overlay(opacity: values.number(0) ?? 0, color: values.color(1), keepsAlpha: values.flag(2) ?? false)
        },
        PictureOption(
            "watermark_url", ["wmu"], isPro: true, [OptionArgument("url", .base64)], becomes: "`composite.url`, where `watermark` has an opacity"
        ) { options, values in options.watermarkURL = values.text(0) },
        PictureOption(
            "watermark_text", ["wmt"], isPro: true, [OptionArgument("text", .base64)], becomes: "`text` of 16 pixels, where `watermark` has an opacity"
        ) { options, values in options.watermarkText = values.text(0) },
        PictureOption("watermark_rotate", ["wm_rot", "wmr"], isPro: true, sets: \.watermarkAngle, "angle", .number(-3600...3600), becomes: "`text.angle`"),
    ]
}
