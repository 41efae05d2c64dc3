package import TintypeCore

/// A client's request, parsed and completed with defaults: the parameters of `image.load`, `image.submit` and `image.probe`.
package struct ImageRequest: Sendable {
    package enum Delivery: String, Sendable, CaseIterable { case reference, inline, none }
    package enum Order: String, Sendable, CaseIterable { case fifo, lifo }
    package enum Blacklist: String, Sendable, CaseIterable { case on, off, retry }
    package enum CachePolicy: String, Sendable, CaseIterable { case `default`, reload, only, revalidate, refresh }

    /// The pace of a receipt's `progress` events: after this many seconds or this part of the body, whichever comes first.
    package struct Progress: Sendable, Hashable {
        /// The default interval, and the coarsest interval of a worker's reports.
        package static let usual = 0.25
        /// The finest interval of a worker's reports: fifty a second.
        package static let finest = 0.02

        package var interval = Progress.usual
        package var fraction = 0.05
        /// Whether the request names the fraction. The default fraction alone does not make reports finer.
        package var namesFraction = false

        /// Seconds between a worker's reports: fine enough for the interval, and for each step of a download that takes at least a second.
        package var pace: Double { min(Self.usual, max(Self.finest, namesFraction ? min(interval, fraction) : interval)) }
    }

    package let source: Source
    /// The requested outputs. A requested description (`describe`) is the last one, without a name.
    package let renditions: [Rendition]
    package let receipt: String?
    package let queue: String
    package let priority: Int
    /// nil: the order of the queue.
    package let order: Order?
    /// Seconds from acceptance to the result.
    package let deadline: Double
    package let delivery: Delivery
    /// nil: no progress events.
    package let progress: Progress?
    /// nil: no previews.
    package let previews: PreviewOptions?
    package let isDetached: Bool
    /// Whether the answer waits until replicas of Redis have the request; nil: as the operator has set.
    package let isDurable: Bool?
    /// Whether the request counts in `activity.get`.
    package let isActivity: Bool
    /// Whether the client gets `image.hook`.
    package let wantsHooks: Bool
    /// The callback at the end.
    package let callback: CallbackTarget?
    package let tag: String?
    package let userInfo: JSON?
    /// The supersede key: the request cancels the one before it with the same key.
    package let supersedeKey: String?
    package let blacklist: Blacklist
    /// The result in case of failure.
    package let fallback: Fallback?
    package let cachePolicy: CachePolicy
    package let reads: Set<CacheTier>
    package let writes: Set<CacheTier>
    package let metadata: ResultMetadata?
    /// The properties that the source must have; nil: any source.
    package let requirement: Requirement?
    /// Seconds to keep source and results; nil: as the origin says, or one hour. Negative: not kept.
    package let ttl: Double?
    /// Seconds for which a stale entry replaces a failing origin; nil: as the origin says.
    package let staleIfError: Double?
    /// Seconds for which a stale entry is served while the origin is asked; nil: as the origin says.
    package let staleWhileRevalidate: Double?
    /// Entries of another version count as missing.
    package let version: Int
    /// Whether the request ends only after the result is stored.
    package let awaitsStore: Bool
    package let pins: Bool
    /// The client's own key of the one result, in place of the key of its work.
    package let key: String?
    /// The tags of the results, each once.
    package let tags: [String]
    /// Identifies the request without its receipt. The same receipt id with another fingerprint is a mistake.
    package let fingerprint: String

    /// Completes validated members with defaults.
    /// - Parameters:
    ///   - json: the members of the client and of rules.
    ///   - source: the source.
    ///   - renditions: the outputs.
    ///   - fingerprint: identifies a repeated request.
    init(
        _ json: JSON, isProbe: Bool, source: Source, renditions: [Rendition], callback: CallbackTarget?, fingerprint: String
    ) throws(TintypeError) {
        (self.source, self.renditions, self.callback, self.fingerprint) = (source, renditions, callback, fingerprint)
        metadata = try ResultMetadata(json["metadata"], at: "metadata")
        // The scope is part of every key.
        key = json["cache"]?["key"]?.string.map { own in source.scope.map { Self.key(own, in: $0) } ?? own }
        if key != nil, renditions.count(where: { !$0.name.isEmpty }) != 1 {
            throw .invalidParams(path: "cache.key", value: json["cache"]?["key"], expected: "a request with exactly one rendition, which gets the key")
        }
        if key != nil, renditions.contains(where: { $0.saveTo != nil }) {
            throw .invalidParams(path: "cache.key", value: json["cache"]?["key"], expected: "no saveTo beside it: what is saved has a key of its own")
        }
        tags = Set((json["cache"]?["tags"]?.array ?? []).compactMap(\.string)).sorted()
        requirement = renditions.first?.requirement
        receipt = json["receipt"]?.string
        queue = json["queue"]?.string ?? "default"
        priority = Self.priority(json["priority"])
        order = json["order"]?.string.flatMap { Order(rawValue: $0) }
        deadline = json["deadline"]?.double ?? Self.usualDeadline
        delivery = json["deliver"]?.string.flatMap { Delivery(rawValue: $0) } ?? .reference
        progress = Self.progress(json["progress"])
        previews = renditions.first?.mode == .image ? PreviewOptions(json["progressive"]) : nil
        isDetached = json["detached"]?.bool ?? false
        isDurable = json["durable"]?.bool
        isActivity = json["activity"]?.bool ?? true
        wantsHooks = json["hooks"]?.bool ?? false
        tag = json["tag"]?.string
        userInfo = try Self.userInfo(json["userInfo"])
        supersedeKey = json["slot"]?.string
        blacklist = json["blacklist"]?.string.flatMap { Blacklist(rawValue: $0) } ?? .on
        fallback = isProbe || json["fallback"] == nil ? nil : Fallback(of: json, names: renditions.map(\.name).filter { !$0.isEmpty })
        if let other = json["fallback"]?["url"]?.string { _ = try Source(urls: [other], fetch: FetchOptions()) }
        cachePolicy = json["cache"]?["policy"]?.string.flatMap { CachePolicy(rawValue: $0) } ?? .default
        reads = Self.tiers(json["cache"]?["read"])
        writes = Self.tiers(json["cache"]?["write"])
        ttl = json["cache"]?["ttl"]?.double
        staleIfError = json["cache"]?["staleIfError"]?.double
        staleWhileRevalidate = json["cache"]?["staleWhileRevalidate"]?.double
        version = json["cache"]?["version"]?.int ?? 0
        awaitsStore = json["cache"]?["await"]?.bool ?? true
        pins = json["cache"]?["pin"]?.bool ?? false
        if pins, !awaitsStore || !writes.contains(.results) {
            throw .invalidParams(path: "cache.pin", value: true, expected: "a result that is stored before the end: no await false, and write with results")
        }
    }

    /// - Parameter usual: the operations of renditions that name none.
    static func renditions(_ json: JSON, isProbe: Bool, usual: [AnyOperation] = []) throws(TintypeError) -> [Rendition] {
        let acceptance = try Acceptance(json["fetch"], at: "fetch")
        let mode = json["as"]?.string.flatMap { Rendition.Mode(rawValue: $0) } ?? (isProbe ? .probe : .image)
        if acceptance.shape != nil, mode != .json, mode != .bytes {
            throw .invalidParams(path: "fetch.jsonShape", value: json["fetch"]?["jsonShape"], expected: "as \"json\" or \"bytes\" beside it")
        }
        let decode = DecodeOptions(json["decode"])
        let traits = PictureTrait.read(json)
        if !traits.isEmpty, mode.document != nil {
            throw .invalidParams(path: "describe", value: json["describe"], expected: "as \"image\" or \"bytes\" beside it")
        }
        let telling = Rendition(name: "", mode: .probe, decode: decode, acceptance: acceptance, traits: traits, samples: try ColorSamples(json["samples"]))
        if isProbe {
            // The properties of a file do not depend on decode options.
            guard !traits.isEmpty || decode == DecodeOptions() else {
                throw .invalidParams(path: "decode", value: json["decode"], expected: "describe or samples beside it: a probe decodes only for these")
            }
            return [telling]
        }
        let hasShorthand = json["transform"].map { !$0.isNull } ?? false || json["output"].map { !$0.isNull } ?? false
        if mode != .image, hasShorthand || json["renditions"].map({ !$0.isNull }) ?? false {
            throw .invalidParams(path: "as", value: json["as"], expected: "\"image\" when renditions, transform or output are given")
        }
        let requirement = Requirement(json["require"])
        if requirement != nil, mode != .image { throw .invalidParams(path: "require", value: json["require"], expected: "as \"image\" beside it") }
        guard let list = json["renditions"]?.array else {
            let one = try Rendition(json, mode: mode, decode: decode, acceptance: acceptance, requirement: requirement, usual: usual, at: "")
            return traits.isEmpty ? [one] : [one, telling]
        }
        if hasShorthand {
            throw .invalidParams(path: "renditions", value: json["renditions"], expected: "either renditions, or transform and output at the top level")
        }
        var renditions: [Rendition] = []
        for (index, one) in list.enumerated() {
            let rendition = try Rendition(
                one, mode: mode, decode: decode, acceptance: acceptance, requirement: requirement, usual: usual, at: "renditions[\(index)]")
            if renditions.contains(where: { $0.name == rendition.name }) {
                throw .invalidParams(path: "renditions[\(index)].name", value: .string(rendition.name), expected: "a name that no other rendition has")
            }
            renditions.append(rendition)
        }
        return traits.isEmpty ? renditions : renditions + [telling]
    }

    /// Reads a priority: −10…10, or one of the three words.
    package static func priority(_ json: JSON?) -> Int {
        switch json?.string {
        case "low": -4
        case "normal": 0
        case "high": 4
        default: json?.int ?? 0
        }
    }

    private static func progress(_ json: JSON?) -> Progress? {
        switch json {
        case .some(.bool(true)): return Progress()
        case .some(.object(let object)):
            let plain = Progress()
            return Progress(
                interval: object["interval"]?.double ?? plain.interval, fraction: object["fraction"]?.double ?? plain.fraction,
                namesFraction: object["fraction"]?.double != nil)
        default: return nil
        }
    }

    private static func tiers(_ json: JSON?) -> Set<CacheTier> {
        guard let names = json?.array else { return Set(CacheTier.allCases) }
        return Set(names.compactMap { $0.string.flatMap { CacheTier(rawValue: $0) } })
    }
}

