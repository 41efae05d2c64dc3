import TintypeCore

/// Another picture that an operation needs: as an overlay or as a mask. Its EXIF orientation is applied, and only its first frame is used.
package struct Layer: Sendable, Hashable {
    package internal(set) var source: Source

    /// The most pictures that one rendition may need.
    package static let most = 8
    /// The type of the URL.
    static let type = ParameterType.string(maxLength: WebAddress.mostBytes)

    static func parameter(named name: String = "url", required: Bool = false, _ summary: String) -> ParameterDescription {
        ParameterDescription(name, type, required: required, summary)
    }

    /// Reads a URL or the JSON from `canonical`; nil for nothing.
    /// - Throws: `invalidURL`, `denied`; `invalidParams` for anything else.
    init?(_ json: JSON?) throws(TintypeError) {
        switch json {
        case .string(let url): source = try Source(urls: [url], fetch: FetchOptions())
        case .object(let object): source = try Source(canonical: .object(object))
        case .null, .bool, .int, .double, .array, .raw, nil: return nil
        }
    }

    /// The URL, with the options that rules of the operator add.
    var canonical: JSON {
        let whole = source.canonical
        return whole.object?.count == 1 ? .string(source.url) : whole
    }

    /// Makes a placeholder for another picture: a number where its bytes are at hand, its digest in keys.
    init(word: String) {
        guard let source = try? Source(urls: ["data:,\(word)"], fetch: FetchOptions()) else { preconditionFailure("a word is no URL") }
        self.source = source
    }
}
