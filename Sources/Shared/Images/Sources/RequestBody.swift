package import TintypeCore

/// The body of a request. A pure value.
package enum RequestBody: Sendable, Hashable {
    case text(String)
    /// The given text, in base64.
    case base64(String)
    /// Sent as JSON.
    case json(JSON)
    case form(JSONObject)
    case multipart(MultipartBody)

    static let type = ParameterType.union([
        .string(maxLength: 4 << 20), .map(of: .any), .array(of: .any, count: 0...65536),
    ])

    /// An object with only one of these members names its own kind.
    private enum Kind: String, CaseIterable { case base64, json, form, multipart }

    /// Reads validated JSON; nil for null.
    /// - Throws: `invalidParams` for invalid base64, forms or parts.
    init?(_ json: JSON?, at path: String) throws(TintypeError) {
        switch json {
        case .some(.string(let text)): self = .text(text)
        case .some(.object(let object)):
            let member = object.count == 1 ? object.members.first : nil
            guard let member, let kind = Kind(rawValue: member.key) else {
                self = .json(.object(object))
                return
            }
            self = try Self.read(member.value, kind, at: "\(path).\(kind.rawValue)")
        case .some(.array(let values)): self = .json(.array(values))
        default: return nil
        }
    }

    private static func read(_ value: JSON, _ kind: Kind, at path: String) throws(TintypeError) -> RequestBody {
        switch kind {
        case .base64:
            guard let text = value.string, Base64.bytes(of: Array(text.utf8)) != nil else {
                throw .invalidParams(path: path, shown: "(hidden)", expected: "base64")
            }
            return .base64(text)
        case .json: return .json(value)
        case .form:
            guard let form = value.object, NestedForm.pairs(form) != nil else {
                throw .invalidParams(
                    path: path, shown: "(hidden)",
                    expected: "an object of at most \(NestedForm.most) values, nested at most \(NestedForm.deepest) deep")
            }
            return .form(form)
        case .multipart: return .multipart(try MultipartBody(value, at: path))
        }
    }

    /// The form that `init` reads. JSON that `init` would take for another kind names its kind; other bodies keep their form.
    var canonical: JSON {
        switch self {
        case .text(let text): return .string(text)
        case .base64(let text): return ["base64": .string(text)]
        case .json(let json):
            switch json {
            case .object(let object): return object.count == 1 && object.members.first.flatMap { Kind(rawValue: $0.key) } != nil ? ["json": json] : json
            case .array: return json
            case .null, .bool, .int, .double, .string, .raw: return ["json": json]
            }
        case .form(let form): return ["form": .object(form)]
        case .multipart(let body): return ["multipart": body.canonical]
        }
    }

    package var bytes: [UInt8] {
        switch self {
        case .text(let text): Array(text.utf8)
        case .base64(let text): Base64.bytes(of: Array(text.utf8)) ?? []
        case .json(let json): json.bytes()
        case .form(let form): Array(PercentText.pairs((NestedForm.pairs(form) ?? []).map { ($0.name, $0.value) }).utf8)
        case .multipart(let body): body.bytes
        }
    }

    /// The content type, unless a header sets one.
    package var contentType: String {
        switch self {
        case .text: "text/plain; charset=utf-8"
        case .base64: "application/octet-stream"
        case .json: "application/json"
        case .form: "application/x-www-form-urlencoded"
        case .multipart(let body): body.contentType
        }
    }
}
