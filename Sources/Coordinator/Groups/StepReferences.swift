import TintypeCore
import TintypeImages

/// References of a chain's step to what came of earlier steps: `${steps[0].source.finalURL}` in any text of the request. Pure.
///
/// A text that is one reference and nothing else takes the value as it is, a number or an object too; inside a longer text only texts,
/// numbers and booleans can stand.
///
/// JSON that a step has brought stands in a result only as far as it is short and there is room for it (`GroupView.outcome`).
///
/// A step may hand on what it took from earlier ones, and so double it each time: what a request becomes has its limits.
enum StepReferences {
    private static let opening = "${steps["
    /// The most bytes a request may have once its references are replaced, as JSON; and levels, counted as in the message that brought it.
    private static let most = JSON.Allowance(bytes: 4 << 20, levels: 64)
    /// Where a step stands in its message: in `steps` of `params` of the message.
    private static let depth = 3

    /// An ImageResult as references look into it. The body in it is a tree here, with every number as it came: ids have more digits than a double.
    /// So is what stands as `json` in words of the client's own, which come out of Redis as they were written.
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

    /// Whether there is any in a request.
    static func occur(in json: JSON) -> Bool {
        switch json {
        case .string(let text): text.contains(opening)
        case .array(let items): items.contains(where: occur)
        case .object(let object): object.members.contains { occur(in: $0.value) }
        case .null, .bool, .int, .double, .raw: false
        }
    }

    /// The steps that a request refers to.
    static func steps(in json: JSON) -> Set<Int> {
        switch json {
        case .string(let text):
            var steps: Set<Int> = []
            var rest = text[...]
            while let mark = rest.firstRange(of: opening)?.upperBound {
                rest = rest[mark...]
                // No number is longer: a text full of openings is not gone through once for each of them.
                if let step = Int(rest.prefix(20).prefix { $0 != "]" }) { steps.insert(step) }
            }
            return steps
        case .array(let items): return items.reduce(into: []) { $0.formUnion(steps(in: $1)) }
        case .object(let object): return object.members.reduce(into: []) { $0.formUnion(steps(in: $1.value)) }
        case .null, .bool, .int, .double, .raw: return []
        }
    }

    /// The request of step `index` with every reference replaced.
    /// - Parameter results: the ImageResults of the steps that have succeeded.
    /// - Throws: `invalidParams` naming the place and the reference that does not resolve, or what has become too large.
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

    /// - Parameter most: bytes after which it goes no further.
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

    /// A value as requests have it: they say numbers in doubles.
    private static func read(_ value: JSON) -> JSON {
        switch value {
        case .raw(let text): text.value ?? .null
        case .array(let items): .array(items.map(read))
        case .object(let object): .object(JSONObject(object.members.map { ($0.key, read($0.value)) }))
        case .null, .bool, .int, .double, .string: value
        }
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

    private static func excessive(_ text: String, at path: String, isLarge: Bool) -> TintypeError {
        .invalidParams(
            path: path, value: .string(String(text.prefix(200))),
            expected: isLarge
                ? "references that make the step no larger than \(most.bytes >> 20) MiB" : "references that nest the step no deeper than \(most.levels) levels")
    }

    private static func unresolved(_ reference: Substring, at path: String) -> TintypeError {
        .invalidParams(
            path: path, value: .string(String(reference.prefix(200))),
            expected: "a reference to the ImageResult of an earlier step, such as ${steps[0].source.finalURL}")
    }
}
