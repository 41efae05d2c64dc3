import Shared

/// References of a chain's step to what came of earlier steps: `${steps[0].source.finalURL}` in any text of the request. Pure.
///
/// A text that is one reference and nothing else takes the value as it is, a number or an object too; inside a longer text only texts,
/// numbers and booleans can stand.
enum StepReferences {
    private static let opening = "${steps["

    /// Whether there is any in a request.
    static func occur(in json: JSON) -> Bool {
        switch json {
        case .string(let text): text.contains(opening)
        case .array(let items): items.contains(where: occur)
        case .object(let object): object.members.contains { occur(in: $0.value) }
        case .null, .bool, .int, .double: false
        }
    }

    /// The request of step `index` with every reference replaced.
    /// - Parameter results: the ImageResults of the steps that have succeeded.
    /// - Throws: `invalidParams` naming the place and the reference that does not resolve.
    static func resolve(_ request: JSON, of index: Int, _ results: [Int: JSON]) throws(TintypeError) -> JSON {
        try resolve(request, at: "steps[\(index)]", results)
    }

    private static func resolve(_ json: JSON, at path: String, _ results: [Int: JSON]) throws(TintypeError) -> JSON {
        switch json {
        case .string(let text): return try resolve(text[...], at: path, results)
        case .array(let items):
            var resolved: [JSON] = []
            for (position, item) in items.enumerated() { resolved.append(try resolve(item, at: "\(path)[\(position)]", results)) }
            return .array(resolved)
        case .object(let object):
            var resolved = JSONObject()
            for (key, value) in object.members { resolved[key] = try resolve(value, at: ParameterType.join(path, key), results) }
            return .object(resolved)
        case .null, .bool, .int, .double: return json
        }
    }

    private static func resolve(_ text: Substring, at path: String, _ results: [Int: JSON]) throws(TintypeError) -> JSON {
        var rest = text
        var made = ""
        while let start = rest.firstRange(of: opening)?.lowerBound {
            guard let end = rest[start...].firstIndex(of: "}") else { throw unresolved(rest[start...], at: path) }
            let reference = rest[start...end]
            guard let value = value(reference, results), !value.isNull else { throw unresolved(reference, at: path) }
            if reference.startIndex == text.startIndex, reference.endIndex == text.endIndex { return value }
            made += rest[..<start]
            switch value {
            case .string(let text): made += text
            case .int, .double, .bool: made += value.text
            case .null, .array, .object: throw unresolved(reference, at: path)
            }
            rest = rest[rest.index(after: end)...]
        }
        return .string(made + rest)
    }

    /// What `${steps[0].renditions[1].key}` stands for; nil if nothing.
    private static func value(_ reference: Substring, _ results: [Int: JSON]) -> JSON? {
        var path = reference.dropFirst("${steps".count).dropLast()
        guard let step = position(&path), var value = results[step] else { return nil }
        while let mark = path.first {
            if mark == "[" {
                guard let position = position(&path), let element = value[position] else { return nil }
                value = element
            } else {
                guard mark == "." else { return nil }
                let name = path.dropFirst().prefix { $0 != "." && $0 != "[" }
                guard !name.isEmpty, let member = value[String(name)] else { return nil }
                value = member
                path = path.dropFirst(1 + name.count)
            }
        }
        return value
    }

    /// Reads `[3]`.
    private static func position(_ path: inout Substring) -> Int? {
        guard path.first == "[", let end = path.firstIndex(of: "]"), let position = Int(path[path.index(after: path.startIndex)..<end]), position >= 0
        else { return nil }
        path = path[path.index(after: end)...]
        return position
    }

    private static func unresolved(_ reference: Substring, at path: String) -> TintypeError {
        .invalidParams(
            path: path, value: .string(String(reference.prefix(200))),
            expected: "a reference to the ImageResult of an earlier step, such as ${steps[0].source.finalURL}")
    }
}
