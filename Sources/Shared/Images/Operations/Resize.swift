package import TintypeCore

/// Changes the size. Giving one side keeps the proportions; giving both, `fit` says how.
package struct Resize: ImageOperation {
    package enum Fit: String, Sendable, CaseIterable, Hashable { case contain, cover, fill, inside, outside, none }
    package enum Kernel: String, Sendable, CaseIterable, Hashable { case nearest, linear, cubic, mitchell, lanczos2, lanczos3 }

    /// In pixels of the result: `dpr` is already in it.
    package var width: Int?
    package var height: Int?
    package var fit: Fit
    package var gravity: Gravity
    package var enlarge: Bool
    package var background: Color
    package var kernel: Kernel = .lanczos3
    /// Whether light is averaged as light, not as the numbers that stand for it.
    package var isLinear = false

    package init(
        width: Int?, height: Int?, fit: Fit = .inside, gravity: Gravity = .center, enlarge: Bool = false, background: Color = .transparent
    ) {
        (self.width, self.height, self.fit) = (width, height, fit)
        (self.gravity, self.enlarge, self.background) = (gravity, enlarge, background)
    }

    package static let description = OperationDescription(
        name: "resize",
        summary: "Changes the size; with one side given the other follows. Never enlarges unless asked.",
        parameters: [
            ParameterDescription("width", .integer(1...16384), "The box's width in pixels."),
            ParameterDescription("height", .integer(1...16384), "The box's height in pixels."),
            ParameterDescription("dpr", .number(0.1...8), default: 1, "Pixels of the screen for each pixel of width and height."),
            ParameterDescription(
                "fit", .choice(Fit.allCases.map(\.rawValue)), default: "inside",
                "inside: as large as fits into the box; outside: as small as covers it; contain: inside, on a canvas of the box's size; "
                    + "cover: fills the box and cuts off what overlaps; fill: stretches to the box; none: not scaled, cut and put on a canvas."),
            ParameterDescription(
                "gravity", Gravity.parameter, default: "center",
                "What cover and none keep, and where contain and none put the picture: an anchor, attention or entropy, or a point in fractions."),
            ParameterDescription("enlarge", .boolean, default: false, "Whether a smaller picture is blown up."),
            ParameterDescription(
                "background", Color.parameter, default: "transparent", "The canvas of contain and none; formats without alpha get it on white."),
            ParameterDescription(
                "kernel", .choice(Kernel.allCases.map(\.rawValue)), default: "lanczos3",
                "How pixels are weighted where the picture becomes smaller. Enlarging is bicubic, but for nearest and linear."),
            ParameterDescription(
                "linear", .boolean, default: false, "Averages light instead of the numbers that stand for it: slower, right for fine bright detail."),
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
        guard width != nil || height != nil else {
            throw .invalidParams(path: path + ".width", value: nil, expected: "a width, a height or both")
        }
    }

    package var canonical: JSON? {
        var object: JSONObject = ["op": "resize"]
        object["width"] = width.map { JSON($0) }
        object["height"] = height.map { JSON($0) }
        if fit != .none {
            if enlarge { object["enlarge"] = true }
            if kernel != .lanczos3 { object["kernel"] = .string(kernel.rawValue) }
            // Nothing is averaged there.
            if isLinear, kernel != .nearest { object["linear"] = true }
        }
        // With one side every fit that scales means the same: until that side matches.
        guard (width != nil && height != nil) || fit == .none else { return .object(object) }
        object["fit"] = .string(fit.rawValue)
        // What only shares out the room that is left knows no difference between a point and the place of that name.
        let gravity = fit == .contain ? gravity.namedPlace : gravity.namedCorner
        if fit == .cover || fit == .none || (fit == .contain && gravity != .attention && gravity != .entropy), gravity != .center {
            object["gravity"] = gravity.json
        }
        if fit == .contain || fit == .none, background.alpha != 0 { object["background"] = .string(background.canonical) }
        return .object(object)
    }
}
