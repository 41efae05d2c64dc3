import TintypeCore

extension ImageRequest {
    package static let receiptType = ParameterType.pattern(expectation: "1 to 128 of [A-Za-z0-9._:-]") { isIdentifier($0) }
    package static let queueType = ParameterType.pattern(
        expectation: "a queue's name: 1 to 64 of [A-Za-z0-9._-], not \(RedisSpace.names)"
    ) {
        $0.isPlainName(1...64) && !RedisSpace.reserves($0)
    }
    package static let priorityType = ParameterType.union([.integer(-10...10), .choice(["low", "normal", "high"])])

    private static func isIdentifier(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count) && text.utf8.allSatisfy { $0.isPlain || $0 == UInt8(ascii: ":") }
    }

    private static let tiers = ParameterType.array(of: .choice(CacheTier.names), count: 0...CacheTier.names.count)

    private static let allTiers = JSON.array(CacheTier.names.map { .string($0) })

    package static let cacheParameters: [ParameterDescription] = [
        ParameterDescription(
            "policy", .choice(CachePolicy.allCases.map(\.rawValue)), default: "default",
            "Which answers are accepted. `default`: a fresh entry is served, a stale one revalidated. `reload`: no cache is read. `only`: the origin is "
                + "never asked. `revalidate`: the origin is always asked. `refresh`: the cached result comes at once as a `cached` event, then the origin is "
                + "asked."),
        ParameterDescription("read", tiers, default: allTiers, "The tiers to read."),
        ParameterDescription("write", tiers, default: allTiers, "The tiers to write."),
        ParameterDescription(
            "ttl", .number(-1...31_536_000),
            "Seconds for which source and results are fresh, in place of what the origin says. Negative: not kept. Default: as the origin says, or one hour."),
        ParameterDescription(
            "staleIfError", .number(0...31_536_000),
            "Seconds for which a stale source may be served if its origin cannot be reached or answers 500, 502, 503 or 504. 0: never. Default: the origin's "
                + "stale-if-error. Only with policy default; must-revalidate, s-maxage and no-cache forbid it."),
        ParameterDescription(
            "staleWhileRevalidate", .number(0...31_536_000),
            "Seconds for which a stale source may be served while the origin is asked in the background. Default: the origin's stale-while-revalidate."),
        ParameterDescription(
            "await", .boolean, default: true,
            "true: the request ends after the result is stored. false: it may end before; the result's URL may then answer 404 for a moment."),
        ParameterDescription(
            "pin", .boolean, default: false,
            "Whether to pin the results, so that a full store keeps them until they expire."),
        ParameterDescription(
            "version", .integer(0...2_147_483_647), default: 0,
            "Your version of the content. Entries of other versions are not used: raise it after a change."),
        ParameterDescription(
            "scope", scope,
            "The owner of the request, such as a user's id: part of all keys. A response marked `private` is kept only with a scope."),
        ParameterDescription(
            "key",
            .pattern(expectation: "1 to 128 of [A-Za-z0-9._-], but no key of the service (40 hexadecimal digits, perhaps after k-)") {
                isOwnKey($0)
            },
            "Your own key for the result, with exactly one rendition. Every request with this key gets the same result."),
        ParameterDescription(
            "tags", .array(of: CacheTag.type, count: 1...CacheTag.most), "Names for `cache.purge`. A result has the tags of all requests that got it."),
    ]

    /// The type of a scope.
    package static let scope = ParameterType.pattern(expectation: "1 to 256 bytes") { (1...256).contains($0.utf8.count) }

    /// Whether a text may be a client's own key. Keys made by the service never are.
    package static func isOwnKey(_ text: String) -> Bool { CacheTier.isKey(text) && !isMade(text) }

    private static let scoped = "k-"

    /// Whether a text looks like a key made by the service: for a result, or for a client's own key within a scope.
    private static func isMade(_ text: String) -> Bool {
        let digits = text.lowercased().hasPrefix(scoped) ? text.utf8.dropFirst(scoped.utf8.count) : text.utf8[...]
        return digits.count == 40 && digits.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0 | 0x20) }
    }

    /// Returns the key that stands for a client's own key within a scope.
    /// - Parameter scope: the hash of the scope (`Source.scope`).
    package static func key(_ own: String, in scope: String) -> String { scoped + Digest.sha256Hex("\(scope)/\(own)".utf8, digits: 40) }

    /// Returns the key under which the result of a request with `ImageRequest.key` is kept.
    package static func key(_ named: String, by keys: KeySecret) -> String {
        isMade(named) ? scoped + keys.key(String(named.dropFirst(scoped.count))) : named
    }

    /// The deadline of a request that names none, in seconds.
    package static let usualDeadline = 30.0

    /// The most bytes of `userInfo`: each event carries them, and Redis keeps them with the receipt for a day.
    private static let maxUserInfo = 16 << 10

    /// - Throws: `invalidParams` for an object that is too long.
    static func userInfo(_ json: JSON?) throws(TintypeError) -> JSON? {
        guard let object = json?.object else { return nil }
        let bytes = JSON.object(object).text.utf8.count
        guard bytes <= maxUserInfo else {
            throw .invalidParams(path: "userInfo", shown: JSON("\(bytes) bytes"), expected: "an object of at most \(maxUserInfo) bytes of JSON")
        }
        return .object(object)
    }

    /// The parameter that asks for the wait for replicas.
    private static let durable = ParameterDescription("durable", .boolean, "See Durable. Default: as the operator says.")

    private static let common: [ParameterDescription] = [
        ParameterDescription(
            "url", .string(maxLength: 8 << 20),
            "The URL of the source: http, https, data, `color:COLOR,WIDTHxHEIGHT`, file with the operator's --file-root, "
                + "`s3://bucket/key` with the workers' --source-buckets, or `upload:ID` (PUT /uploads). An http or https URL "
                + "has at most \(WebAddress.mostBytes) bytes of ASCII, parameters included; escape others, as %C3%A9. Either url or urls is required."),
        ParameterDescription(
            "urls", .array(of: .string(maxLength: 8 << 20), count: 1...Source.maxMirrors),
            "Mirrors of one source, instead of url: the next one is tried after a failed download. If the first host is throttled, the first mirror on "
                + "another host goes first. All options hold for all mirrors."),
        ParameterDescription(
            "receipt", receiptType,
            "Your own id for the request. A repeated request with the same id is idempotent. Another request with an id in use fails with invalidParams, "
                + "whose `path` is receipt."),
        ParameterDescription("queue", queueType, default: "default", "The queue of the request, which must exist."),
        ParameterDescription(
            "priority", priorityType, default: 0,
            "The order in the queue among the fetches of one client: higher goes first. Permits are shared between clients before priorities count."
        ),
        ParameterDescription("order", .choice(Order.allCases.map(\.rawValue)), "The order within a priority. Default: the order of the queue."),
        ParameterDescription(
            "deadline", .number(0.001...86400), default: JSON(Int(usualDeadline)),
            "Seconds from acceptance to the result, queueing included. At most the operator's --max-deadline, 600 by default."),
        ParameterDescription(
            "progress",
            .union([
                .boolean,
                .object([
                    ParameterDescription(
                        "interval", .number(0...3600), default: 0.25, "The most seconds between two events; values below 0.02 count as 0.02."),
                    ParameterDescription(
                        "fraction", .number(0...1), default: 0.05,
                        "The largest step of the body between two events. A named step allows up to fifty events a second."),
                ]),
            ]), default: false,
            "Whether progress events come, and how often: after `interval` seconds (default 0.25, at least 0.02) or a step of `fraction` (default 0.05)."),
        ParameterDescription(
            "hooks", .boolean, default: false,
            "Whether this connection gets `image.hook`, see Hooks."),
        ParameterDescription("detached", .boolean, default: false, "true: the request goes on for 24 hours without its client."),
        durable,
        ParameterDescription("activity", .boolean, default: true, "false: the request does not count in `activity.get`."),
        ParameterDescription(
            "callback",
            .object([
                ParameterDescription(
                    "url",
                    .pattern(expectation: "an http or https URL of at most \(WebAddress.mostBytes) bytes, all of them ASCII") { CallbackTarget.accepts($0) },
                    required: true,
                    "Where to post it. Only public addresses, unless the operator allows others; rules may deny more."),
                ParameterDescription(
                    "secret", .pattern(expectation: "a string of 1 to 1024 bytes") { (1...1024).contains($0.utf8.count) },
                    "Signs the callback, see Callbacks."),
            ]), secret: true, "Posts the terminal event to a URL of yours, see Callbacks."),
        ParameterDescription(
            "slot", .pattern(expectation: "1 to 128 bytes") { (1...128).contains($0.utf8.count) },
            "The supersede key: a newer request with the same key in the queue cancels the older one."),
        ParameterDescription(
            "blacklist", .choice(Blacklist.allCases.map(\.rawValue)), default: "on",
            "The treatment of a blacklisted source. `on`: refused. `off`: downloaded, and the blacklist does not change. `retry`: downloaded, and a success "
                + "removes the entry."),
        ParameterDescription("tag", .string(maxLength: 256), "A text that every event repeats."),
        ParameterDescription(
            "userInfo", .map(of: .any), "An object that every event repeats. At most \(maxUserInfo) bytes of JSON; an integer above 64 bits becomes a float."),
        PictureTrait.parameter,
        ColorSamples.parameter,
        ParameterDescription("fetch", .object(FetchOptions.parameters), "How to download the source."),
    ]

    /// The parameters of the caches and the decoder, which a probe has too.
    private static let ways: [ParameterDescription] = [
        ParameterDescription("cache", .object(cacheParameters), "Which caches to read and write."),
        ParameterDescription("decode", .object(DecodeOptions.parameters), "How to decode the source."),
    ]

    private static let pictures: [ParameterDescription] = [
        Fallback.parameter,
        ParameterDescription(
            "renditions", .array(of: .object(Rendition.parameters), count: 1...32), "The outputs of one download. Default: one named \"default\"."),
        ParameterDescription("transform", OperationCatalog.parameter, "The operations of the only rendition. Instead of `renditions`."),
        ParameterDescription("output", .object(OutputOptions.parameters), "The encoding of the only rendition. Instead of `renditions`."),
        Requirement.parameter,
        ResultMetadata.parameter,
        SaveTarget.parameter,
        ParameterDescription(
            "as", .choice(Rendition.Mode.askable), default: "image",
            "The kind of result. `image`: a picture. `bytes`: the undecoded source. `json`: the source as the result's `json`; it must be JSON of at most "
                + "\(JSONText.maxLevels) levels, and only line breaks change. `text`: the body as the result's `text`, decoded by the charset of its Content-Type, else as UTF-8. "
                + "`xml`: the same; it must be well-formed XML of at most 256 levels. XML with declarations of its own is refused. A byte order mark "
                + "overrides the header, and the header overrides the declaration of XML."),
        ParameterDescription(
            "deliver", .choice(Delivery.allCases.map(\.rawValue)), default: "reference",
            "How the bytes come. `reference`: a key and a URL. `inline`: base64 in the result, up to 8 MiB. `none`: no bytes."),
        PreviewOptions.parameter,
    ]

    /// The parameters of `image.load` and `image.submit`.
    package static let parameters = common + ways + pictures
    package static let probeParameters = common + ways
}