package enum CacheTier: String, Sendable, CaseIterable, Hashable {
    /// Renditions in the memory of one coordinator.
    case memory
    /// Renditions in the shared store.
    case results
    /// Sources as downloaded, in the shared store.
    case sources

    /// The tiers with renditions: the possible values of `stored`.
    package static let ofRenditions: [CacheTier] = [.memory, .results]
    package static let names = allCases.map(\.rawValue)

    /// Whether a text can be a key of a cache: a text that a path takes without escapes.
    package static func isKey(_ text: String) -> Bool { text.isPlainName(1...128) }
    package static let keyType = ParameterType.pattern(expectation: "a key: 1 to 128 of [A-Za-z0-9._-]") { isKey($0) }
}

extension ImageRequest {
    /// - Parameter owner: the client whose request it is (`AccessGrant.owner`); nil: an admin.
    /// - Throws: `forbidden` if an upload of another client is among its sources, mirrors, other pictures or its fallback.
    package func checkUploads(of owner: String?) throws(TintypeError) {
        guard owner != nil else { return }
        func check(_ source: Source) throws(TintypeError) {
            for address in source.addresses { if case .upload(let upload) = address.kind { try upload.check(owner) } }
        }
        try check(source)
        for rendition in renditions { for layer in rendition.layers { try check(layer.source) } }
        if case .request(let request)? = fallback, let upload = request["url"]?.string.flatMap({ UploadedSource(url: $0) }) { try upload.check(owner) }
    }
}

extension UploadedSource {
    fileprivate func check(_ owner: String?) throws(TintypeError) {
        guard !belongs(to: owner) else { return }
        throw TintypeError(
            .forbidden, .admission, "the upload belongs to another client: send the bytes by PUT /uploads with your own token",
            details: ["url": .string(RedactedURL(url).description)])
    }
}
