import TintypeCore
import TestSupport

/// The names of an example that stand for others in a test, and the comparison of answers.
///
/// A text such as `g-1` is an id of the service: the first answer that has it says which one. A URL of `example.org` is one of the test's origin.
struct ExampleNames {
    /// The meanings of ids so far.
    private(set) var ids: [String: String] = [:]
    /// The URLs at the test's origin, by those of examples.
    let urls: [String: String]

    init(urls: [String: String] = [:]) { self.urls = urls }

    mutating func bind(_ name: String, to id: String) { ids[name] = id }

    /// Returns the params of an example, with the ids and URLs of this test.
    func real(_ params: JSON) -> JSON {
        switch params {
        case .string(let text): .string(ids[text] ?? urls[text] ?? text)
        case .array(let values): .array(values.map { real($0) })
        case .object(let object): .object(JSONObject(object.members.map { ($0.key, real($0.value)) }))
        case .null, .bool, .int, .double, .raw: params
        }
    }

    /// Members with times, hosts and sizes, which are never the same twice.
    private static let varying: Set<String> = ["at", "since", "until", "seenSeconds", "bytes", "rssBytes", "capacity", "slots"]

    /// Compares an answer with that of an example: the members, their types, and the values that do not vary. New ids get their meaning.
    /// - Parameter isShortened: whether the answer may have more members, or more elements at the end of an array.
    /// - Returns: a sentence for each difference.
    mutating func differences(_ answer: JSON, from example: JSON, isShortened: Bool, at path: String = "result") -> [String] {
        guard answer.kind == example.kind else { return ["\(path) is \(answer.text), and the example has \(example.text)"] }
        switch (answer, example) {
        case (.object(let real), .object(let shown)):
            var found: [String] = []
            for member in real.members where !isShortened && shown[member.key] == nil { found.append("\(path).\(member.key) is not in the example") }
            for member in shown.members {
                let place = "\(path).\(member.key)"
                if let value = real[member.key] {
                    found += differences(value, from: member.value, isShortened: isShortened, at: place)
                } else {
                    found.append("\(place) is only in the example")
                }
            }
            return found
        case (.array(let real), .array(let shown)):
            guard isShortened ? real.count >= shown.count : real.count == shown.count else {
                return ["\(path) has \(real.count) elements, and the example \(shown.count)"]
            }
            var found: [String] = []
            for (index, (value, element)) in zip(real, shown).enumerated() {
                found += differences(value, from: element, isShortened: isShortened, at: "\(path)[\(index)]")
            }
            return found
        case (.string(let real), .string(let shown)) where shown.wholeMatch(of: /[a-z]-\d/) != nil && ids[shown] == nil:
            bind(shown, to: real)
            return []
        default:
            let isSame = answer == self.real(example) || Self.varying.contains(path.split(separator: ".").last.map { String($0) } ?? path)
            return isSame ? [] : ["\(path) is \(answer.text), and the example has \(example.text)"]
        }
    }
}
