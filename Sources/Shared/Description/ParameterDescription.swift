/// One parameter: its name, what it takes, what it is without being given, and what it does.
package struct ParameterDescription: Sendable {
    package let name: String
    package let type: ParameterType
    package let isRequired: Bool
    /// What stands when it is not given; nil when its absence means something of its own.
    package let defaultValue: JSON?
    package let summary: String

    package init(_ name: String, _ type: ParameterType, required: Bool = false, default defaultValue: JSON? = nil, _ summary: String) {
        self.name = name
        self.type = type
        self.isRequired = required
        self.defaultValue = defaultValue
        self.summary = summary
    }

    /// Checks the members of an object: required ones are there, no unknown one is, every value fits. `null` counts as not given.
    /// - Throws: `invalidParams` naming the first breach.
    package static func validate(_ object: JSONObject, _ descriptions: [ParameterDescription], at path: String) throws(TintypeError) {
        for member in object.members where !descriptions.contains(where: { $0.name == member.key }) {
            let names = descriptions.map(\.name)
            let hint = NearestName.of(member.key, among: names).map { " (did you mean \"\($0)\"?)" } ?? ""
            let allowed = names.isEmpty ? "no parameters" : "one of " + names.map { "\"\($0)\"" }.joined(separator: ", ")
            throw TintypeError(
                .invalidParams, .admission, "\(ParameterType.join(path, member.key)): unknown parameter\(hint)",
                details: ["path": .string(ParameterType.join(path, member.key)), "value": member.value, "expected": .string(allowed + hint)])
        }
        for description in descriptions {
            let place = ParameterType.join(path, description.name)
            guard let value = object[description.name], !value.isNull else {
                if description.isRequired { throw .invalidParams(path: place, value: object[description.name], expected: description.type.expectation) }
                continue
            }
            try description.type.validate(value, at: place)
        }
    }
}
