package import TintypeCore

/// One operation of a rendition's `transform`: its parameters, how they are read, and its canonical form.
///
/// Each operation is in the file of its family, and in the list `OperationCatalog.types`.
/// `Sources/Engine` executes it by a conformance: `Filter`, or `PlannedOperation` if the size or the place of pixels changes.
package protocol ImageOperation: Sendable, Hashable {
    /// The name and the parameters, for validation, documents, `formats.list` and command-line flags.
    static var description: OperationDescription { get }
    /// Other names of the operation, with parameters of their own. Default: none.
    static var aliases: [OperationDescription] { get }

    /// Reads an element of `transform` that the description has validated, or one from `canonical`.
    /// - Throws: `invalidParams` for errors that types cannot exclude; `invalidURL` and `denied` for the address of another picture.
    init(_ json: JSON, at path: String) throws(TintypeError)

    /// The canonical form of the work; nil if the operation does nothing.
    var canonical: JSON? { get }
    /// Returns the canonical form, which later operations may change. Default: `canonical`.
    /// - Parameter isRepeated: whether a later operation may show a frame more than once.
    func canonical(isRepeated: Bool) -> JSON?
    /// Whether the operation may make several frames of one. Default: false.
    var mayRepeatFrames: Bool { get }

    /// The other pictures that the operation needs. Rules and keys replace them by as many others, so an operation with such pictures reads and writes
    /// them. Default: none.
    var layers: [Layer] { get set }
}

extension ImageOperation {
    package static var aliases: [OperationDescription] { [] }
    package func canonical(isRepeated: Bool) -> JSON? { canonical }
    package var mayRepeatFrames: Bool { false }
    package var layers: [Layer] {
        get { [] }
        set {}
    }

    fileprivate func equals(_ other: any ImageOperation) -> Bool { other as? Self == self }
}

/// Any operation, as `AnyHashable` is any value: renditions compare and hash the operations that they have.
package struct AnyOperation: Sendable, Hashable {
    package private(set) var base: any ImageOperation

    package init(_ base: any ImageOperation) { self.base = base }

    /// Reads an element of `transform` with the type of its name.
    /// - Throws: `invalidParams` for an unknown name, and the errors of the operation itself.
    package init(_ json: JSON, at path: String) throws(TintypeError) {
        guard let type = json["op"]?.string.flatMap({ OperationCatalog.type(named: $0) }) else {
            let names = OperationCatalog.descriptions.map { "\"\($0.name)\"" }.joined(separator: ", ")
            throw .invalidParams(path: path + ".op", value: json["op"], expected: "one of \(names)")
        }
        base = try type.init(json, at: path)
    }

    package func `as`<T: ImageOperation>(_: T.Type) -> T? { base as? T }
    package func `is`<T: ImageOperation>(_: T.Type) -> Bool { base is T }

    package static func == (one: AnyOperation, other: AnyOperation) -> Bool { one.base.equals(other.base) }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(type(of: base)))
        base.hash(into: &hasher)
    }

    /// Returns the canonical form of the work; nil if the operation does nothing.
    /// - Parameter rest: the later operations. A single frame has a time if they show it more than once.
    func canonical(before rest: ArraySlice<AnyOperation>) -> JSON? {
        base.canonical(isRepeated: rest.contains { $0.base.mayRepeatFrames })
    }

    /// The other picture that changes the pixels of this one. Frames of `animate` do not count.
    package var layer: Layer? { base is Animate ? nil : base.layers.first }
    /// All other pictures that the operation needs.
    package var layers: [Layer] { base.layers }

    func mapLayers(_ change: (Layer) throws(TintypeError) -> Layer) throws(TintypeError) -> AnyOperation {
        var layers = base.layers
        guard !layers.isEmpty else { return self }
        for index in layers.indices { layers[index] = try change(layers[index]) }
        var changed = self
        changed.base.layers = layers
        return changed
    }
}

/// The operations of this build, in the order in which documents show them.
package enum OperationCatalog {
    package static let types: [any ImageOperation.Type] = [
        Resize.self, Crop.self, Trim.self, Extend.self, Pad.self, Rotate.self, Flip.self, RoundCorners.self, Mask.self, Composite.self, Text.self,
        Background.self, Blur.self, Sharpen.self, Pixelate.self, Modulate.self, Grayscale.self, Sepia.self, Invert.self, Tint.self, Duotone.self,
        Frames.self, Animate.self, Autorotate.self,
    ]

    /// The descriptions, each with its other names after it.
    package static let descriptions: [OperationDescription] = types.flatMap { [$0.description] + $0.aliases }

    /// The type of `transform`.
    package static let parameter = ParameterType.array(of: .variants(tag: "op", descriptions.map { ($0.name, $0.parameters) }), count: 0...32)

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
    package var main: String?
}
