package import TintypeCore

extension AccessGrant {
    /// Returns the parameters of a method within the bounds of the token: every request gets the token's scope and one of its queues.
    /// - Parameter keys: makes the key of a result that a client names.
    /// - Throws: `forbidden` for another scope or queue; `invalidParams` for a value that cannot be proven to be within bounds.
    package func bound(_ params: JSONObject, of method: MethodDescription, keys: KeySecret = .none) throws(TintypeError) -> JSONObject {
        if role < .put || scope != nil { try checkSaving(params, of: method) }
        guard scope != nil || !queues.isEmpty else { return params }
        switch method.requests {
        case .none: return params
        case .itself: return try bound(params, at: "", keys)
        case .target: return try target(params, writes: method.role > .load, keys)
        case .items(let name):
            var bound = params
            if let urls = params["urls"]?.array, name == "items" {
                bound["urls"] = nil
                bound["items"] = .array(
                    try urls.enumerated().map { index, url throws(TintypeError) in
                        .object(try self.bound(["url": url], at: "urls[\(index)]", keys))
                    })
            }
            guard let items = params[name]?.array else { return bound }
            bound[name] = .array(
                try items.enumerated().map { index, item throws(TintypeError) in
                    guard let object = item.object else { return item }
                    return .object(try self.bound(object, at: "\(name)[\(index)]", keys))
                })
            return bound
        }
    }

    /// Files of the operator's belong to no scope, and are written as what is put is.
    private func checkSaving(_ params: JSONObject, of method: MethodDescription) throws(TintypeError) {
        func check(_ request: JSONObject, at path: String) throws(TintypeError) {
            guard let target = request["saveTo"], !target.isNull else { return }
            let place = ParameterType.join(path, "saveTo")
            throw Self.refusal(place, scope == nil ? "needs a token of the role put" : "this token is bound to a scope, and places are not")
        }
        switch method.requests {
        // A lookup saves nothing.
        case .none, .target: return
        case .itself: try check(params, at: "")
        case .items(let name):
            for (index, item) in (params[name]?.array ?? []).enumerated() {
                if let request = item.object { try check(request, at: "\(name)[\(index)]") }
            }
        }
    }

    /// Bounds a key, a request, or the members of a request.
    /// - Parameter writes: whether the method changes the target.
    private func target(_ params: JSONObject, writes: Bool, _ keys: KeySecret) throws(TintypeError) -> JSONObject {
        var bound = params
        if let request = params["request"]?.object {
            bound["request"] = .object(try self.bound(request, at: "request", keys))
            return bound
        }
        guard let key = params["key"]?.string else { return try self.bound(params, at: "", keys) }
        if params["queue"] != nil || writes { bound["queue"] = try queue(params["queue"], at: "") ?? params["queue"] }
        guard let scope else { return bound }
        if ImageRequest.isOwnKey(key) {
            bound["key"] = .string(Self.key(key, in: scope, keys))
        } else if writes {
            throw Self.refusal("key", "a key made by the service may belong to another scope; name the request, or a key of your own")
        }
        return bound
    }

    /// Returns the key that stands for a client's own key within a scope.
    private static func key(_ own: String, in scope: String, _ keys: KeySecret) -> String {
        ImageRequest.key(ImageRequest.key(own, in: Source.hash(scope: scope)), by: keys)
    }

    /// Bounds the `fallback` of a request as `target` bounds a key that is read. A client's own key lies in the scope. Everybody who knows a key made by the
    /// service may use it.
    /// - Throws: `invalidParams` for a value that a chain fills in later, since nobody could check that key.
    private static func fallback(_ json: JSON, in scope: String, at path: String, _ keys: KeySecret) throws(TintypeError) -> JSON {
        guard var fallback = json.object else {
            throw .invalidParams(path: path, value: json, expected: "an object: this token is bound to a scope")
        }
        guard let named = fallback["key"], named != .null else { return json }
        guard let key = named.string, CacheTier.isKey(key) else {
            throw .invalidParams(path: ParameterType.join(path, "key"), value: named, expected: "a key as it is: this token is bound to a scope")
        }
        if ImageRequest.isOwnKey(key) { fallback["key"] = .string(Self.key(key, in: scope, keys)) }
        return .object(fallback)
    }

    private func bound(_ request: JSONObject, at path: String, _ keys: KeySecret) throws(TintypeError) -> JSONObject {
        var bound = request
        if let scope {
            let place = ParameterType.join(path, "cache")
            switch request["cache"] ?? .null {
            case .null: bound["cache"] = ["scope": .string(scope)]
            case .object(var cache):
                guard [nil, .null, .string(scope)].contains(cache["scope"]) else {
                    throw Self.refusal("\(place).scope", "this token is bound to a scope: leave cache.scope out")
                }
                cache["scope"] = .string(scope)
                bound["cache"] = .object(cache)
            case .bool, .int, .double, .string, .array, .raw:
                throw .invalidParams(path: place, value: request["cache"], expected: "an object: this token is bound to a scope")
            }
        }
        if let scope, let asked = request["fallback"], asked != .null {
            bound["fallback"] = try Self.fallback(asked, in: scope, at: ParameterType.join(path, "fallback"), keys)
        }
        if let queue = try queue(request["queue"], at: path) { bound["queue"] = queue }
        return bound
    }

    private func queue(_ named: JSON?, at path: String) throws(TintypeError) -> JSON? {
        guard let first = queues.first else { return nil }
        guard let named, named != .null else { return .string(first) }
        if let name = named.string, queues.contains(name) { return named }
        throw Self.refusal(ParameterType.join(path, "queue"), "this token is bound to the queues \(queues.joined(separator: ", "))")
    }

    private static func refusal(_ path: String, _ reason: String) -> TintypeError {
        TintypeError(.forbidden, .admission, "\(path): \(reason)", details: ["path": .string(path)])
    }
}
