package import TintypeCore

/// One method of the JSON-RPC interface: the source of dispatch, validation, OpenRPC and the reference page.
package struct MethodDescription: Sendable {
    package let name: String
    package let summary: String
    package let parameters: [ParameterDescription]
    /// The lowest role of a token that may call the method.
    package let role: AccessRole
    /// The places of requests in the parameters. A token binds the requests there.
    package let requests: RequestPlaces
    /// Whether a call counts for the limits of its client's name: every call that names a picture or a receipt. Each costs Redis a script.
    package var isCounted: Bool { requests != .none || name.hasPrefix("receipt.") }
    /// The result in words and JSON, as the reference page shows it.
    package let result: String
    /// The errors of the method beside the standard ones.
    package let errors: [ErrorName]
    package let example: MethodExample

    package init(
        _ name: String, _ summary: String, _ parameters: [ParameterDescription] = [], role: AccessRole, requests: RequestPlaces = .none, result: String,
        errors: [ErrorName] = [], example: MethodExample
    ) {
        self.name = name
        self.summary = summary
        self.parameters = parameters
        (self.role, self.requests) = (role, requests)
        self.result = result
        self.errors = errors
        self.example = example
    }
}

/// A request of a method, and its answer. The reference page and OpenRPC show them, and a test makes the request.
///
/// Ids of the service stand for those of the same example before: a test replaces them, and the host `example.org`, by its own.
package struct MethodExample: Sendable {
    /// An object.
    package let params: JSON
    /// nil for a notification.
    package let result: JSON?
    /// Whether the real answer has more members, or arrays with more elements behind.
    package let isShortened: Bool

    /// - Parameters: `params` and `result` are JSON texts.
    package init(_ params: String = "{}", _ result: String?, isShortened: Bool = false) {
        self.params = Self.json(params)
        self.result = result.map { Self.json($0) }
        self.isShortened = isShortened
    }

    private static func json(_ text: String) -> JSON {
        guard let json = try? JSON(parsing: text.utf8) else { preconditionFailure("an example is no JSON: \(text)") }
        return json
    }

    /// The example pairing of OpenRPC.
    func pairing(for method: String) -> JSON {
        let params = params.object?.members.map { member -> JSON in ["name": .string(member.key), "value": member.value] }
        var pairing: JSONObject = ["name": .string(method), "params": .array(params ?? [])]
        if isShortened { pairing["description"] = "The answer has more members." }
        if let result { pairing["result"] = ["name": "result", "value": result] }
        return .object(pairing)
    }
}

/// The methods of the core. Features bring theirs, and the module `TintypeContracts` has the list of all.
package enum MethodCatalog {
    package static let core: [MethodDescription] = imageMethods + queueMethods + cacheMethods + blacklistMethods + systemMethods

    /// The methods of the core and of some features, in the order of the reference page.
    package static func methods(with features: [FeatureMethods]) -> [MethodDescription] {
        features.reduce(into: core) { all, feature in
            let place = all.firstIndex { $0.name == feature.predecessor }
            all.insert(contentsOf: feature.methods, at: place.map { $0 + 1 } ?? all.count)
        }
    }
}

/// The methods of one feature, and the method that they follow in lists. Without that method they stand at the end.
package typealias FeatureMethods = (methods: [MethodDescription], predecessor: String?)

/// The places of image requests in the parameters of a method.
package enum RequestPlaces: Sendable, Hashable {
    case none
    /// The parameters are a request.
    case itself
    /// The parameters have `key`, `request`, or the members of a request.
    case target
    /// Each element of this member is a request; beside `items`, each of `urls` too.
    case items(String)
}
