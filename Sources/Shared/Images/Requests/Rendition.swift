package import TintypeCore

/// One output of a source: the operations and the encoding. Equal work has one key, however it is written.
package struct Rendition: Sendable, Hashable {
    package enum Mode: String, Sendable, Hashable {
        case image
        /// The bytes of the source, without decoding.
        case bytes
        /// The bytes of the source, which must be JSON; delivered inline.
        case json
        /// The source's bytes, which have to be text; as UTF-8, delivered inline.
        case text
        /// The same, which has to be XML, too.
        case xml
        /// No output: only the properties of the source and the requested description.
        case probe

        /// The modes that a request may name in `as`.
        static let askable = [image, bytes, json, text, xml].map(\.rawValue)
    }

    /// The name in the request; no part of the key.
    package var name: String
    package var mode: Mode
    package var operations: [AnyOperation]
    package var output: OutputOptions
    package var decode: DecodeOptions
    package var acceptance: Acceptance
    /// The properties that the source must have; nil: any picture.
    package var requirement: Requirement?
    /// The metadata of the result; no part of the key.
    package var metadata: ResultMetadata?
    /// Where it is saved besides the caches: a part of the key, so that who wants it under another name has it made for himself.
    package var saveTo: SaveTarget?
    /// The requested description of the source; only for a probe.
    package var traits: [PictureTrait]
    /// The places whose colors are requested.
    package var samples: ColorSamples?

    package init(
        name: String = "default", mode: Mode = .image, operations: [AnyOperation] = [], output: OutputOptions = OutputOptions(),
        decode: DecodeOptions = DecodeOptions(), acceptance: Acceptance = Acceptance(), requirement: Requirement? = nil, traits: [PictureTrait] = [],
        samples: ColorSamples? = nil
    ) {
        (self.requirement, self.traits, self.samples) = (requirement, traits, samples)
        (self.name, self.mode, self.operations, self.output, self.decode) = (name, mode, operations, output, decode)
        self.acceptance = acceptance
    }

    package static let parameters: [ParameterDescription] = [
        ParameterDescription(
            "name", .pattern(expectation: "a name of 1 to 64 of [A-Za-z0-9._-]") { $0.isPlainName(1...64) }, default: "default",
            "The name of the rendition in the result, unique in the request."),
        ParameterDescription("transform", OperationCatalog.parameter, default: [], "The operations, in order."),
        ParameterDescription("output", .object(OutputOptions.parameters), "How to encode the result."),
    ]

    /// Reads validated JSON: a member of `renditions`, or the short form at the top of a request.
    /// - Parameter usual: the operations for a picture without `transform`.
    init(
        _ json: JSON, mode: Mode, decode: DecodeOptions, acceptance: Acceptance, requirement: Requirement? = nil, usual: [AnyOperation] = [],
        at path: String
    ) throws(TintypeError) {
        var operations = json["transform"]?.array == nil && mode == .image ? usual : []
        for (index, step) in (json["transform"]?.array ?? []).enumerated() {
            operations.append(try AnyOperation(step, at: ParameterType.join(path, "transform[\(index)]")))
        }
        if operations.count(where: { $0.layer != nil }) > Layer.most {
            throw .invalidParams(
                path: ParameterType.join(path, "transform"), value: json["transform"], expected: "at most \(Layer.most) operations that need other pictures")
        }
        if operations.count(where: { $0.is(Animate.self) }) > 1 {
            throw .invalidParams(path: ParameterType.join(path, "transform"), value: json["transform"], expected: "at most one animate")
        }
        let output = OutputOptions(json["output"])
        if output.mayKeepHDR, let index = operations.firstIndex(where: { !$0.leavesColors }) {
            throw .invalidParams(
                path: ParameterType.join(path, "transform[\(index)]"), value: operations[index].base.canonical?["op"],
                expected: "an operation without colors of its own, which mean sRGB, beside output.hdr keep")
        }
        self.init(
            name: json["name"]?.string ?? "default", mode: mode, operations: operations, output: output, decode: decode, acceptance: acceptance,
            requirement: requirement)
    }

    /// The work with its metadata, as it travels to the worker.
    package var queued: JSON {
        guard let metadata, case .object(var object) = canonical else { return canonical }
        object["metadata"] = metadata.json
        return .object(object)
    }

    /// The work without its name. The key is made from it, except for the addresses of other pictures.
    package var canonical: JSON {
        var object = work
        let accept = acceptance.canonical
        if !accept.isEmpty { object["accept"] = .object(accept) }
        if let requirement { object["require"] = .object(requirement.canonical) }
        if let saveTo { object["saveTo"] = saveTo.canonical }
        return .object(object)
    }

    private var work: JSONObject {
        switch mode {
        case .bytes, .json, .text, .xml: return ["as": .string(mode.rawValue)]
        case .probe:
            guard !traits.isEmpty else { return [:] }
            var object = JSONObject()
            let named = traits.filter { $0 != .colors }
            if !named.isEmpty { object["describe"] = .array(named.map { .string($0.rawValue) }) }
            object["samples"] = samples?.canonical
            if !decode.canonical.isEmpty { object["decode"] = .object(decode.canonical) }
            return object
        case .image: break
        }
        var object: JSONObject = ["output": .object(output.canonical)]
        let steps = steps
        if !steps.isEmpty { object["transform"] = .array(steps) }
        if !decode.canonical.isEmpty { object["decode"] = .object(decode.canonical) }
        return object
    }

    /// The operations in their canonical form; those that do nothing are left out.
    var steps: [JSON] {
        let done = operations.indices.compactMap { index -> AnyOperation? in
            if operations[index].is(Autorotate.self) { return nil }
            return operations[index].canonical(before: operations[(index + 1)...]) == nil ? nil : operations[index]
        }
        let folded = Orientation.folded(done)
        var steps = folded.indices.compactMap { folded[$0].canonical(before: folded[($0 + 1)...]) }
        if !isUpright { steps.insert(["op": "autorotate", "enabled": false], at: 0) }
        return steps
    }

    /// Reads what `canonical` or `queued` wrote.
    /// - Throws: `invalidParams` for anything else.
    package init(canonical json: JSON) throws(TintypeError) {
        let mode = json["as"]?.string.flatMap { Mode(rawValue: $0) } ?? (json["output"] == nil ? .probe : .image)
        try self.init(
            json, mode: mode, decode: DecodeOptions(json["decode"]), acceptance: Acceptance(json["accept"], at: "accept"),
            requirement: Requirement(json["require"]), at: "")
        if mode == .probe { (traits, samples) = (PictureTrait.read(json), try ColorSamples(json["samples"])) }
        metadata = ResultMetadata(kept: json["metadata"])
        saveTo = try SaveTarget(canonical: json["saveTo"])
    }

    /// Whether the picture is turned upright first.
    package var isUpright: Bool { !operations.contains { $0.as(Autorotate.self)?.isEnabled == false } }

    /// The key under which the result is cached and coalesced: 40 hexadecimal digits.
    package func digest(source: String) -> String {
        // The result of such a probe is the source itself.
        if mode == .probe, traits.isEmpty, acceptance == Acceptance() { return source }
        return Digest.sha256Hex(Array(source.utf8) + [0] + withKeyedLayers.canonical.canonicalBytes(), digits: 40)
    }
}

