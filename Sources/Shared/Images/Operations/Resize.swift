package import TintypeCore

/// Changes the size. One given side keeps the proportions; with both sides, `fit` decides.
package struct Resize: ImageOperation {
    package enum Fit: String, Sendable, CaseIterable, Hashable { case contain, cover, coverDown, auto, fill, inside, outside, none }
    package enum Kernel: String, Sendable, CaseIterable, Hashable { case nearest, linear, cubic, mitchell, lanczos2, lanczos3 }

    /// The size of the result in pixels, with `dpr` included.
    package var width: Int?
    package var height: Int?
    /// The least sides of the scaled picture in pixels, with `dpr` included.
    package var minWidth: Int?
    package var minHeight: Int?
    /// The factors on the size of the box, or of the picture.
    package var scale = Factors()
    /// The device pixels for each pixel of all other sizes, with the arithmetic of imgproxy; nil: the sizes have them already.
    package var density: Double?
    package var fit: Fit
    package var gravity: Gravity
    package var enlarge: Bool
    package var background: Color
    package var kernel: Kernel = .lanczos3
    /// Whether to average light instead of encoded values.
    package var isLinear = false

    package struct Factors: Sendable, Hashable {
        package var x = 1.0
        package var y = 1.0
        package init(x: Double = 1, y: Double = 1) { (self.x, self.y) = (x, y) }
    }

    package init(
        width: Int?, height: Int?, fit: Fit = .inside, gravity: Gravity = .center, enlarge: Bool = false, background: Color = .transparent
    ) {
        (self.width, self.height, self.fit) = (width, height, fit)
        (self.gravity, self.enlarge, self.background) = (gravity, enlarge, background)
    }

    package static let description = OperationDescription(
        name: "resize",
        summary: "Changes the size. With one side given, the other follows. Never enlarges without `enlarge`. A side or a scale is given.",
        parameters: [
            ParameterDescription("width", .integer(1...16384), "The width of the box in pixels."),
            ParameterDescription("height", .integer(1...16384), "The height of the box in pixels."),
            ParameterDescription(
                "minWidth", .integer(1...16384),
                "The least width of the scaled picture in pixels. A given width or height then cuts, except with outside."),
            ParameterDescription("minHeight", .integer(1...16384), "The least height of the scaled picture."),
            ParameterDescription("dpr", .number(0.1...8), default: 1, "Device pixels for each pixel of width, height, minWidth and minHeight."),
            ParameterDescription(
                "scale",
                .union([
                    .number(0.01...100),
                    .object([
                        ParameterDescription("width", .number(0.01...100), required: true, "The factor of the width."),
                        ParameterDescription("height", .number(0.01...100), required: true, "The factor of the height."),
                    ]),
                ]), default: 1,
                "The factor on the box, or without a box on the picture's own size."),
            ParameterDescription(
                "density", .number(0.01...100),
                "As `dpr`, by [imgproxy's arithmetic](imgproxy.md#sizes)."),
            ParameterDescription(
                "fit", .choice(Fit.allCases.map(\.rawValue)), default: "inside",
                "How the picture gets the size. `inside`: as large as fits into the box. `outside`: as small as covers the box. `contain`: inside, on a "
                    + "canvas of the box's size. `cover`: fills the box; the overlap is cut off. `coverDown`: as cover, but a picture smaller than the box is "
                    + "cut to the box's shape. `auto`: cover if the picture and the box both stand or both lie, else inside. `fill`: stretched to the box. "
                    + "`none`: not scaled, but cut and put on a canvas."),
            ParameterDescription(
                "gravity", Gravity.parameter, default: "center",
                "The part to keep, or the place on the canvas. `attention` and `entropy` find a part to keep."
            ),
            ParameterDescription("enlarge", .boolean, default: false, "Whether a smaller picture is enlarged."),
            ParameterDescription(
                "background", Color.parameter, default: "transparent",
                "The color behind the picture; for resize, on the free canvas of contain and none. Formats without alpha show it on white."),
            ParameterDescription(
                "kernel", .choice(Kernel.allCases.map(\.rawValue)), default: "lanczos3",
                "The weights of pixels when a picture becomes smaller. Enlarging is bicubic, except with nearest and linear."),
            ParameterDescription(
                "linear", .boolean, default: false, "Averages light instead of encoded values: slower, but right for fine bright detail."),
        ])

    package init(_ json: JSON, at path: String) throws(TintypeError) {
        let dpr = json["dpr"]?.double ?? 1
        func side(_ name: String) throws(TintypeError) -> Int? {
            guard let length = json[name]?.int else { return nil }
            let pixels = max(1, Int((Double(length) * dpr).rounded()))
            guard pixels <= 16384 else { throw .invalidParams(path: path + ".dpr", value: json["dpr"], expected: "\(name) times dpr of at most 16384") }
            return pixels
        }
        self.init(
            width: try side("width"), height: try side("height"), fit: json["fit"]?.string.flatMap { Fit(rawValue: $0) } ?? .inside,
            gravity: Gravity(json["gravity"]) ?? .center, enlarge: json["enlarge"]?.bool ?? false, background: Color(json["background"]) ?? .transparent)
        kernel = json["kernel"]?.string.flatMap { Kernel(rawValue: $0) } ?? .lanczos3
        isLinear = json["linear"]?.bool ?? false
        minWidth = try side("minWidth")
        minHeight = try side("minHeight")
        density = json["density"]?.double
        let factor = json["scale"]?.double
        scale = Factors(x: factor ?? json["scale"]?["width"]?.double ?? 1, y: factor ?? json["scale"]?["height"]?.double ?? 1)
        if fit == .none, width == nil, height == nil {
            throw .invalidParams(path: path + ".width", value: nil, expected: "a width or a height, for the fit none")
        }
        guard width != nil || height != nil || minWidth != nil || minHeight != nil || json["scale"].map({ !$0.isNull }) ?? false else {
            throw .invalidParams(path: path + ".width", value: nil, expected: "a width, a height, a minWidth, a minHeight or a scale")
        }
    }

    /// Whether a least side is given.
    package var hasLeastSide: Bool { minWidth != nil || minHeight != nil }

    /// The fit that counts. With less than two sides a picture keeps its shape. Only `outside` differs, where a least side exceeds the given one.
    package var effectiveFit: Fit {
        fit == .none || width != nil && height != nil || fit == .outside && hasLeastSide && (width != nil || height != nil) ? fit : .inside
    }

    package var canonical: JSON? {
        var object: JSONObject = ["op": "resize"]
        object["width"] = width.map { JSON($0) }
        object["height"] = height.map { JSON($0) }
        if fit != .none {
            if enlarge { object["enlarge"] = true }
            if kernel != .lanczos3 { object["kernel"] = .string(kernel.rawValue) }
            // nearest averages nothing.
            if isLinear, kernel != .nearest { object["linear"] = true }
            object["minWidth"] = minWidth.map { JSON($0) }
            object["minHeight"] = minHeight.map { JSON($0) }
            if scale != Factors() { object["scale"] = scale.x == scale.y ? JSON(scale.x) : ["width": JSON(scale.x), "height": JSON(scale.y)] }
            object["density"] = density.map { JSON($0) }
        }
        if fit != .none, width == nil, height == nil, !hasLeastSide, scale == Factors(), density ?? 1 == 1 { return nil }
        let fit = effectiveFit
        // With less than two sides, every fit that scales means the same.
        if fit != .inside || width != nil && height != nil { object["fit"] = .string(fit.rawValue) }
        // contain only distributes free space, so a point and the place of that name are equal.
        let gravity = fit == .contain ? gravity.namedPlace : gravity.namedCorner
        let cuts = [.cover, .coverDown, .auto, .none].contains(fit) || hasLeastSide && (width != nil || height != nil) && fit != .outside
        if cuts || (fit == .contain && gravity != .attention && gravity != .entropy), gravity != .center {
            object["gravity"] = gravity.json
        }
        if fit == .contain || fit == .none, background.alpha != 0 { object["background"] = .string(background.canonical) }
        return .object(object)
    }
}
