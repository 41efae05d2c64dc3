package import TintypeCore

/// What a request sends along. A pure value.
package enum RequestBody: Sendable, Hashable {
    case text(String)
    /// As given, in base64.
    case base64(String)
    /// An object or an array, sent as JSON.
    case json(JSON)

    static let type = ParameterType.union([
        .string(maxLength: 4 << 20), .map(of: .any), .array(of: .any, count: 0...65536),
    ])

    /// Reads validated JSON; nil for null.
    /// - Throws: `invalidParams` for base64 that is none.
    init?(_ json: JSON?, at path: String) throws(TintypeError) {
        switch json {
        case .some(.string(let text)): self = .text(text)
        case .some(.object(let object)) where object.count == 1 && object["base64"] != nil:
            guard let text = object["base64"]?.string, Base64.bytes(of: Array(text.utf8)) != nil else {
                throw .invalidParams(path: path + ".base64", value: "(hidden)", expected: "base64")
            }
            self = .base64(text)
        case .some(.object(let object)): self = .json(.object(object))
        case .some(.array(let values)): self = .json(.array(values))
        default: return nil
        }
    }

    /// What `init` reads.
    var canonical: JSON {
        switch self {
        case .text(let text): .string(text)
        case .base64(let text): ["base64": .string(text)]
        case .json(let json): json
        }
    }

    package var bytes: [UInt8] {
        switch self {
        case .text(let text): Array(text.utf8)
        case .base64(let text): Base64.bytes(of: Array(text.utf8)) ?? []
        case .json(let json): json.bytes()
        }
    }

    /// What it is, where no header says so.
    package var contentType: String {
        switch self {
        case .text: "text/plain; charset=utf-8"
        case .base64: "application/octet-stream"
        case .json: "application/json"
        }
    }
}
