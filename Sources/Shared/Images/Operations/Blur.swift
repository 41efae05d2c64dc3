package import TintypeCore

/// Blurs, and on request changes saturation and lays a colour over it: the frosted glass of iOS.
package struct Blur: ImageOperation {
    /// Looks with the numbers of YYWebImage.
    package enum Preset: String, Sendable, CaseIterable, Hashable { case soft, light, extraLight, dark }

    /// Of a Gaussian; nil when a radius is given.
    package var sigma: Double?
    /// Of YYWebImage's box blur.
    package var radius: Double
    package var saturation: Double
    package var tint: Color?
    package var blend: Blend
    /// Another picture that says where it is blurred; nil: everywhere.
    package var mask: Layer?

    package static let description = OperationDescription(
        name: "blur",
        summary: "Blurs, by the sigma of a Gaussian or the radius of YYWebImage's three box blurs; then changes the saturation, then lays a colour over it.",
        parameters: [
            ParameterDescription("sigma", .number(0.3...250), "Of a Gaussian, in pixels; what SDWebImage calls radius."),
            ParameterDescription("radius", .number(0...250), "Instead of sigma, in pixels: boxes of floor((radius · 3√(2π)/4 + 0.5) / 2), made odd."),
            ParameterDescription("saturation", .number(-1...10), "Of what is blurred: 0 grey, 1 as it is. Default 1, or the preset's."),
            ParameterDescription("tint", Color.parameter, "Laid over it as its alpha says. Default none, or the preset's."),
            ParameterDescription("blend", .choice(Blend.names), default: "normal", "How the tint mixes."),
            Layer.parameter(
                named: "mask", "URL of another picture, stretched over this one: its transparency or, if it has none, its brightness says where it is blurred."),
            ParameterDescription(
                "preset", .choice(Preset.allCases.map(\.rawValue)),
                "soft: radius 60 under white 0.84 at 0.36; light: 60, 1 at 0.3; extraLight: 40, 0.97 at 0.82; dark: 40, 0.11 at 0.73; saturation 1.8."),
        ], main: "sigma")

    /// A Gaussian, and no more.
    package init(sigma: Double) {
        (self.sigma, radius, saturation, tint, blend) = (sigma, 0, 1, nil, .normal)
    }

    package init(_ json: JSON, at path: String) throws(TintypeError) {
        let preset = json["preset"]?.string.flatMap { Preset(rawValue: $0) }
        sigma = json["sigma"]?.double
        if sigma != nil, json["radius"]?.double != nil {
            throw .invalidParams(path: path + ".radius", value: json["radius"], expected: "either a sigma or a radius")
        }
        radius = json["radius"]?.double ?? (sigma == nil ? preset?.radius : nil) ?? 0
        saturation = json["saturation"]?.double ?? preset?.saturation ?? 1
        tint = Color(json["tint"]) ?? preset?.tint
        blend = Blend(json["blend"]) ?? .normal
        mask = try Layer(json["mask"])
        let hasMeasure = sigma != nil || json["radius"]?.double != nil
        guard hasMeasure || preset != nil || canonical != nil else {
            throw .invalidParams(path: path + ".sigma", value: nil, expected: "a sigma, a radius or a preset")
        }
    }

    package var layers: [Layer] {
        get { mask.map { [$0] } ?? [] }
        set { mask = newValue.first }
    }

    package var canonical: JSON? {
        var object: JSONObject = ["op": "blur"]
        if let sigma { object["sigma"] = JSON(sigma) } else if let boxes { object["radius"] = JSON(Self.radius(of: boxes)) }
        if saturation != 1 { object["saturation"] = JSON(saturation) }
        if let tint, tint.alpha > 0 {
            object["tint"] = .string(tint.canonical)
            if blend != .normal { object["blend"] = .string(blend.rawValue) }
        }
        guard object.count > 1 else { return nil }
        object["mask"] = mask?.canonical
        return .object(object)
    }

    /// The side of the boxes in pixels and how often each is applied; nil where a Gaussian is meant.
    package var boxes: (side: Int, passes: Int)? { sigma == nil && radius > 0 ? Self.boxes(radius) : nil }

    private static func boxes(_ radius: Double) -> (side: Int, passes: Int) {
        let side = Int(((max(radius, 2) * 3 * (2 * Double.pi).squareRoot() / 4 + 0.5) / 2).rounded(.down)) | 1
        return (side, radius < 0.5 ? 1 : radius < 1.5 ? 2 : 3)
    }

    /// The first of quarters, halves and whole numbers that means these boxes: sides are so far apart that each has some.
    private static func radius(of boxes: (side: Int, passes: Int)) -> Double {
        if boxes.passes < 3 { return boxes.passes == 1 ? 0.25 : 1 }
        return (max(2, boxes.side - 2)...).lazy.map(Double.init).first { Self.boxes($0) == boxes } ?? 2
    }
}

extension Blur.Preset {
    var radius: Double { self == .soft || self == .light ? 60 : 40 }
    var saturation: Double { 1.8 }
    var tint: Color {
        switch self {
        case .soft: .white(0.84, alpha: 0.36)
        case .light: .white(1, alpha: 0.3)
        case .extraLight: .white(0.97, alpha: 0.82)
        case .dark: .white(0.11, alpha: 0.73)
        }
    }
}
