package import TintypeCore

/// One operation of a rendition's `transform`: what a client may ask for, how that is read, and its one spelling.
///
/// An operation has a file of its own here and is listed in `OperationCatalogue.types`.
/// The worker carries it out by a conformance of its own: a `Filter`, or a `PlannedOperation` where the size or the place of pixels changes.
package protocol ImageOperation: Sendable, Hashable {
    /// Its name and parameters: validation, documents, `formats.list` and command-line flags are made from them.
    static var description: OperationDescription { get }
    /// Other names under which a client may ask for it, with parameters of their own. Default: none.
    static var aliases: [OperationDescription] { get }

    /// Reads an element of `transform` that the description has validated, or one that `canonical` has written.
    /// - Throws: `invalidParams` for what the types alone cannot rule out; `invalidURL` and `denied` for the address of another picture.
    init(_ json: JSON, at path: String) throws(TintypeError)

    /// The one spelling of this work; nil when it does nothing.
    var canonical: JSON? { get }
    /// The same where what follows decides it. Default: `canonical`.
    /// - Parameter isRepeated: whether what follows may show a frame more than once.
    func canonical(isRepeated: Bool) -> JSON?
    /// Whether it may make several frames of one. Default: false.
    var mayRepeatFrames: Bool { get }

    /// Other pictures it needs. Rules and keys replace them by as many others, so an operation that has some reads and writes them.
    /// Default: none.
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

/// Any operation, as `AnyHashable` is any value: renditions compare and hash the operations they hold.
package struct AnyOperation: Sendable, Hashable {
    package private(set) var base: any ImageOperation

    package init(_ base: any ImageOperation) { self.base = base }

    /// Reads one element of `transform`, by the type that has its name.
    /// - Throws: `invalidParams` for a name that no operation has, and what the operation itself refuses.
    package init(_ json: JSON, at path: String) throws(TintypeError) {
        guard let type = json["op"]?.string.flatMap({ OperationCatalogue.type(named: $0) }) else {
            let names = OperationCatalogue.descriptions.map { "\"\($0.name)\"" }.joined(separator: ", ")
            throw .invalidParams(path: path + ".op", value: json["op"], expected: "one of \(names)")
        }
        base = try type.init(json, at: path)
    }

    /// The operation, if it is of this type.
    package func `as`<T: ImageOperation>(_: T.Type) -> T? { base as? T }
    package func `is`<T: ImageOperation>(_: T.Type) -> Bool { base is T }

    package static func == (one: AnyOperation, other: AnyOperation) -> Bool { one.base.equals(other.base) }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(type(of: base)))
        base.hash(into: &hasher)
    }

    /// The one spelling of this work; nil when it does nothing.
    /// - Parameter rest: what follows it: a single frame that is shown more than once by it has a time.
    func canonical(before rest: ArraySlice<AnyOperation>) -> JSON? {
        base.canonical(isRepeated: rest.contains { $0.base.mayRepeatFrames })
    }

    /// The other picture that changes the pixels of this one. The frames of `animate` are none.
    package var layer: Layer? { base is Animate ? nil : base.layers.first }
    /// All other pictures it needs.
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
