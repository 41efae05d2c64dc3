package import TintypeCore

/// The effect of a request before any download, and who decides each part: client, rule or default. Shows no secrets. A pure value.
package struct RequestExplanation: Sendable {
    private let read: ReadRequest

    /// - Throws: the error that the request would end with.
    package init(_ json: JSON, rules: Rules) throws(TintypeError) { read = try ReadRequest(json, isProbe: false, rules: rules) }

    package var request: ImageRequest { read.request }

    private static let (byRequest, byDefault) = ("request", "default")
    private static let hidden = JSON.string("(hidden)")
    /// The members that have an explanation of their own.
    private static let apart: Set = ["url", "urls", "transform", "renditions"]

    /// Returns the whole explanation except for the keys.
    package func json() throws(TintypeError) -> JSONObject {
        let rules = read.inForce?.common ?? []
        var object: JSONObject = ["urls": .array(try urls())]
        let headers = RuledHeaders(try FetchOptions(read.asked["fetch"], at: "fetch").headers, rules)
        object["headers"] = .array(headers.sent.map { ["name": .string($0.header.name), "by": .string($0.rule ?? Self.byRequest)] })
        object["omittedHeaders"] = .array(headers.omitted.map { ["name": .string($0.name), "by": .string($0.rule)] })
        if let rule = rules.last(where: { $0.lifetime != nil }), let lifetime = rule.lifetime {
            object["ttl"] = .object(JSONObject([("by", .string(rule.name))]).merging(lifetime.json.object ?? JSONObject()))
        }
        if let rule = rules.last(where: { $0.revision != nil }) { object["response"] = ["by": .string(rule.name)] }
        if let rule = rules.last(where: { $0.tlsProfile != nil }), let profile = rule.tlsProfile {
            object["tlsProfile"] = ["value": .string(profile), "by": .string(rule.name)]
        }
        object["options"] = .array(options(rules))
        return object
    }

    private func urls() throws(TintypeError) -> [JSON] {
        func shown(_ url: String) -> JSON { .string(RedactedURL(url).description) }
        guard let inForce = read.inForce else { return request.source.addresses.map { ["url": shown($0.url)] } }
        let fetch = try FetchOptions(read.words["fetch"], at: "fetch")
        return try inForce.addresses.map { one throws(TintypeError) in
            let settled = try one.settled(fetch)
            var object: JSONObject = ["url": shown(settled.url), "rules": .array(one.rules.map { .string($0.name) })]
            object["inKeys"] = settled.key.map(shown)
            object["access"] = one.access.map { ["value": .string($0.word.rawValue), "by": .string($0.rule)] }
            return .object(object)
        }
    }

    // MARK: Options

    private func options(_ rules: [Rule]) -> [JSON] {
        var found: [JSON] = []
        for member in ImageRequest.parameters where !Self.apart.contains(member.name) {
            // With several renditions, each has its own.
            if member.name == "output", read.words["renditions"]?.array != nil { continue }
            explain(member, Place(path: [member.name], asked: read.asked, words: read.words), rules, &found)
        }
        for (index, rendition) in (read.words["renditions"]?.array ?? []).enumerated() {
            let place = Place(
                path: ["output"], prefix: "renditions[\(index)].", asked: read.asked["renditions"]?[index]?.object ?? JSONObject(),
                words: rendition.object ?? JSONObject())
            explain(ParameterDescription("output", .object(OutputOptions.parameters), "Its encoding."), place, rules, &found)
        }
        let operations = read.words["transform"].map { _ in Self.byRequest } ?? rules.last(where: { $0.transform != nil })?.name
        if let operations, request.renditions.first?.mode == .image { found.append(["name": "transform", "by": .string(operations)]) }
        return found
    }

    /// One member of a request, and its path.
    private struct Place {
        var path: [String]
        var prefix = ""
        let asked: JSONObject
        let words: JSONObject

        var name: String { prefix + path.joined(separator: ".") }
        func member(_ name: String) -> Place { Place(path: path + [name], prefix: prefix, asked: asked, words: words) }
    }

    private func explain(_ member: ParameterDescription, _ place: Place, _ rules: [Rule], _ found: inout [JSON], isSecret: Bool = false) {
        let isSecret = isSecret || member.isSecret
        if case .object(let inner) = member.type, !inner.contains(where: \.isRequired) {
            for one in inner where !["headers", "base"].contains(one.name) { explain(one, place.member(one.name), rules, &found, isSecret: isSecret) }
            return
        }
        let (said, asked) = (place.words.word(at: place.path[...]), place.asked.word(at: place.path[...]))
        guard let value = said ?? member.defaultValue else { return }
        let by: String
        if let said {
            let rule = rules.last { $0.options?.word(at: place.path) != nil }
            let isRules = rule?.options?.word(at: place.path) == said
            by = asked == said ? Self.byRequest : (isRules ? nil : bound(place.path)) ?? rule?.name ?? Self.byRequest
        } else {
            by = Self.byDefault
        }
        found.append(["name": .string(place.name), "value": isSecret && said != nil ? Self.hidden : Self.shown(value), "by": .string(by)])
    }

    /// Returns the rule that bounds this member, whoever sets it.
    private func bound(_ path: [String]) -> String? {
        guard let inForce = read.inForce else { return nil }
        switch path {
        case ["cache", "ttl"]: return inForce.common.last { $0.lifetime != nil }?.name
        case ["cache", "policy"]: return inForce.addresses.lazy.filter(\.isKeptOnly).compactMap { $0.access?.rule }.first
        default: return nil
        }
    }

    /// Returns a value without the secrets in URLs.
    private static func shown(_ value: JSON) -> JSON {
        guard case .object(var object) = value, let url = object["url"]?.string else { return value }
        object["url"] = .string(RedactedURL(url).description)
        return .object(object)
    }
}
