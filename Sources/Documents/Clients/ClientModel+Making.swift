import TintypeContracts
import TintypeCore
import TintypeImages

extension ClientModel {
    static func make() -> ClientModel {
        var model = ClientModel()
        model.choices = [Choice(name: "Place", values: Gravity.anchors.map(\.name)), Choice(name: "Blend", values: Blend.names)]
        for operation in OperationCatalog.descriptions {
            model.add(ClientNames.capital(operation.name), operation.summary, operation.parameters, .operation, tag: ("op", operation.name))
        }
        for object in ProtocolDocument.objects where object.name != "ImageRequest" && object.name != "CacheTarget" && object.name != "Rendition" {
            model.add(object.name, object.summary, object.members, .options)
        }
        for (name, shown) in [("Rendition", "Rendition"), ("ImageRequest", "Request")] {
            guard let object = ProtocolDocument.objects.first(where: { $0.name == name }) else { continue }
            model.add(shown, object.summary, object.members, .options)
        }
        for result in ResultCatalog.results { model.results.append(model.record(result.name, result.summary, result.members, .result)) }
        for answer in AnswerCatalog.results { model.answers.append(model.record(answer.name, answer.summary, answer.members, .result)) }
        model.common = model.members(ResultCatalog.common)
        model.events = ResultCatalog.events.map { event in
            var record = model.record(event.name, event.summary, event.members, .event)
            (record.tag, record.isTerminal) = (("type", event.type), event.isTerminal)
            return record
        }
        for method in MethodCatalog.methods where !method.name.hasPrefix("$") { model.methods.append(model.method(method)) }
        return model
    }

    private mutating func add(
        _ name: String, _ summary: String, _ members: [ParameterDescription], _ use: Record.Use, tag: (member: String, value: String)? = nil,
        isSecret: Bool = false
    ) {
        guard !parameters.contains(where: { $0.name == name }) else { return }
        var record = record(name, summary, members, use, isSecret: isSecret)
        record.tag = tag
        let required = members.filter(\.isRequired).map(\.name)
        let others = use == .operation ? members.filter { !$0.isRequired }.map(\.name).prefix(max(0, 2 - required.count)) : []
        record.leading = ClientNames.leading[name] ?? required + others
        parameters.append(record)
    }

    private mutating func record(
        _ name: String, _ summary: String, _ descriptions: [ParameterDescription], _ use: Record.Use, isSecret: Bool = false
    ) -> Record {
        Record(name: name, summary: Self.unlinked(summary), members: members(descriptions, isSecret: isSecret), use: use)
    }

    /// - Parameter isSecret: whether they belong to an object that is a secret.
    private mutating func members(_ descriptions: [ParameterDescription], isSecret: Bool = false) -> [Member] {
        var members: [Member] = []
        for one in descriptions {
            let isSecret = isSecret || one.isSecret
            members.append(
                Member(
                    name: one.name, kind: kind(of: one.type, member: one.name, isSecret: isSecret), isRequired: one.isRequired,
                    defaultValue: one.defaultValue, summary: Self.unlinked(one.summary), bounds: Self.bounds(one.type), isSecret: isSecret))
        }
        return members
    }

    private mutating func kind(of type: ParameterType, member: String, isSecret: Bool) -> Kind {
        switch type {
        case .boolean: .boolean
        case .string: .text
        case .pattern(let expectation, _): expectation == ParameterType.base64.expectation ? .bytes : .text
        case .integer: .integer
        case .number: .number
        case .choice(let values): choice(values, member: member)
        case .array(.variants, _): .list(.named("Operation"))
        case .array(let type, _): .list(kind(of: type, member: member, isSecret: isSecret))
        case .object(let descriptions): .named(object(descriptions, member: member, isSecret: isSecret))
        case .map(let type, _): .map(kind(of: type, member: member, isSecret: isSecret))
        case .variants: .named("Operation")
        case .union(let types): either(types, member: member, isSecret: isSecret)
        case .null: .null
        case .any: .json
        }
    }

