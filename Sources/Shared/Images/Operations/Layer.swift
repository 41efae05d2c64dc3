import TintypeCore
import TintypeTransport

/// Another picture that an operation needs: laid over the one in work, or telling where to change it. Its own EXIF orientation counts, its
/// first frame is taken.
package struct Layer: Sendable, Hashable {
    package internal(set) var source: Source

    /// Pictures that one rendition may need.
    package static let most = 8
    /// Of its URL.
    static let type = ParameterType.string(maxLength: WebAddress.mostBytes)

    static func parameter(named name: String = "url", required: Bool = false, _ summary: String) -> ParameterDescription {
        ParameterDescription(name, type, required: required, summary)
    }

    /// Reads a URL, or what `canonical` has written; nil for nothing.
    /// - Throws: `invalidURL`, `denied`; `invalidParams` for what is no canonical form.
    init?(_ json: JSON?) throws(TintypeError) {
        switch json {
        case .string(let url): source = try Source(urls: [url], fetch: FetchOptions())
        case .object(let object): source = try Source(canonical: .object(object))
        default: return nil
        }
    }

    /// The URL, with whatever an operator's rules have added to it.
    var canonical: JSON {
        let whole = source.canonical
        return whole.object?.count == 1 ? .string(source.url) : whole
    }

    /// Stands for another one: by a number where its bytes are at hand, by its digest in keys.
    init(word: String) {
        guard let source = try? Source(urls: ["data:,\(word)"], fetch: FetchOptions()) else { preconditionFailure("a word is no URL") }
        self.source = source
    }
}

extension Operation {
    /// The other picture it needs, if it needs one.
    package var layer: Layer? {
        switch self {
        case .composite(let step): step.layer
        case .mask(let step): step.layer
        case .blur(let step): step.mask
        default: nil
        }
    }

    /// All other pictures it needs.
    package var layers: [Layer] { if case .animate(let step) = self { step.layers } else { layer.map { [$0] } ?? [] } }

    private func with(_ layer: Layer) -> Operation {
        switch self {
        case .composite(var step):
            step.layer = layer
            return .composite(step)
        case .mask(var step):
            step.layer = layer
            return .mask(step)
        case .blur(var step):
            step.mask = layer
            return .blur(step)
        default: return self
        }
    }

    func mapLayers(_ change: (Layer) throws(TintypeError) -> Layer) throws(TintypeError) -> Operation {
        if case .animate(var step) = self {
            for index in step.layers.indices { step.layers[index] = try change(step.layers[index]) }
            return .animate(step)
        }
        guard let layer else { return self }
        return with(try change(layer))
    }
}
