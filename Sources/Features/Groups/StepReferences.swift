import Coordinator
import TintypeCore
import TintypeImages

/// References in a step of a chain to results of earlier steps: `${steps[0].source.finalURL}` in any text of the request. Pure.
///
/// A text that consists of one reference takes the value unchanged, even a number or an object. Inside a longer text, a value must be a text, a
/// number or a boolean.
///
/// JSON of a step is part of its recorded result only if it is short and fits into the group (`GroupView.outcome`).
///
/// A step may pass on values of earlier steps and so double them each time. Therefore a resolved request has limits.
enum StepReferences {
    private static let opening = "${steps["
    /// The limits of a request after its references are replaced: its bytes as JSON, and its levels, counted from the top of the message.
    private static let most = JSON.Allowance(bytes: 4 << 20, levels: 64)
    /// The depth of a step in its message: it stands in `steps` of `params`.
    private static let depth = 3

    /// Returns an ImageResult in the form that references read. A body in `json` becomes a tree whose numbers keep their digits, because ids can
    /// have more digits than a double. `json` in the client's own members is also a tree: Redis returns it as it was written.
    static func opened(_ result: JSON) -> JSON {
        switch result {
        case .object(var object):
            for (key, value) in object.members.map({ ($0.key, $0.value) }) {
                if key == "json", case .raw(let body) = value {
                    object[key] = try? JSON(parsing: body.bytes, keeping: .numbers)
                } else {
                    object[key] = opened(value)
                }
            }
            return .object(object)
        case .array(let items): return .array(items.map(opened))
        case .null, .bool, .int, .double, .string, .raw: return result
        }
    }

    /// Returns whether a request contains references.
    static func occur(in json: JSON) -> Bool {
        switch json {
        case .string(let text): text.contains(opening)
        case .array(let items): items.contains(where: occur)
        case .object(let object): object.members.contains { occur(in: $0.value) }
        case .null, .bool, .int, .double, .raw: false
        }
    }

    /// Returns the steps that a request refers to.
    static func steps(in json: JSON) -> Set<Int> {
        switch json {
        case .string(let text):
            var steps: Set<Int> = []
            var rest = text[...]
            while let mark = rest.firstRange(of: opening)?.upperBound {
                rest = rest[mark...]
                // No step number is longer. Without this limit, a text full of openings would be searched once for each of them.
                if let step = Int(rest.prefix(20).prefix { $0 != "]" }) { steps.insert(step) }
            }
            return steps
        case .array(let items): return items.reduce(into: []) { $0.formUnion(steps(in: $1)) }
        case .object(let object): return object.members.reduce(into: []) { $0.formUnion(steps(in: $1.value)) }
        case .null, .bool, .int, .double, .raw: return []
        }
    }

    /// Returns the request of step `index` with every reference replaced.
    /// - Parameter results: The ImageResults of the steps that have succeeded.
    /// - Throws: `invalidParams` that names the place, and the reference that does not resolve or makes the request too large.
    static func resolve(_ request: JSON, of index: Int, _ results: [Int: JSON]) throws(TintypeError) -> JSON {
        guard occur(in: request) else { return request }
        var left = most
        return try resolve(request, at: "steps[\(index)]", depth, &left, results)
    }

    private static func resolve(
        _ json: JSON, at path: String, _ depth: Int, _ left: inout JSON.Allowance, _ results: [Int: JSON]
    ) throws(TintypeError) -> JSON {
        switch json {
        case .string(let text):
            let resolved = try resolve(text[...], at: path, left.bytes, results)
            guard resolved.fits(&left, depth: depth) else { throw excessive(text, at: path, isLarge: left.bytes < 0) }
            return resolved
        case .array(let items):
            var resolved: [JSON] = []
            for (position, item) in items.enumerated() { resolved.append(try resolve(item, at: "\(path)[\(position)]", depth + 1, &left, results)) }
            return .array(resolved)
        case .object(let object):
            var resolved = JSONObject()
            for (key, value) in object.members { resolved[key] = try resolve(value, at: ParameterType.join(path, key), depth + 1, &left, results) }
            return .object(resolved)
        case .null, .bool, .int, .double, .raw: return json
        }
    }

    /// - Parameter most: The bytes after which it stops.
    private static func resolve(_ text: Substring, at path: String, _ most: Int, _ results: [Int: JSON]) throws(TintypeError) -> JSON {
        var rest = text
        var made = ""
        while let start = rest.firstRange(of: opening)?.lowerBound {
            guard let end = rest[start...].firstIndex(of: "}") else { throw unresolved(rest[start...], at: path) }
            let reference = rest[start...end]
            guard let value = value(reference, results), !value.isNull else { throw unresolved(reference, at: path) }
            if reference.startIndex == text.startIndex, reference.endIndex == text.endIndex { return read(value) }
            guard made.utf8.count <= most else { throw excessive(String(text), at: path, isLarge: true) }
            made += rest[..<start]
            switch value {
            case .string(let text): made += text
            case .int, .double, .bool, .raw: made += value.text
            case .null, .array, .object: throw unresolved(reference, at: path)
            }
            rest = rest[rest.index(after: end)...]
        }
        return .string(made + rest)
    }

    /// Returns a value in the form of requests, which have numbers as doubles.
    private static func read(_ value: JSON) -> JSON {
        switch value {
        case .raw(let text): text.value ?? .null
        case .array(let items): .array(items.map(read))
        case .object(let object): .object(JSONObject(object.members.map { ($0.key, read($0.value)) }))
        case .null, .bool, .int, .double, .string: value
        }
    }

    /// Returns the value of a reference such as `${steps[0].renditions[1].key}`; nil if there is none.
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

    private static func excessive(_ text: String, at path: String, isLarge: Bool) -> TintypeError {
        .invalidParams(
            path: path, value: .string(text),
            expected: isLarge
                ? "references that make the step no larger than \(most.bytes >> 20) MiB" : "references that nest the step no deeper than \(most.levels) levels")
    }

    /// Shows the reference, but nothing of the text behind it.
    private static func unresolved(_ reference: Substring, at path: String) -> TintypeError {
        let shown = reference.utf8.prefix { "${steps[]-_.}".utf8.contains($0) || (0x30...0x39).contains($0) || (0x61...0x7a).contains($0 | 0x20) }
        return .invalidParams(
            path: path, shown: .string(String(Substring(shown)).cut(to: 100)),
            expected: "a reference to the ImageResult of an earlier step, such as ${steps[0].source.finalURL}")
    }
}
