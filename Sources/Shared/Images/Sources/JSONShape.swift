package import TintypeCore

/// The required shape of a JSON body: names of types by key, arrays by their first element. A pure value.
///
/// Every key of the shape is required, further keys are allowed. null passes for any type; an empty array accepts any array.
package struct JSONShape: Sendable, Hashable {
    package let json: JSON

    private static let names = ["string", "number", "integer", "boolean", "object", "array", "null", "any"]

    /// - Throws: `invalidParams` for an invalid shape.
    init(_ json: JSON, at path: String) throws(TintypeError) {
        try Self.check(json, at: path)
        self.json = json
    }

    private static func check(_ shape: JSON, at path: String) throws(TintypeError) {
        switch shape {
        case .object(let object):
            for (key, inner) in object.members { try check(inner, at: ParameterType.join(path, key)) }
        case .array(let values) where values.count <= 1:
            for inner in values { try check(inner, at: path + "[0]") }
        case .null, .bool, .int, .double, .string, .array, .raw:
            guard let name = shape.string, names.contains(name) else {
                throw .invalidParams(
                    path: path, value: shape, expected: "one of \(names.joined(separator: ", ")), an object of shapes, or an array of at most one shape")
            }
        }
    }

    /// Returns the first mismatch of a value, in words that begin with its place; nil if the value has the shape.
    package func mismatch(in value: JSON) -> String? { Self.mismatch(value, json, at: "") }

    private static func mismatch(_ value: JSON, _ shape: JSON, at path: String) -> String? {
        if value.isNull { return nil }
        switch (shape, value) {
        case (.string(let name), _): return isOfType(value, name) ? nil : unexpected(path, name, value)
        case (.object(let wanted), .object(let object)):
            for (key, inner) in wanted.members {
                let place = ParameterType.join(path, key)
                guard let found = object[key] else { return "\(place) is missing" }
                if let wrong = mismatch(found, inner, at: place) { return wrong }
            }
            return nil
        case (.array(let wanted), .array(let values)):
            guard let inner = wanted.first else { return nil }
            for (index, found) in values.enumerated() { if let wrong = mismatch(found, inner, at: "\(path)[\(index)]") { return wrong } }
            return nil
        case (.object, _): return unexpected(path, "object", value)
        default: return unexpected(path, "array", value)
        }
    }

    private static func unexpected(_ path: String, _ name: String, _ value: JSON) -> String {
        "\(path.isEmpty ? "the value" : path) is \(value.kind), expected \(name)"
    }

    private static func isOfType(_ value: JSON, _ name: String) -> Bool {
        switch name {
        case "string": value.string != nil
        case "number": value.double != nil
        case "integer": value.int != nil
        case "boolean": value.bool != nil
        case "object": value.object != nil
        case "array": value.array != nil
        case "null": value.isNull
        default: true
        }
    }
}
