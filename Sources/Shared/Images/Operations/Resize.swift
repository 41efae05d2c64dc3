/// Changes the size. Giving one side keeps the proportions; giving both, `fit` says how.
package struct Resize: Sendable, Hashable {
    package enum Fit: String, Sendable, CaseIterable, Hashable { case contain, cover, fill, inside, outside }

    package var width: Int?
    package var height: Int?
    package var fit: Fit
    package var gravity: Gravity
    package var enlarge: Bool
    package var background: Color

    package init(
        width: Int?, height: Int?, fit: Fit = .inside, gravity: Gravity = .center, enlarge: Bool = false,
        background: Color = Color(red: 0, green: 0, blue: 0, alpha: 0)
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
            ParameterDescription(
                "fit", .choice(Fit.allCases.map(\.rawValue)), default: "inside",
                "inside: as large as fits into the box; outside: as small as covers it; contain: inside, on a canvas of the box's size; "
                    + "cover: fills the box and cuts off what overlaps; fill: stretches to the box."),
            ParameterDescription("gravity", Gravity.parameter, default: "center", "What cover keeps, and where contain puts the picture."),
            ParameterDescription("enlarge", .boolean, default: false, "Whether a smaller picture is blown up."),
            ParameterDescription("background", Color.parameter, default: "transparent", "The canvas of contain; formats without alpha get it on white."),
        ])

    init(_ json: JSON, at path: String) throws(TintypeError) {
        self.init(
            width: json["width"]?.int, height: json["height"]?.int,
            fit: json["fit"]?.string.flatMap { Fit(rawValue: $0) } ?? .inside,
            gravity: json["gravity"]?.string.flatMap { Gravity(rawValue: $0) } ?? .center,
            enlarge: json["enlarge"]?.bool ?? false)
        if let color = json["background"]?.string.flatMap({ Color($0) }) { background = color }
        guard width != nil || height != nil else {
            throw .invalidParams(path: path + ".width", value: nil, expected: "a width, a height or both")
        }
    }

    var canonical: JSON {
        var object: JSONObject = ["op": "resize"]
        object["width"] = width.map { JSON($0) }
        object["height"] = height.map { JSON($0) }
        if enlarge { object["enlarge"] = true }
        // With one side every fit means the same: scale until that side matches.
        guard width != nil, height != nil else { return .object(object) }
        object["fit"] = .string(fit.rawValue)
        if fit == .cover || fit == .contain, gravity != .center { object["gravity"] = .string(gravity.rawValue) }
        if fit == .contain, background.alpha != 0 { object["background"] = .string(background.canonical) }
        return .object(object)
    }
}
