package import TintypeCore

/// The result that replaces one that could not be loaded. A pure value.
package enum Fallback: Sendable, Hashable {
    /// Another source with the same renditions, as the parameters of a request.
    case request(JSON)
    /// A finished image under this key, unchanged.
    case key(String, names: [String])
    /// A picture of one color and of this size, as PNG.
    case color(Color, width: Int, height: Int, names: [String])

    static let parameter = ParameterDescription(
        "fallback",
        .union([
            .object([
                ParameterDescription(
                    "url", .string(maxLength: WebAddress.mostBytes), required: true,
                    "Another source, with the same renditions, within 10 seconds.")
            ]),
            .object([
                ParameterDescription(
                    "key", CacheTier.keyType, required: true,
                    "The key of a finished image, returned unchanged. A token with a scope finds its own keys only in that scope.")
            ]),
            .object([
                ParameterDescription("color", Color.parameter, required: true, "The color of a plain PNG."),
                ParameterDescription("width", .integer(1...PlainSource.maxSide), required: true, "The width in pixels."),
                ParameterDescription("height", .integer(1...PlainSource.maxSide), required: true, "The height in pixels."),
            ]),
        ]),
        "The replacement for an image that cannot be loaded. The request then succeeds with `from` fallback and the cause as `error`. Not for invalid URLs and "
            + "cancelled requests. Callbacks and subscribers in Redis get the failure.")

    /// The members of a request that hold for its fallback too.
    private static let shared = ["renditions", "transform", "output", "as", "decode", "queue", "priority", "describe", "samples"]

    /// Reads the validated parameters of a request.
    init?(of request: JSON, names: [String]) {
        let json = request["fallback"]
        if let url = json?["url"]?.string {
            var other: JSONObject = ["url": .string(url), "deadline": 10]
            for name in Self.shared { other[name] = request[name] }
            // A fallback belongs to the same scope as its request.
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
            (1...PlainSource.maxSide).contains(width), (1...PlainSource.maxSide).contains(height)
        {
            self = .color(color, width: width, height: height, names: names)
        } else {
            return nil
        }
    }

    /// Whether a URL in the fallback is signed, names a user, or is an upload.
    package var hasSecrets: Bool {
        if case .request(let request) = self { Self.hasSecrets(request) } else { false }
    }

    private static func hasSecrets(_ json: JSON) -> Bool {
        switch json {
        case .string(let text):
            UploadedSource(url: text) != nil
                || URLParts(text).map { !$0.userInfo.isEmpty || $0.params.contains { SecretNames.holds($0.name) } } ?? false
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
