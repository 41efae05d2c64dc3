package import TintypeCore

/// Names and values of a form from nested JSON, as AFNetworking's serializer makes them: `a[b]=1` for an object, `a[]=1&a[]=2` for an array. Pure.
///
/// Members keep their order; null is left out.
package enum NestedForm {
    /// The deepest nesting of objects and arrays.
    static let deepest = 16
    /// The most pairs of one form.
    static let most = 4096

    /// - Returns: nil for a form that is too deep or too long.
    package static func pairs(_ form: JSONObject) -> [FetchOptions.Header]? {
        var pairs: [FetchOptions.Header] = []
        for (name, value) in form.members where !add(value, as: name, depth: 1, to: &pairs) { return nil }
        return pairs
    }

    private static func add(_ value: JSON, as name: String, depth: Int, to pairs: inout [FetchOptions.Header]) -> Bool {
        switch value {
        case .object(let object):
            guard depth < deepest else { return false }
            return object.members.allSatisfy { add($1, as: "\(name)[\($0)]", depth: depth + 1, to: &pairs) }
        case .array(let values):
            guard depth < deepest else { return false }
            return values.allSatisfy { add($0, as: name + "[]", depth: depth + 1, to: &pairs) }
        case .null, .raw: return true
        case .string(let text): return add(text, as: name, to: &pairs)
        case .bool, .int, .double: return add(value.text, as: name, to: &pairs)
        }
    }

    private static func add(_ value: String, as name: String, to pairs: inout [FetchOptions.Header]) -> Bool {
        guard pairs.count < most else { return false }
        pairs.append(FetchOptions.Header(name: name, value: value))
        return true
    }
}
