package import TintypeCore
import TintypeTransport

/// What a client gets in place of an image that could not be loaded. A pure value.
package enum Fallback: Sendable, Hashable {
    /// Another source, of which the same renditions are made: the parameters of a request.
    case request(JSON)
    /// A finished image under this key, as it is.
    case key(String, names: [String])
    /// A plain picture of this size, as PNG.
    case color(Color, width: Int, height: Int, names: [String])

    static let parameter = ParameterDescription(
        "fallback",
        .union([
            .object([
                ParameterDescription(
                    "url", .string(maxLength: WebAddress.mostBytes), required: true,
                    "Another source, of which the same renditions are made, within 10 seconds.")
            ]),
            .object([
                ParameterDescription(
                    "key", CacheTier.keyType, required: true,
                    "The key of a finished image, which is returned as it is. Where a token is bound to a scope, keys of one's own lie in that scope.")
            ]),
            .object([
                ParameterDescription("color", Color.parameter, required: true, "A plain picture, returned as PNG as it is."),
                ParameterDescription("width", .integer(1...PlainSource.longestSide), required: true, "Pixels."),
                ParameterDescription("height", .integer(1...PlainSource.longestSide), required: true, "Pixels."),
            ]),
        ]),
        "Returned in place of an image that cannot be loaded: the request succeeds, `from` is fallback and `error` says why. Not for a URL "
            + "that is none, nor for what was cancelled. It is put in by the coordinator: callbacks and subscribers of Redis hear of the failure.")

    /// What of a request goes for its fallback too.
    private static let shared = ["renditions", "transform", "output", "as", "decode", "queue", "priority", "describe", "samples"]

    /// Reads the validated parameters of a request.
    init?(of request: JSON, names: [String]) {
        let json = request["fallback"]
        if let url = json?["url"]?.string {
            var other: JSONObject = ["url": .string(url), "deadline": 10]
            for name in Self.shared { other[name] = request[name] }
            // Whose the request is, its fallback is too.
            if let scope = request["cache"]?["scope"], scope != .null { other["cache"] = ["scope": scope] }
            self = .request(.object(other))
        } else {
            var whole = json?.object ?? JSONObject()
            whole["names"] = .array(names.map { .string($0) })
            self.init(.object(whole))
        }
    }

    /// Reads what `json` wrote; nil for anything else.
    package init?(_ json: JSON) {
        let names = json["names"]?.array?.compactMap(\.string) ?? []
        if let request = json["request"] {
            self = .request(request)
        } else if let key = json["key"]?.string {
            self = .key(key, names: names)
        } else if let color = json["color"]?.string.flatMap({ Color($0) }), let width = json["width"]?.int, let height = json["height"]?.int,
            (1...PlainSource.longestSide).contains(width), (1...PlainSource.longestSide).contains(height)
        {
            self = .color(color, width: width, height: height, names: names)
        } else {
            return nil
        }
    }

    /// Whether a URL in it is signed or names a user.
    package var hasSecrets: Bool {
        if case .request(let request) = self { Self.hasSecrets(request) } else { false }
    }

    private static func hasSecrets(_ json: JSON) -> Bool {
        switch json {
        case .string(let text):
            URLParts(text).map { !$0.userInfo.isEmpty || $0.params.contains { SecretNames.holds($0.name) } } ?? false
        case .array(let items): items.contains(where: hasSecrets)
        case .object(let object): object.members.contains { hasSecrets($0.value) }
        case .null, .bool, .int, .double, .raw: false
        }
    }

    package var json: JSON {
        switch self {
        case .request(let request): ["request": request]
        case .key(let key, let names): ["key": .string(key), "names": .array(names.map { .string($0) })]
        case .color(let color, let width, let height, let names):
            ["color": .string(color.canonical), "width": JSON(width), "height": JSON(height), "names": .array(names.map { .string($0) })]
        }
    }
}
