import TintypeCore

/// The operations of this build, in the order in which documents show them.
package enum OperationCatalogue {
    package static let types: [any ImageOperation.Type] = [
        Resize.self, Crop.self, Trim.self, Extend.self, Pad.self, Rotate.self, Flip.self, RoundCorners.self, Mask.self, Composite.self, Text.self,
        Background.self, Blur.self, Sharpen.self, Pixelate.self, Modulate.self, Grayscale.self, Sepia.self, Invert.self, Tint.self, Duotone.self,
        Frames.self, Animate.self, Autorotate.self,
    ]

    /// The descriptions, each with its other names after it.
    package static let descriptions: [OperationDescription] = types.flatMap { [$0.description] + $0.aliases }

    /// The type of `transform`.
    package static let parameter = ParameterType.array(
        of: .variants(tag: "op", descriptions.map { ($0.name, $0.parameters) }), count: 0...32)

    private static let byName: [String: any ImageOperation.Type] = Dictionary(
        types.flatMap { type in ([type.description] + type.aliases).map { ($0.name, type) } }, uniquingKeysWith: { first, _ in first })

    static func type(named name: String) -> (any ImageOperation.Type)? { byName[name] }
}

/// The name, meaning and parameters of an operation: the source of validation, `formats.list`, OpenRPC, documents and command-line flags.
package struct OperationDescription: Sendable {
    package let name: String
    package let summary: String
    package let parameters: [ParameterDescription]
    /// The parameter that `--name VALUE` sets on the command line; nil for an operation without a value or with a form of its own.
    package let main: String?

    init(name: String, summary: String, parameters: [ParameterDescription], main: String? = nil) {
        (self.name, self.summary, self.parameters, self.main) = (name, summary, parameters, main)
    }

    /// The name of another operation, if that one has the same parameters.
    func same(as other: OperationDescription) -> String? {
        !parameters.isEmpty && parameters.elementsEqual(other.parameters, by: { $0.means($1) }) ? other.name : nil
    }
}