    private mutating func either(_ types: [ParameterType], member: String, isSecret: Bool) -> Kind {
        var kinds: [Kind] = []
        for type in types {
            // A union within a union, and a choice that has two parts, are alternatives like the others.
            let kind = kind(of: type, member: member, isSecret: isSecret)
            if case .either(let inner) = kind { kinds += inner } else { kinds.append(kind) }
        }
        return .either(kinds)
    }

    /// The name of a choice that has one. Names of places and blends within a longer list stand for themselves.
    private mutating func choice(_ values: [String], member: String) -> Kind {
        if let known = choices.first(where: { $0.values == values }) { return .named(known.name) }
        if let part = choices.prefix(2).first(where: { Set($0.values).isSubset(of: values) }) {
            return .either([.named(part.name), .choice(values.filter { !part.values.contains($0) })])
        }
        guard values.count > 3 || values == CacheTier.names else { return .choice(values) }
        let name = ClientNames.choices[member] ?? ClientNames.capital(member)
        precondition(!choices.contains { $0.name == name }, "two choices are called \(name): name this one in ClientNames")
        choices.append(Choice(name: name, values: values))
        return .named(name)
    }

    /// The name of an object, which becomes a record if it is none.
    private mutating func object(_ members: [ParameterDescription], member: String, isSecret: Bool) -> String {
        let names = members.map(\.name)
        if let result = (ResultCatalog.results + AnswerCatalog.results).first(where: { $0.members.map(\.name) == names }) { return result.name }
        let shape = names.joined(separator: ",")
        guard let name = ClientNames.objects[member] ?? ClientNames.shapes[shape] else {
            preconditionFailure("the object \(member) has no name for clients: give its members \(shape) one in ClientNames")
        }
        add(name, "A value of `\(member)`.", members, .options, isSecret: isSecret)
        return name
    }

    private mutating func method(_ method: MethodDescription) -> Method {
        let all = ImageRequest.parameters.map(\.name)
        let shared = method.parameters.count { all.contains($0.name) }
        let takesRequest = shared >= all.count / 2
        let own = takesRequest ? method.parameters.filter { !all.contains($0.name) } : method.parameters
        var parameters = members(own.filter(\.isRequired) + own.filter { !$0.isRequired })
        if case .items(let name) = method.requests, let index = parameters.firstIndex(where: { $0.name == name }) {
            parameters[index].kind = .list(.named("Request"))
        }
        let request: Method.Taking =
            switch method.requests {
            case .itself: .always
            case .target, .items: .none
            case .none: takesRequest ? .perhaps : .none
            }
        return Method(
            name: method.name, summary: Self.unlinked(method.summary), parameters: parameters,
            request: request, result: Self.result(method.result),
            answer: Self.unlinked(method.result), typedAnswer: AnswerCatalog.answers[method.name].map { answer($0) }, role: method.role)
    }

    private mutating func answer(_ answer: AnswerCatalog.Answer) -> Answer {
        switch answer {
        case .object(let result): .record(.named(result.name))
        case .list(let result): .record(.list(.named(result.name)))
        case .map(let result): .record(.map(.named(result.name)))
        case .member(let member): .member(members([member])[0])
        }
    }

    /// The record that the words of a result link to.
    private static func result(_ words: String) -> Kind {
        for result in ResultCatalog.results {
            let link = "[\(result.name)](#\(result.name.lowercased()))"
            if words.hasPrefix(link) { return .named(result.name) }
            if words == "an array of " + link { return .list(.named(result.name)) }
        }
        return .json
    }

    private static func bounds(_ type: ParameterType) -> String? {
        switch type {
        case .integer(let range) where range.upperBound < Int.max / 2: "\(range.lowerBound) to \(range.upperBound)"
        case .integer(let range) where range.lowerBound > .min: "at least \(range.lowerBound)"
        case .number(let range) where range.lowerBound > -.infinity && range.upperBound < .infinity:
            "\(JSON(range.lowerBound).text) to \(JSON(range.upperBound).text)"
        case .boolean, .string, .pattern, .integer, .number, .choice, .array, .object, .map, .variants, .union, .null, .any: nil
        }
    }

    /// The words of a text without the targets of its links.
    private static func unlinked(_ text: String) -> String { text.replacing(/\[([^\]]*)\]\([^)]*\)/) { "\($0.output.1)" } }
}
