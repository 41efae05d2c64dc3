import TintypeCore

/// The members that a rule gives to requests without them. A pure value; may hold secrets.
package struct RuleOptions: Sendable, Hashable {
    private let members: JSONObject
    /// The options of each download that sets none.
    package let fetch: FetchOptions
    /// The deadline of a request that names none, in seconds.
    package var deadline: Double? { members["deadline"]?.double }

    /// Members that name a request, belong to one client, or have a place of their own in rules.
    private static let excluded: Set = [
        "url", "urls", "receipt", "callback", "slot", "tag", "userInfo", "saveTo", "renditions", "transform", "fetch.base", "fetch.headers", "cache.key",
    ]

    static let parameters = described(ImageRequest.parameters, at: "")

    private static func described(_ members: [ParameterDescription], at path: String) -> [ParameterDescription] {
        members.compactMap { member in
            let place = ParameterType.join(path, member.name)
            guard !excluded.contains(place) else { return nil }
            guard case .object(let inner) = member.type else { return member }
            return ParameterDescription(
                member.name, .object(described(inner, at: place)), default: member.defaultValue, secret: member.isSecret, member.summary)
        }
    }

    /// Reads validated JSON.
    /// - Throws: `invalidParams` for errors that the description cannot express.
    init(_ members: JSONObject, at path: String) throws(TintypeError) {
        self.members = members
        fetch = try FetchOptions(members["fetch"], at: path + ".fetch")
        _ = try Acceptance(members["fetch"], at: path + ".fetch")
        guard let other = members["fallback"]?["url"]?.string, (try? Source(urls: [other], fetch: FetchOptions())) == nil else { return }
        throw .invalidParams(path: path + ".fallback.url", shown: "(hidden)", expected: "a URL that can be fetched")
    }

    /// Returns the value at a path such as `["fetch", "timeouts", "total"]`; nil if there is none.
    func word(at path: [String]) -> JSON? { members.word(at: path[...]) }

    /// Merges the options of several rules in order. The last value of a member wins, and null removes an earlier value.
    static func laid(_ all: [RuleOptions]) -> JSONObject {
        all.reduce(JSONObject()) { below, one in laid(one.members, over: yielding(below, to: one.members), parameters, takesAway: true) }
    }

    /// Adds to a request the members that it does not have.
    /// - Parameter below: the members from rules.
    static func completed(_ request: JSONObject, over below: JSONObject, isProbe: Bool) -> JSONObject {
        var (request, below) = (request, fitting(below, to: request, isProbe: isProbe))
        if let output = below["output"], let renditions = request["renditions"]?.array {
            below["output"] = nil
            request["renditions"] = .array(
                renditions.map { one in
                    guard let rendition = one.object else { return one }
                    return .object(laid(rendition, over: yielding(["output": output], to: rendition), Rendition.parameters, takesAway: false))
                })
        }
        return laid(request, over: below, ImageRequest.parameters, takesAway: false)
    }

    /// Returns the members that fit a request.
    private static func fitting(_ below: JSONObject, to request: JSONObject, isProbe: Bool) -> JSONObject {
        var below = yielding(below, to: request)
        func said(_ name: String) -> JSON? { request[name].flatMap { $0.isNull ? nil : $0 } ?? below[name] }
        if isProbe {
            below = JSONObject(below.members.filter { member in ImageRequest.probeParameters.contains { $0.name == member.key } }.map { ($0.key, $0.value) })
            if PictureTrait.read(["describe": said("describe") ?? .null, "samples": said("samples") ?? .null]).isEmpty { below["decode"] = nil }
        }
        let mode = isProbe ? .probe : said("as")?.string.flatMap { Rendition.Mode(rawValue: $0) } ?? .image
        if mode != .image { below["output"] = nil }
        if mode.document != nil { (below["describe"], below["samples"]) = (nil, nil) }
        if mode != .json, mode != .bytes { below.take("jsonShape", of: "fetch") }
        return below
    }

    /// Returns the members that remain beside those of the request: two values of one member are never mixed.
    private static func yielding(_ below: JSONObject, to above: JSONObject) -> JSONObject {
        var below = below
        func says(_ name: String, _ member: String? = nil) -> Bool {
            let value = member.map { above[name]?[$0] } ?? above[name]
            return value.map { !$0.isNull } ?? false
        }
        if says("fetch", "method") || says("fetch", "body") {
            below.take("method", of: "fetch")
            below.take("body", of: "fetch")
        }
        // Otherwise both would be sent.
        if above["fetch"]?["headers"]?.object?.keys.contains(where: { $0.lowercased() == "authorization" }) == true { below.take("auth", of: "fetch") }
        if says("output", "accept"), !says("output", "format") { below.take("format", of: "output") }
        if says("transform") || says("output") || says("renditions") { below["as"] = nil }
        return below
    }

    /// - Parameters:
    ///   - members: the members of both. Objects are completed member by member, any other value is replaced whole.
    ///   - takesAway: whether null removes the value below. Otherwise null counts as not given.
    private static func laid(_ above: JSONObject, over below: JSONObject, _ members: [ParameterDescription], takesAway: Bool) -> JSONObject {
        var result = below
        for (name, value) in above.members {
            guard !value.isNull else {
                if takesAway { result[name] = nil }
                continue
            }
            let under = result[name]?.object ?? JSONObject()
            switch ParameterDescription.index(of: name, in: members).map({ members[$0].type }) {
            case .object(let inner): result[name] = .object(laid(value.object ?? JSONObject(), over: under, inner, takesAway: takesAway))
            case .map: result[name] = .object(under.merging(value.object ?? JSONObject()))
            case .boolean, .string, .pattern, .integer, .number, .choice, .array, .variants, .union, .null, .any, nil: result[name] = value
            }
        }
        return result
    }
}

extension JSONObject {
    /// Returns the value at a path; nil for nothing and for null.
    func word(at path: ArraySlice<String>) -> JSON? {
        guard let name = path.first, let value = self[name], !value.isNull else { return nil }
        return path.count == 1 ? value : value.object?.word(at: path.dropFirst())
    }

    /// Removes a member of a member.
    fileprivate mutating func take(_ name: String, of member: String) {
        guard var object = self[member]?.object, object[name] != nil else { return }
        object[name] = nil
        self[member] = .object(object)
    }
}
