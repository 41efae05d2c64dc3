import TintypeCore

/// Where a result is saved besides the caches: a place that the operator has named, and a name there. A pure value.
package struct SaveTarget: Sendable, Hashable {
    /// The treatment of an existing file of that name.
    package enum Replacing: String, Sendable, Hashable {
        case always = "true"
        case never = "false"
        /// The file that is there stays.
        case keep
    }

    package let place: String
    package var name: SaveName
    package let replacing: Replacing

    private static let usualName = "{stem}.{extension}"
    private static let tokens = SaveName.Token.allCases.map { "`{\($0.rawValue)}`" }.joined(separator: " ")

    package static let parameter = ParameterDescription(
        "saveTo",
        .object([
            ParameterDescription(
                "place", .pattern(expectation: "the name of a place: 1 to 64 of A–Z a–z 0–9 . _ -") { isPlace($0) }, required: true,
                "A folder or bucket that the operator has named (--places of workers)."),
            ParameterDescription(
                "name",
                .pattern(
                    expectation:
                        "1 to 8 parts with / between, each of A–Z a–z 0–9 . _ - and tokens, at most 255 bytes with the longest words"
                ) { SaveName($0) != nil }, default: .string(usualName),
                "The name there, with these tokens: \(tokens). `{stem}` is the name of the URL's file without its ending. `{receipt}` is the id that you gave. "
                    + "Several renditions need `{rendition}`. Other letters become underscores."),
            ParameterDescription(
                "replace", .union([.boolean, .choice([Replacing.keep.rawValue])]), default: false,
                "The treatment of an existing file. `true`: it is replaced. `keep`: it stays, and the result says so. `false`: `storeFailed`, unless the bytes are "
                    + "the same."),
        ]),
        "Saves each result as a file in a place of the operator, whole or not at all, before the request ends. `saved` of each rendition names the file. "
            + "No cache of results answers such a request. With tokens it needs the role `put`.")

    package static func isPlace(_ text: String) -> Bool { CacheTier.isKey(text) && text.utf8.count <= 64 }

    /// Reads the validated member of a request; nil where there is none.
    init?(_ json: JSON?) {
        guard let place = json?["place"]?.string, let name = SaveName(json?["name"]?.string ?? Self.usualName) else { return nil }
        self.init(place, name, json?["replace"])
    }

    /// Reads what `canonical` wrote.
    /// - Throws: `invalidParams` for what it has not written.
    init?(canonical json: JSON?) throws(TintypeError) {
        guard let json, !json.isNull else { return nil }
        guard let place = json["place"]?.string, Self.isPlace(place), let name = json["name"]?.string.flatMap({ SaveName($0) }) else {
            throw .invalidParams(path: "saveTo", value: json, expected: "a place and a name")
        }
        self.init(place, name, json["replace"])
    }

    private init(_ place: String, _ name: SaveName, _ replace: JSON?) {
        (self.place, self.name) = (place, name)
        replacing = replace?.string.flatMap { Replacing(rawValue: $0) } ?? (replace?.bool == true ? .always : .never)
    }

    var canonical: JSON {
        var object: JSONObject = ["place": .string(place), "name": .string(name.text)]
        switch replacing {
        case .never: break
        case .always: object["replace"] = true
        case .keep: object["replace"] = "keep"
        }
        return .object(object)
    }

    /// The target of each rendition, with what the request says of it.
    /// - Throws: `invalidParams` where two would have one name, or nothing would stand for a token.
    static func each(of renditions: [Rendition], _ request: JSON, _ source: Source) throws(TintypeError) -> [Rendition] {
        guard let target = SaveTarget(request["saveTo"]) else { return renditions }
        let made = renditions.count { $0.mode != .probe }
        func refusal(_ expected: String) -> TintypeError {
            .invalidParams(path: "saveTo.name", value: .string(target.name.text), expected: expected)
        }
        if made > 1, !target.name.tokens.contains(.rendition) { throw refusal("{rendition} in it: there are several") }
        var words: [SaveName.Token: String] = [.stem: SaveName.stem(of: source.url), .host: source.host]
        words[.receipt] = request["receipt"]?.string
        if target.name.tokens.contains(.receipt), words[.receipt] == nil { throw refusal("a receipt of your own beside {receipt}") }
        return renditions.map { one in
            guard one.mode != .probe else { return one }
            var one = one
            words[.rendition] = one.name
            var own = target
            own.name = target.name.filled(words)
            one.saveTo = own
            return one
        }
    }
}

/// A file that a result was saved as. A pure value.
package struct SavedFile: Sendable, Hashable {
    let place: String
    let name: String
    /// Whether another one was there and stays.
    let isKept: Bool

    package init(place: String, name: String, isKept: Bool) { (self.place, self.name, self.isKept) = (place, name, isKept) }

    var json: JSON {
        var object: JSONObject = ["place": .string(place), "name": .string(name)]
        if isKept { object["kept"] = true }
        return .object(object)
    }
}
