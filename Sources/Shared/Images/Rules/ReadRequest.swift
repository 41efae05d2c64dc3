package import TintypeCore

extension ImageRequest {
    /// Reads and checks the parameters of a request.
    /// - Parameter rules: the rules of the operator.
    /// - Throws: `invalidParams` with path, value and expectation; `invalidURL`; `denied`.
    package init(_ json: JSON, isProbe: Bool = false, rules: Rules = .none) throws(TintypeError) {
        self = try ReadRequest(json, isProbe: isProbe, rules: rules).request
    }
}

/// A parsed request: the client's members, the members that rules add, and the outcome. A pure value; may hold secrets.
struct ReadRequest: Sendable {
    let request: ImageRequest
    /// The client's members.
    let asked: JSONObject
    /// The request with the members that rules add.
    let words: JSONObject
    /// nil: there are no rules, and the request names nothing that they define.
    let inForce: RulesInForce?

    init(_ json: JSON, isProbe: Bool, rules: Rules) throws(TintypeError) {
        guard let asked = json.object else { throw .invalidParams(path: "", value: json, expected: "an object") }
        try ParameterDescription.validate(asked, isProbe ? ImageRequest.probeParameters : ImageRequest.parameters, at: "")
        let (urls, fetch) = (try Self.urls(json), try FetchOptions(json["fetch"], at: "fetch"))
        let inForce = try rules.inForce(for: urls, fetch)
        var words = inForce?.completing(asked, isProbe: isProbe)
        let said = words.map { JSON.object($0) } ?? json
        let scope = said["cache"]?["scope"]?.string.map { Source.hash(scope: $0) }
        let source: Source
        if let inForce {
            source = try inForce.source(
                words == nil ? fetch : FetchOptions(said["fetch"], at: "fetch"), extent: isProbe ? Self.probed(said) : .whole, scope: scope)
        } else {
            source = try Source(urls: urls, fetch: fetch, extent: isProbe ? Self.probed(json) : .whole, scope: scope)
        }
        let own = try ImageRequest.renditions(json, isProbe: isProbe)
        var renditions = own
        if words != nil || inForce?.transform != nil { renditions = try ImageRequest.renditions(said, isProbe: isProbe, usual: inForce?.transform ?? []) }
        var isKeptOnly = inForce?.isKeptOnly ?? false
        let metadata = try ResultMetadata(said["metadata"], at: "metadata")
        renditions = try renditions.map { one throws(TintypeError) in
            var one = try one.ruled(rules, &isKeptOnly)
            if one.mode != .probe { one.metadata = metadata }
            return one
        }
        renditions = try SaveTarget.each(of: renditions, said, source)
        if isKeptOnly {
            var cache = said["cache"]?.object ?? JSONObject()
            cache["policy"] = .string(ImageRequest.CachePolicy.only.rawValue)
            words = (words ?? asked).merging(["cache": .object(cache)])
        }
        let callback = CallbackTarget(json["callback"])
        if let callback { try rules.access.check(callback) }
        // Made of the client's members: a repeated request is recognized even after the rules have changed.
        let known: JSON
        if inForce == nil {
            known = source.canonical
        } else {
            let scope = json["cache"]?["scope"]?.string.map { Source.hash(scope: $0) }
            known =
                try fetch.base == nil
                ? Source(urls: urls, fetch: fetch, extent: isProbe ? Self.probed(json) : .whole, scope: scope).canonical
                : Self.relative(urls, fetch, scope)
        }
        request = try ImageRequest(
            words.map { .object($0) } ?? json, isProbe: isProbe, source: source.judged(by: rules.access), renditions: renditions, callback: callback,
            fingerprint: Self.fingerprint(json, known, cdn: fetch.cdn, own))
        (self.asked, self.inForce, self.words) = (asked, inForce, words ?? asked)
    }

    /// How much of the body a probe reads. Descriptions of pixels need the whole body, and a page may have an EXIF block of its own.
    private static func probed(_ json: JSON) -> Source.Extent {
        let traits = PictureTrait.read(json)
        if traits.isEmpty { return .header }
        return traits == [.exif] && DecodeOptions(json["decode"]) == DecodeOptions() ? .exif : .whole
    }

    /// Describes a source whose place is not known yet.
    private static func relative(_ urls: [String], _ fetch: FetchOptions, _ scope: String?) -> JSON {
        var object = fetch.canonical
        object["urls"] = .array(urls.map { .string($0) })
        object["params"] = .array(fetch.params.map { [.string($0.name), .string($0.value)] })
        object["base"] = fetch.base.map { .string($0) }
        object["scope"] = scope.map { .string($0) }
        return .object(object)
    }

    /// Returns the fingerprint. The work counts by its canonical form, everything else as completed, so that written-out defaults change nothing.
    private static func fingerprint(_ json: JSON, _ source: JSON, cdn: Bool, _ renditions: [Rendition]) -> String {
        var keyed = JSONObject()
        for (name, value) in json.object?.members ?? [] where !value.isNull && !workWords.contains(name) {
            guard let index = ParameterDescription.index(of: name, in: ImageRequest.parameters), value != ImageRequest.parameters[index].defaultValue else {
                continue
            }
            keyed[name] = value
        }
        keyed["priority"] = JSON(ImageRequest.priority(json["priority"]))
        keyed["source"] = source
        if cdn { keyed["cdn"] = true }
        keyed["work"] = .array(renditions.map { [.string($0.name), $0.canonical] })
        return Digest.sha256Base64(JSON.object(keyed).canonicalBytes(), characters: 16)
    }

    /// The members that describe the work, and the receipt's own name. Neither their spelling counts, nor a wait for replicas.
    private static let workWords: Set = [
        "receipt", "durable", "url", "urls", "fetch", "renditions", "transform", "output", "as", "decode", "describe", "samples",
    ]

    private static func urls(_ json: JSON) throws(TintypeError) -> [String] {
        switch (json["url"]?.string, json["urls"]?.array) {
        case (let url?, nil): return [url]
        case (nil, let urls?): return urls.compactMap(\.string)
        case (nil, nil): throw .invalidParams(path: "url", value: json["url"], expected: "a string; or urls, an array of them")
        case (.some, .some): throw .invalidParams(path: "urls", value: json["urls"], expected: "either url or urls")
        }
    }
}
