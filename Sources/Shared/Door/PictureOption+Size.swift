import TintypeImages

extension PictureOption {
    private static let length = MemberType<Int>.integer(0...1_000_000)
    private static let side = length.type
    private static let pixels = OptionType.number(0...1_000_000)
    private static let offset = OptionType.number(-1_000_000...1_000_000)
    private static let factor = OptionType.number(0...1000)

    /// The nine places of imgproxy.
    static let anchors: [String: Gravity] = [
        "no": .top, "so": .bottom, "ea": .right, "we": .left, "noea": .topRight, "nowe": .topLeft, "soea": .bottomRight, "sowe": .bottomLeft, "ce": .center,
    ]
    static let anchorNames = ["no", "so", "ea", "we", "noea", "nowe", "soea", "sowe", "ce"]

    private static let gravityArguments = [
        OptionArgument("type", .word(anchorNames + ["sm", "fp"])), OptionArgument("x", offset), OptionArgument("y", offset),
    ]
    private static let canvasArguments = [
        OptionArgument("extend", .flag), OptionArgument("gravity", .word(anchorNames + ["fp"])), OptionArgument("x", offset), OptionArgument("y", offset),
    ]

    /// Options of size and place.
    static let sizes: [PictureOption] = [
        PictureOption(
            "resize", ["rs"], [OptionArgument("resizing type", .word(PictureOptions.ResizingType.allCases.map(\.rawValue)))] + sizeArguments,
            becomes: "`resizing_type`, `width`, `height`, `enlarge` and `extend` in one"
        ) { options, values throws(DoorRefusal) in
            resizingType(&options, values)
            try size(&options, values.dropping(1))
        },
        PictureOption("size", ["s"], sizeArguments, becomes: "`width`, `height`, `enlarge` and `extend` in one", change: size),
        PictureOption(
            "resizing_type", ["rt"], [OptionArgument("resizing type", .word(PictureOptions.ResizingType.allCases.map(\.rawValue)), required: true)],
            becomes: "`resize` with `fit`: fit is `inside`, fill `cover`, fill-down `coverDown`, auto `auto`, force `fill`"
        ) { options, values throws(DoorRefusal) in resizingType(&options, values) },
        PictureOption("width", ["w"], sets: \.width, "width", length, becomes: "`resize.width`"),
        PictureOption("height", ["h"], sets: \.height, "height", length, becomes: "`resize.height`"),
        PictureOption("min-width", ["mw"], sets: \.minWidth, "width", length, becomes: "`resize.minWidth`, with `density`"),
        PictureOption("min-height", ["mh"], sets: \.minHeight, "height", length, becomes: "`resize.minHeight`, with `density`"),
        PictureOption(
            "zoom", ["z"], [OptionArgument("zoom", factor, required: true), OptionArgument("zoom y", factor)],
            becomes: "a factor of `resize.width` and `.height`, or `resize.scale`"
        ) { options, values throws(DoorRefusal) in
            let x = try positive(values.number(0) ?? 1)
            (options.zoomX, options.zoomY) = (x, try positive(values.number(1) ?? x))
        },
        PictureOption(
            "dpr", [], [OptionArgument("dpr", factor, required: true)],
            becomes: "a factor of sides, padding and offsets, except those of `crop`; or `resize.density` or `.scale`"
        ) {
            options, values throws(DoorRefusal) in (options.dpr, options.namesDPR) = (try positive(values.number(0) ?? 1), true)
        },
        PictureOption("enlarge", ["el"], sets: \.enlarges, "enlarge", .flag, becomes: "`resize.enlarge`"),
        PictureOption("extend", ["ex"], canvasArguments, becomes: "`pad` to width and height, behind the filters") { options, values throws(DoorRefusal) in
            options.extend = try canvas(options.extend, values)
        },
        PictureOption(
            "extend_aspect_ratio", ["extend_ar", "exar"], canvasArguments, becomes: "`pad.aspect` of width and height, behind the filters"
        ) { options, values throws(DoorRefusal) in options.extendRatio = try canvas(options.extendRatio, values) },
        PictureOption("gravity", ["g"], gravityArguments, becomes: "`gravity` of `resize` and `crop`, with offsets; `sm` is `attention`") {
            options, values throws(DoorRefusal) in
            if let placement = try placement(values) { options.gravity = placement }
        },
        PictureOption(
            "crop", ["c"],
            [OptionArgument("width", pixels), OptionArgument("height", pixels)] + gravityArguments, becomes: "`crop`, before everything but trim and turns"
        ) { options, values throws(DoorRefusal) in
            options.crop = PictureOptions.Crop(width: values.number(0) ?? 0, height: values.number(1) ?? 0, placement: try placement(values.dropping(2)))
        },
        PictureOption(
            "trim", ["t"],
            [
                OptionArgument("threshold", .number(0...255), required: true), OptionArgument("color", .color), OptionArgument("equal hor", .flag),
                OptionArgument("equal ver", .flag),
            ], becomes: "`trim`, with `symmetric`; the color ff00ff stands for transparent edges"
        ) { options, values in
            options.trim = PictureOptions.Trim(
                threshold: values.number(0) ?? 0, color: values.color(1), isEqualAcross: values.flag(2) ?? false, isEqualDown: values.flag(3) ?? false)
        },
        PictureOption(
            "padding", ["pd"], ["top", "right", "bottom", "left"].map { OptionArgument($0, side) }, becomes: "`extend`, behind the filters, times `dpr`"
        ) { options, values throws(DoorRefusal) in
            guard values.values.contains(where: { $0 != nil }) else { throw .wrongArgument("padding needs at least one number of pixels") }
            let top = values.int(0) ?? 0
            let right = values.int(1) ?? top
            options.padding = PictureOptions.Padding(top: top, right: right, bottom: values.int(2) ?? top, left: values.int(3) ?? right)
        },
    ]

