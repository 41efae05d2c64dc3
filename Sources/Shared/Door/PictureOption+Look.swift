import TintypeImages

extension PictureOption {
    private static let sigma = MemberType<Double>.number(0...1000)

    /// Options of turns, colors and filters.
    static let looks: [PictureOption] = [
        PictureOption("auto_rotate", ["ar"], sets: \.autoRotates, "auto rotate", .flag, becomes: "`autorotate`"),
        PictureOption("rotate", ["rot"], [OptionArgument("angle", .integer(-3600...3600), required: true)], becomes: "`rotate`, before `crop` and `resize`") {
            options, values throws(DoorRefusal) in
            let angle = values.int(0) ?? 0
            guard angle % 90 == 0 else { throw .wrongArgument("the angle must be a multiple of 90") }
            options.angle = angle
        },
        PictureOption(
            "flip", ["fl"], [OptionArgument("horizontal", .flag), OptionArgument("vertical", .flag)], becomes: "`flip`, behind `rotate`"
        ) { options, values in
            options.flipsAcross = values.flag(0) ?? false
            options.flipsDown = values.flag(1) ?? false
        },
        PictureOption(
            "background", ["bg"], [OptionArgument("red", .text), OptionArgument("green", .integer(0...255)), OptionArgument("blue", .integer(0...255))],
            becomes: "`background`, and the color of padding and canvases; the first argument may be a hexadecimal color"
        ) { options, values throws(DoorRefusal) in options.background = try background(values) },
        PictureOption("blur", ["bl"], sets: \.blur, "sigma", sigma, becomes: "`blur.sigma`; 0 is none"),
        PictureOption("sharpen", ["sh"], sets: \.sharpen, "sigma", sigma, becomes: "`sharpen.sigma`; 0 is none"),
        PictureOption("pixelate", ["pix"], sets: \.pixelate, "size", .integer(0...16384), becomes: "`pixelate.size`; 0 and 1 are none"),
        PictureOption(
            "watermark", ["wm"],
            [
                OptionArgument("opacity", .number(0...1), required: true), OptionArgument("position", .word(anchorNames + ["re", "ch"])),
                OptionArgument("x", .number(-1_000_000...1_000_000)), OptionArgument("y", .number(-1_000_000...1_000_000)),
                OptionArgument("scale", .number(0...1000)),
            ], becomes: "`composite` of the operator's picture, last of all but `max_result_dimension`; with `re`, `x` and `y` are the gaps of `tile`"
        ) { options, values in
            let position = values.text(1)
            options.watermark = PictureOptions.Watermark(
                opacity: values.number(0) ?? 0, anchor: position == "re" || position == "ch" ? nil : position.flatMap { anchors[$0] } ?? .center,
                x: values.number(2) ?? 0,
                y: values.number(3) ?? 0, scale: values.number(4) ?? 0, isChess: position == "ch")
        },
    ]

    private static func background(_ values: OptionValues) throws(DoorRefusal) -> Color? {
        guard let first = values.text(0) else {
            guard values.values.allSatisfy({ $0 == nil }) else { throw .wrongArgument("the red of the background is missing") }
            return nil
        }
        if values[1] == nil, values[2] == nil {
            guard case .color(let color) = OptionType.color.read(first) else {
                throw .wrongArgument("the background must be \(OptionType.color.expectation), or red, green and blue from 0 to 255")
            }
            return color
        }
        guard case .int(let red) = OptionType.integer(0...255).read(first), let green = values.int(1), let blue = values.int(2) else {
            throw .wrongArgument("a background of channels needs red, green and blue, each from 0 to 255")
        }
        return Color(red: UInt8(red), green: UInt8(green), blue: UInt8(blue))
    }
}
