package import TintypeCore

extension ParameterType {
    /// The type as JSON Schema, for the OpenRPC document.
    package var schema: JSON {
        switch self {
        case .boolean: ["type": "boolean"]
        case .string: ["type": "string"]
        case .pattern(let expectation, _): ["type": "string", "description": .string(expectation)]
        case .integer(let range):
            Self.bounded("integer", range.lowerBound == .min ? nil : JSON(range.lowerBound), range.upperBound == .max ? nil : JSON(range.upperBound))
        case .number(let range):
            Self.bounded("number", range.lowerBound == -.infinity ? nil : JSON(range.lowerBound), range.upperBound == .infinity ? nil : JSON(range.upperBound))
        case .choice(let names): ["type": "string", "enum": .array(names.map { .string($0) })]
        case .array(let type, let count):
            ["type": "array", "items": type.schema, "minItems": JSON(count.lowerBound), "maxItems": JSON(count.upperBound)]
        case .object(let members): ParameterDescription.schema(of: members)
        case .map(let type, .max): ["type": "object", "additionalProperties": type.schema]
        case .map(let type, let most): ["type": "object", "additionalProperties": type.schema, "maxProperties": JSON(most)]
        case .variants(let tag, let all):
            [
                "oneOf": .array(
                    all.map { variant in
                        ParameterDescription.schema(
                            of: [ParameterDescription(tag, .choice([variant.name]), required: true, "The name of the shape.")] + variant.members)
                    })
            ]
        case .union(let types): ["anyOf": .array(types.map(\.schema))]
        case .null: ["type": "null"]
        case .any: [:]
        }
    }

    private static func bounded(_ type: String, _ low: JSON?, _ high: JSON?) -> JSON {
        var object: JSONObject = ["type": .string(type)]
        object["minimum"] = low
        object["maximum"] = high
        return .object(object)
    }
}

extension ParameterDescription {
    /// The parameter's schema, with its default and summary.
    package var schema: JSON {
        var object = type.schema.object ?? JSONObject()
        object["description"] = .string(summary)
        object["default"] = defaultValue
        return .object(object)
    }

    /// Returns the schema of an object with exactly these members.
    package static func schema(of members: [ParameterDescription]) -> JSON {
        var object: JSONObject = ["type": "object", "properties": .object(JSONObject(members.map { ($0.name, $0.schema) })), "additionalProperties": false]
        let required = members.filter(\.isRequired).map { JSON.string($0.name) }
        if !required.isEmpty { object["required"] = .array(required) }
        return .object(object)
    }
}