    private static let sizeArguments = [OptionArgument("width", side), OptionArgument("height", side), OptionArgument("enlarge", .flag)] + canvasArguments

    private static func resizingType(_ options: inout PictureOptions, _ values: OptionValues) {
        options.resizingType = values.text(0).flatMap { PictureOptions.ResizingType(rawValue: $0) } ?? options.resizingType
    }

    @Sendable private static func size(_ options: inout PictureOptions, _ values: OptionValues) throws(DoorRefusal) {
        options.width = values.int(0) ?? options.width
        options.height = values.int(1) ?? options.height
        options.enlarges = values.flag(2) ?? options.enlarges
        options.extend = try canvas(options.extend, values.dropping(3))
    }

    private static func canvas(_ old: PictureOptions.Extension, _ values: OptionValues) throws(DoorRefusal) -> PictureOptions.Extension {
        PictureOptions.Extension(isOn: values.flag(0) ?? old.isOn, placement: try placement(values.dropping(1)) ?? old.placement)
    }

    /// Reads a gravity and its offsets; nil without one.
    private static func placement(_ values: OptionValues) throws(DoorRefusal) -> PictureOptions.Placement? {
        let (x, y) = (values.number(1), values.number(2))
        switch values.text(0) {
        case nil:
            guard x == nil, y == nil else { throw .wrongArgument("offsets need a type of gravity before them, such as ce") }
            return nil
        case "sm":
            guard x ?? 0 == 0, y ?? 0 == 0 else { throw .wrongArgument("the gravity sm has no offsets; leave them out") }
            return PictureOptions.Placement(.attention)
        case "fp":
            guard let x, let y, (0...1).contains(x), (0...1).contains(y) else {
                throw .wrongArgument("the gravity fp needs two numbers from 0 to 1 behind it, such as fp:0.5:0.3")
            }
            return PictureOptions.Placement(.point(x: x, y: y))
        case let name?: return PictureOptions.Placement(anchors[name] ?? .center, x: x ?? 0, y: y ?? 0)
        }
    }

    private static func positive(_ number: Double) throws(DoorRefusal) -> Double {
        guard number > 0 else { throw .wrongArgument("the factor must be greater than 0") }
        return number
    }
}
