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
        case .null, .bool, .int, .double, .array, .raw, nil: return nil
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
