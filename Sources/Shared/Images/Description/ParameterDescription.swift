package import TintypeCore

/// One parameter: its name, accepted values, default and purpose.
package struct ParameterDescription: Sendable {
    package let name: String
    package let type: ParameterType
    package let isRequired: Bool
    /// The value of an absent parameter; nil if absence has a meaning of its own.
    package let defaultValue: JSON?
    package let summary: String
    /// Whether the value, or a part of it, must not be shown. Errors then name the place and the expectation, not the value.
    package let isSecret: Bool

    package init(
        _ name: String, _ type: ParameterType, required: Bool = false, default defaultValue: JSON? = nil, secret: Bool = false, _ summary: String
    ) {
        self.name = name
        self.type = type
        self.isRequired = required
        self.defaultValue = defaultValue
        isSecret = secret
        self.summary = summary
    }

    /// The same parameter, not required.
    var optional: ParameterDescription { ParameterDescription(name, type, default: defaultValue, secret: isSecret, summary) }

    /// Checks the members of an object: required ones are present, none is unknown, every value fits. `null` counts as not given.
    ///
    /// The first unknown member ends the check. So of many members, at most one more is looked at than there are descriptions.
    /// - Parameter tag: a member that was checked before.
    /// - Throws: `invalidParams` naming the first mistake.
    package static func validate(
        _ object: JSONObject, _ descriptions: [ParameterDescription], beside tag: String? = nil, at path: String
    ) throws(TintypeError) {
        // The position of each description's member. Most of a few dozen descriptions have none.
        var given = [Int?](repeating: nil, count: descriptions.count)
        for (position, member) in object.members.enumerated() {
            if let found = Self.index(of: member.key, in: descriptions) {
                given[found] = position
                continue
            }
            if let tag, member.key.isExactly(tag) { continue }
            throw unknown(member, among: descriptions.map(\.name), at: path)
        }
        for index in descriptions.indices where given[index] != nil || descriptions[index].isRequired {
            let description = descriptions[index]
            let place = ParameterType.join(path, description.name)
            let value = given[index].map { object.members[$0].value }
            guard let value, !value.isNull else {
                if description.isRequired { throw .invalidParams(path: place, value: value, expected: description.type.expectation) }
                continue
            }
            do throws(TintypeError) {
                try description.type.validate(value, at: place)
            } catch {
                throw description.isSecret ? description.hidingValue(of: error) : error
            }
        }
    }

    package static func index(of name: String, in descriptions: [ParameterDescription]) -> Int? {
        let count = name.utf8.count
        return descriptions.indices.first { descriptions[$0].name.utf8.count == count && descriptions[$0].name.isExactly(name) }
    }

    private static func unknown(_ member: (key: String, value: JSON), among names: [String], at path: String) -> TintypeError {
        let hint = NearestName.of(member.key, among: names).map { " (did you mean \"\($0)\"?)" } ?? ""
        let allowed = names.isEmpty ? "no parameters" : "one of " + names.map { "\"\($0)\"" }.joined(separator: ", ")
        let place = ParameterType.join(path, member.key)
        return TintypeError(
            .invalidParams, .admission, "\(place): unknown parameter\(hint)",
            details: ["path": .string(place), "value": member.value.shown, "expected": .string(allowed + hint)])
    }

    /// Returns the error without the given value.
    private func hidingValue(of error: TintypeError) -> TintypeError {
        let expected = error.details["expected"]?.string ?? type.expectation
        return .invalidParams(path: error.details["path"]?.string ?? name, shown: "(hidden)", expected: expected)
    }
}
