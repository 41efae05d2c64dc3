/// One step of a rendition. Each operation has a file of its own with its description, its reading and its canonical form.
package enum Operation: Sendable, Hashable {
    case resize(Resize)
    case crop(Crop)
    case rotate(Rotate)
    case flip(Flip)
    case autorotate(Autorotate)

    /// Every operation of this build, described.
    package static let descriptions: [OperationDescription] = [
        Resize.description, Crop.description, Rotate.description, Flip.description, Autorotate.description,
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
        case Rotate.description.name: self = .rotate(try Rotate(json, at: path))
        case Flip.description.name: self = .flip(Flip(json))
        case Autorotate.description.name: self = .autorotate(Autorotate(json))
        default:
            let names = Self.descriptions.map { "\"\($0.name)\"" }.joined(separator: ", ")
            throw .invalidParams(path: path + ".op", value: json["op"], expected: "one of \(names)")
        }
    }

    /// The one spelling of this work; nil when it does nothing.
    package var canonical: JSON? {
        switch self {
        case .resize(let step): step.canonical
        case .crop(let step): step.canonical
        case .rotate(let step): step.canonical
        case .flip(let step): step.canonical
        case .autorotate(let step): step.canonical
        }
    }
}

/// What an operation is called, does and takes: the source of validation, `formats.list`, OpenRPC, documents and command-line flags.
package struct OperationDescription: Sendable {
    package let name: String
    package let summary: String
    package let parameters: [ParameterDescription]
}
