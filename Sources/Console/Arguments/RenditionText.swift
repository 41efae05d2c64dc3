import TintypeCore
import TintypeImages

/// Builds the JSON of one rendition from words such as `resize=320x320,fit=cover,format=webp`, or from the same words as options.
///
/// Operations are applied in the given order. Names and values come from the descriptions of the operations. A word such as `fit` that is a
/// parameter of an operation belongs to:
/// - the nearest operation before it that has this parameter;
/// - otherwise to an output option of this name;
/// - otherwise to the next operation after it that has this parameter.
struct RenditionText {
    private var steps: [(description: OperationDescription, values: JSONObject)] = []
    private var output = JSONObject()
    /// Parameters whose operation has not been given yet.
    private var early = JSONObject()

    /// Every known word, for help and suggestions.
    static let names: [String] = {
        var names: [String] = []
        for name in OperationCatalog.descriptions.flatMap({ [word($0)] + $0.parameters.map(\.name) }) + OutputOptions.parameters.map(\.name)
        where !names.contains(name) {
            names.append(name)
        }
        return names
    }()

    /// Returns the word for an operation. `background` is called `flatten` here, because the word `background` sets a color of the output or of a canvas.
    static func word(_ description: OperationDescription) -> String { description.name == "background" ? "flatten" : description.name }

    /// Parses one rendition such as `thumb:resize=160x160,fit=cover,format=webp`. The name is optional.
    /// - Throws: `UsageError` for an unknown word.
    static func parse(_ text: String) throws(UsageError) -> (name: String?, json: JSONObject) {
        var rest = Substring(text)
        var name: String?
        if let colon = rest.firstIndex(of: ":"), !rest[..<colon].contains("="), !rest[..<colon].contains(",") {
            name = String(rest[..<colon])
            rest = rest[rest.index(after: colon)...]
        }
        var builder = RenditionText()
        for word in rest.split(separator: ",") {
            let pair = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            try builder.add(String(pair[0]), pair.count == 2 ? String(pair[1]) : "true")
        }
        return (name, try builder.json())
    }

    /// Adds one word with its value. `bit-depth`, as an option is written, is the same as `bitDepth`.
    mutating func add(_ word: String, _ value: String) throws(UsageError) {
        let name = Self.parameterName(word)
        if let description = OperationCatalog.descriptions.first(where: { Self.word($0) == name }) {
            var values = try Self.shorthand(description, value)
            for parameter in description.parameters {
                guard let value = early[parameter.name] else { continue }
                values[parameter.name] = value
                early[parameter.name] = nil
            }
            steps.append((description, values))
        } else if let (index, parameter) = nearest(name) {
            steps[index].values[name] = try Self.checked(parameter, value)
        } else if let parameter = OutputOptions.parameters.first(where: { $0.name == name }) {
            output[name] = try Self.checked(parameter, value)
        } else if let parameter = OperationCatalog.descriptions.flatMap(\.parameters).first(where: { $0.name == name }) {
            early[name] = try Self.checked(parameter, value)
        } else {
            throw UsageError("unknown word \"\(word)\" in a rendition\(NearestName.hint(word, among: Self.names))")
        }
    }

    /// Returns the name of the parameter that an option has.
    private static func parameterName(_ option: String) -> String {
        let parts = option.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        return parts.dropFirst().reduce(parts.first ?? "") { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
    }

    private func nearest(_ name: String) -> (Int, ParameterDescription)? {
        for index in steps.indices.reversed() {
            if let parameter = steps[index].description.parameters.first(where: { $0.name == name }) { return (index, parameter) }
        }
        return nil
    }

    /// Returns the members for the request; empty when no word was given.
    /// - Throws: `UsageError` when the operation of a parameter is missing.
    func json() throws(UsageError) -> JSONObject {
        if let name = early.keys.first {
            let owners = OperationCatalog.descriptions.filter { $0.parameters.contains { $0.name == name } }.map(\.name)
            throw UsageError("\(name) needs \(owners.joined(separator: " or "))")
        }
        var object = JSONObject()
        if !steps.isEmpty {
            object["transform"] = .array(steps.map { .object(JSONObject([("op", .string($0.description.name))]).merging($0.values)) })
        }
        if !output.isEmpty { object["output"] = .object(output) }
        return object
    }

    private static func checked(_ parameter: ParameterDescription, _ text: String) throws(UsageError) -> JSON {
        let value = parameter.type.value(text)
        do throws(TintypeError) {
            try parameter.type.validate(value, at: parameter.name)
        } catch {
            throw UsageError(error.message)
        }
        return value
    }

    /// Parses the short form of each operation's main parameters.
    private static func shorthand(_ description: OperationDescription, _ text: String) throws(UsageError) -> JSONObject {
        switch description.name {
        case "resize": return try size(text, form: "resize takes WIDTHxHEIGHT, WIDTHx or xHEIGHT", sidesMayMiss: true)
        case "crop": return try crop(text)
        case "rotate":
            guard let angle = JSON(number: text) else { throw UsageError("rotate takes degrees clockwise, such as rotate=90, not \"\(text)\"") }
            return ["angle": angle]
        case "flip":
            switch text {
            case "horizontal", "h": return ["horizontal": true]
            case "vertical", "v": return ["vertical": true]
            case "both": return ["horizontal": true, "vertical": true]
            default: throw UsageError("flip takes horizontal, vertical or both, not \"\(text)\"")
            }
        default:
            let main = description.parameters.first { $0.name == description.main }
            // The operation is named without a value.
            if text == "true", !(main?.isRequired ?? false) { return JSONObject() }
            guard let main else {
                let words = description.parameters.map(\.name).joined(separator: ", ")
                throw UsageError("\(word(description)) takes no value\(words.isEmpty ? "" : ": use \(words)"), not \"\(text)\"")
            }
            return [main.name: try checked(main, text)]
        }
    }

    /// Parses `WxH+X+Y`, or `WxH`, which cuts from the middle or as `gravity` says.
    private static func crop(_ text: String) throws(UsageError) -> JSONObject {
        let form = "crop takes WIDTHxHEIGHT or WIDTHxHEIGHT+X+Y"
        let parts = text.split(separator: "+", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 1 || parts.count == 3 else { throw UsageError("\(form), not \"\(text)\"") }
        var values = try size(parts[0], form: form, sidesMayMiss: false)
        if parts.count == 3 {
            for (name, part) in zip(["x", "y"], parts[1...]) {
                guard let number = JSON(number: part), number.double ?? -1 >= 0 else { throw UsageError("\(form), not \"\(text)\"") }
                values[name] = number
            }
        }
        return values
    }

    private static func size(_ text: String, form: String, sidesMayMiss: Bool) throws(UsageError) -> JSONObject {
        let sides = text.split(separator: "x", omittingEmptySubsequences: false)
        var values = JSONObject()
        for (name, side) in zip(["width", "height"], sides) where !side.isEmpty {
            guard let number = JSON(number: String(side)), number.double ?? 0 > 0 else { throw UsageError("\(form), not \"\(text)\"") }
            values[name] = number
        }
        guard sides.count <= 2, values.count == 2 || (sidesMayMiss && values.count == 1) else { throw UsageError("\(form), not \"\(text)\"") }
        return values
    }
}
