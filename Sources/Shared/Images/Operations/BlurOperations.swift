package import TintypeCore

/// Blurs; optionally changes the saturation and lays a color over the result: the frosted glass of iOS.
package struct Blur: ImageOperation {
    /// Looks with the numbers of YYWebImage.
    package enum Preset: String, Sendable, CaseIterable, Hashable { case soft, light, extraLight, dark }

    /// The sigma of a Gaussian, which SDWebImage calls radius; nil when a radius is given.
    package var sigma: Double?
    /// The radius of YYWebImage's box blur.
    package var radius: Double
    package var saturation: Double
    package var tint: Color?
    package var blend: Blend
    /// Another picture that limits the blur to parts of this one; nil: everywhere.
    package var mask: Layer?

    package static let description = OperationDescription(
        name: "blur",
        summary: "Blurs by the sigma of a Gaussian or the radius of three box blurs (as YYWebImage). Then changes the saturation, then lays a color over it.",
        parameters: [
            ParameterDescription("sigma", .number(0.3...250), "The sigma of the Gaussian, in pixels."),
            ParameterDescription(
                "radius", .number(0...250),
                "The radius in pixels, instead of sigma. Box sides are floor((radius · 3√(2π)/4 + 0.5) / 2), made odd."),
            ParameterDescription(
                "saturation", .number(-1...10),
                "The saturation: 0 is gray, 1 unchanged, 2 twice as colorful. Default for blur: 1, or that of the preset."),
            ParameterDescription("tint", Color.parameter, "The color laid over the result, as strong as its alpha. Default: none, or that of the preset."),
            ParameterDescription("blend", .choice(Blend.names), default: "normal", "How the tint mixes with the picture."),
            Layer.parameter(
                named: "mask", "The URL of another picture, stretched over this one. Its transparency, or else its brightness, limits the blur."),
            ParameterDescription(
                "preset", .choice(Preset.allCases.map(\.rawValue)),
                "A ready-made look. `soft`: radius 60 under white 0.84 at 0.36. `light`: 60, 1 at 0.3. `extraLight`: 40, 0.97 at 0.82. `dark`: 40, 0.11 at "
                    + "0.73. Saturation 1.8."),
        ], main: "sigma")

    /// A plain Gaussian.
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

    /// The side of the boxes in pixels, and the number of passes; nil for a Gaussian.
    package var boxes: (side: Int, passes: Int)? { sigma == nil && radius > 0 ? Self.boxes(radius) : nil }

    private static func boxes(_ radius: Double) -> (side: Int, passes: Int) {
        let side = Int(((max(radius, 2) * 3 * (2 * Double.pi).squareRoot() / 4 + 0.5) / 2).rounded(.down)) | 1
        return (side, radius < 0.5 ? 1 : radius < 1.5 ? 2 : 3)
    }

    /// Returns the first quarter, half or whole number that gives these boxes. Sides are so far apart that each has one.
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

/// Sharpens the lightness, edges more than flat areas.
package struct Sharpen: ImageOperation {
    package var sigma: Double
    package var amount: Double

    package static let description = OperationDescription(
        name: "sharpen",
        summary: "Sharpens the lightness, edges twice as much as flat areas.",
        parameters: [
            ParameterDescription("sigma", .number(0.3...10), default: 1, "The width of an edge, in pixels."),
            ParameterDescription(
                "amount", .number(0...10), default: 1,
                "The strength; 0 does nothing. For sharpen, the lightness, of 100, gains at most 10 and loses at most 20."),
        ], main: "sigma")

    package init(_ json: JSON, at _: String) {
        sigma = json["sigma"]?.double ?? 1
        amount = json["amount"]?.double ?? 1
    }

    package var canonical: JSON? { amount == 0 ? nil : ["op": "sharpen", "sigma": JSON(sigma), "amount": JSON(amount)] }
}

/// Replaces the pixels by large squares.
package struct Pixelate: ImageOperation {
    package var size: Int

    package static let description = OperationDescription(
        name: "pixelate",
        summary: "Replaces the picture by squares, each with the average color of its part, from the top left corner.",
        parameters: [ParameterDescription("size", .integer(1...16384), default: 10, "The side of a square in pixels.")], main: "size")

    package init(_ json: JSON, at _: String) { size = json["size"]?.int ?? 10 }

    package var canonical: JSON? { size == 1 ? nil : ["op": "pixelate", "size": JSON(size)] }
}
