package import TintypeCore

/// One step of a rendition. Each operation has a file of its own with its description, its reading and its canonical form.
package enum Operation: Sendable, Hashable {
    case resize(Resize)
    case crop(Crop)
    case trim(Trim)
    case extend(Extend)
    case pad(Pad)
    case rotate(Rotate)
    case flip(Flip)
    case roundCorners(RoundCorners)
    case mask(Mask)
    case composite(Composite)
    case text(Text)
    case background(Background)
    case blur(Blur)
    case sharpen(Sharpen)
    case pixelate(Pixelate)
    case modulate(Modulate)
    case grayscale(Grayscale)
    case sepia(Sepia)
    case invert(Invert)
    case tint(Tint)
    case duotone(Duotone)
    case frames(Frames)
    case animate(Animate)
    case autorotate(Autorotate)

    /// Every operation of this build, described.
    package static let descriptions: [OperationDescription] = [
        Resize.description, Crop.description, Trim.description, Extend.description, Extend.insetDescription, Pad.description, Rotate.description,
        Flip.description, RoundCorners.description, RoundCorners.borderDescription, Mask.description, Composite.description, Text.description,
        Background.description, Blur.description, Sharpen.description, Pixelate.description, Modulate.description, Grayscale.description,
        Sepia.description, Invert.description, Tint.description, Duotone.description, Frames.description, Animate.description,
        Autorotate.description,
    ]

    /// The type of `transform`.
    package static let parameter = ParameterType.array(
        of: .variants(tag: "op", descriptions.map { ($0.name, $0.parameters) }), count: 0...32)

    /// Reads one element of `transform` that `parameter` has validated, or one that `canonical` has written.
    /// - Throws: `invalidParams` for what the types alone cannot rule out.
    package init(_ json: JSON, at path: String) throws(TintypeError) {
        switch json["op"]?.string {
        case Resize.description.name: self = .resize(try Resize(json, at: path))
        case Crop.description.name: self = .crop(try Crop(json, at: path))
        case Trim.description.name: self = .trim(Trim(json))
        case Extend.description.name, Extend.insetDescription.name: self = .extend(Extend(json))
        case Pad.description.name: self = .pad(try Pad(json, at: path))
        case Rotate.description.name: self = .rotate(Rotate(json))
        case Flip.description.name: self = .flip(Flip(json))
        case RoundCorners.description.name, RoundCorners.borderDescription.name: self = .roundCorners(RoundCorners(json))
        case Mask.description.name: self = .mask(try Mask(json, at: path))
        case Composite.description.name: self = .composite(try Composite(json, at: path))
        case Text.description.name: self = .text(Text(json))
        case Background.description.name: self = .background(Background(json))
        case Blur.description.name: self = .blur(try Blur(json, at: path))
        case Sharpen.description.name: self = .sharpen(Sharpen(json))
        case Pixelate.description.name: self = .pixelate(Pixelate(json))
        case Modulate.description.name: self = .modulate(Modulate(json))
        case Grayscale.description.name: self = .grayscale(Grayscale())
        case Sepia.description.name: self = .sepia(Sepia(json))
        case Invert.description.name: self = .invert(Invert())
        case Tint.description.name: self = .tint(Tint(json))
        case Duotone.description.name: self = .duotone(Duotone(json))
        case Frames.description.name: self = .frames(try Frames(json, at: path))
        case Animate.description.name: self = .animate(try Animate(json, at: path))
        case Autorotate.description.name: self = .autorotate(Autorotate(json))
        default:
            let names = Self.descriptions.map { "\"\($0.name)\"" }.joined(separator: ", ")
            throw .invalidParams(path: path + ".op", value: json["op"], expected: "one of \(names)")
        }
    }

    /// The one spelling of this work; nil when it does nothing.
    /// - Parameter rest: what follows it: a single frame that is shown more than once by it has a time.
    func canonical(before rest: ArraySlice<Operation>) -> JSON? {
        let isRepeated = rest.contains { if case .frames(let step) = $0 { step.mayRepeat } else { false } }
        return switch self {
        case .resize(let step): step.canonical
        case .crop(let step): step.canonical
        case .trim(let step): step.canonical
        case .extend(let step): step.canonical
        case .pad(let step): step.canonical
        case .rotate(let step): step.canonical
        case .flip(let step): step.canonical
        case .roundCorners(let step): step.canonical
        case .mask(let step): step.canonical
        case .composite(let step): step.canonical
        case .text(let step): step.canonical
        case .background(let step): step.canonical
        case .blur(let step): step.canonical
        case .sharpen(let step): step.canonical
        case .pixelate(let step): step.canonical
        case .modulate(let step): step.canonical
        case .grayscale(let step): step.canonical
        case .sepia(let step): step.canonical
        case .invert(let step): step.canonical
        case .tint(let step): step.canonical
        case .duotone(let step): step.canonical
        case .frames(let step): step.canonical(isRepeated: isRepeated)
        case .animate(let step): step.canonical(isRepeated: isRepeated)
        case .autorotate(let step): step.canonical
        }
    }
}

/// What an operation is called, does and takes: the source of validation, `formats.list`, OpenRPC, documents and command-line flags.
package struct OperationDescription: Sendable {
    package let name: String
    package let summary: String
    package let parameters: [ParameterDescription]
    /// The parameter that a command line's `--name VALUE` means; nil for operations that are only named, or have a form of their own.
    package let main: String?

    init(name: String, summary: String, parameters: [ParameterDescription], main: String? = nil) {
        (self.name, self.summary, self.parameters, self.main) = (name, summary, parameters, main)
    }
}