extension Rendition {
    /// The `animate` operation of the rendition, if there is one.
    package var animate: Animate? { operations.lazy.compactMap { $0.as(Animate.self) }.first }
}

extension Rendition {
    /// The other pictures, each once, in their order.
    package var layers: [Layer] {
        var seen: Set<Layer> = []
        return operations.flatMap(\.layers).filter { seen.insert($0).inserted }
    }

    /// The rendition with its other pictures named by numbers, for a receiver that gets their bytes separately. URLs may be long and hold secrets.
    package var withNumberedLayers: Rendition {
        let numbers = Dictionary(uniqueKeysWithValues: zip(layers, 0...))
        let numbered = try? mapLayers { layer in numbers[layer].map { Layer(word: "\($0)") } ?? layer }
        return numbered ?? self
    }

    /// The rendition with its other pictures named by the digests of their downloads. Two spellings of an address are then equal, and parts that rules
    /// leave out of keys are left out.
    var withKeyedLayers: Rendition { (try? mapLayers { Layer(word: $0.source.digest) }) ?? self }

    func mapLayers(_ change: (Layer) throws(TintypeError) -> Layer) throws(TintypeError) -> Rendition {
        guard operations.contains(where: { !$0.layers.isEmpty }) else { return self }
        var rendition = self
        for index in operations.indices { rendition.operations[index] = try operations[index].mapLayers(change) }
        return rendition
    }
}

extension Rendition {
    /// The most bytes of `shownOperations` with their values.
    package static let mostShownBytes = 2048

    /// The operations in their canonical form, for operators: URLs have no parts that may be secret. With more bytes than that, only their names.
    package var shownOperations: JSON {
        let shown = JSON.array(steps.map { .object(Self.shown($0.object ?? [:])) })
        guard shown.text.utf8.count > Self.mostShownBytes else { return shown }
        return .array(steps.map { ["op": $0["op"] ?? .null] })
    }

    /// The members of operations that name other pictures (`Layer`).
    private static let addresses: Set<String> = ["url", "urls", "mask"]

    private static func shown(_ step: JSONObject) -> JSONObject {
        JSONObject(step.members.map { name, value in (name, addresses.contains(name) ? shown(address: value) : value) })
    }

    /// Returns the URL of a layer, which may have options such as headers beside it.
    private static func shown(address: JSON) -> JSON {
        if let addresses = address.array { return .array(addresses.map { shown(address: $0) }) }
        return .string((address.string ?? address["url"]?.string).map { RedactedURL($0).description } ?? "***")
    }
}
