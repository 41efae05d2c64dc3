package import TintypeCore

/// What a request sends along. A pure value.
package enum RequestBody: Sendable, Hashable {
    case text(String)
    /// As given, in base64.
    case base64(String)
    /// Sent as JSON.
    case json(JSON)
    case form(JSONObject)
    case multipart(MultipartBody)

    static let type = ParameterType.union([
        .string(maxLength: 4 << 20), .map(of: .any), .array(of: .any, count: 0...65536),
    ])

    /// Objects with one of these alone say what kind of body they are.
    private enum Kind: String, CaseIterable { case base64, json, form, multipart }

    /// Reads validated JSON; nil for null.
    /// - Throws: `invalidParams` for base64, a form or parts that are none.
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
                throw .invalidParams(path: path, value: "(hidden)", expected: "base64")
            }
            return .base64(text)
        case .json: return .json(value)
        case .form:
            guard let form = value.object, NestedForm.pairs(form) != nil else {
                throw .invalidParams(
                    path: path, value: "(hidden)",
                    expected: "an object of at most \(NestedForm.most) values, at most \(NestedForm.deepest) objects or arrays in each other")
            }
            return .form(form)
        case .multipart: return .multipart(try MultipartBody(value, at: path))
        }
    }

    /// What `init` reads. JSON that would be read as another kind says what it is; all else is as it always was.
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

    /// What it is, where no header says so.
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
