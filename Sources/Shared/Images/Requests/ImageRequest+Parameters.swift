import TintypeCore
import TintypeTransport

extension ImageRequest {
    /// The type of a receipt's id.
    package static let receiptType = ParameterType.pattern(expectation: "1 to 128 of A–Z a–z 0–9 . _ : -") { isIdentifier($0) }
    /// The type of a queue's name.
    package static let queueType = ParameterType.pattern(
        expectation: "a queue's name: 1 to 64 of A–Z a–z 0–9 . _ -, and none of \(RedisSpace.names), which name other keys in Redis"
    ) {
        $0.utf8.count <= 64 && !$0.utf8.contains(UInt8(ascii: ":")) && isIdentifier($0) && !RedisSpace.reserves($0)
    }
    /// The type of a priority.
    package static let priorityType = ParameterType.union([.integer(-10...10), .choice(["low", "normal", "high"])])

    private static func isIdentifier(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x30...0x3a).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte) || [0x2d, 0x2e, 0x5f].contains(byte)
            }
    }

    private static let tiers = ParameterType.array(of: .choice(CacheTier.names), count: 0...CacheTier.names.count)

    private static let allTiers = JSON.array(CacheTier.names.map { .string($0) })

    /// The members of `cache`.
    static let cacheParameters: [ParameterDescription] = [
        ParameterDescription(
            "policy", .choice(CachePolicy.allCases.map(\.rawValue)), default: "default",
            "default: what is fresh is served, what is stale asked for; reload: nothing is read, all written; only: never the network; revalidate: the "
                + "origin is always asked; refresh: what is cached comes at once as a `cached` event, then the origin is asked."),
        ParameterDescription("read", tiers, default: allTiers, "Tiers that are looked at."),
        ParameterDescription("write", tiers, default: allTiers, "Tiers that keep what comes."),
        ParameterDescription(
            "ttl", .number(-1...31_536_000),
            "Seconds from storing during which source and results are fresh, whatever the origin says. Default: what it says, an hour if it says nothing; "
                + "negative: not kept."),
        ParameterDescription(
            "staleIfError", .number(0...31_536_000),
            "Seconds beyond its time during which a source that is kept is served when its origin cannot be reached or answers 500, 502, 503 or 504. "
                + "Default: what the origin says by stale-if-error; 0: never. Of policy default, and against no must-revalidate, s-maxage or no-cache."),
        ParameterDescription(
            "staleWhileRevalidate", .number(0...31_536_000),
            "The same at once, without waiting for the origin, which is asked afterwards, once for all. Default: what the origin says by "
                + "stale-while-revalidate."),
        ParameterDescription(
            "await", .boolean, default: true,
            "Whether the end is told only once the store has the result; false: while it is being written, so that its URL may answer 404 for a moment."),
        ParameterDescription(
            "pin", .boolean, default: false,
            "Whether the results are spared, until their time is over, where the store has too much: see `cache.pin`, which takes it back, too."),
        ParameterDescription(
            "version", .integer(0...2_147_483_647), default: 0, "What was kept under another version is not used: raise it when yours has changed."),
        ParameterDescription(
            "scope", .pattern(expectation: "1 to 256 bytes") { (1...256).contains($0.utf8.count) },
            "Whose it is, such as a user's id: part of all keys. Responses marked `private` are kept with a scope only."),
        ParameterDescription(
            "key",
            .pattern(expectation: "1 to 128 of A–Z a–z 0–9 . _ -, not 40 hexadecimal digits as the keys of the service's own, nor k- before them") {
                isOwnKey($0)
            },
            "The key of the result in place of its own; for requests with exactly one rendition. Whoever uses it again gets what is kept under it."),
    ]

    /// Whether it may be a key of a request's own, which those of the service never are.
    package static func isOwnKey(_ text: String) -> Bool { isIdentifier(text) && !text.contains(":") && !isMade(text) }

    private static let scoped = "k-"

    /// Whether it looks like a key that the service makes: of a result, or of a key of one's own within a scope.
    private static func isMade(_ text: String) -> Bool {
        let digits = text.lowercased().hasPrefix(scoped) ? text.utf8.dropFirst(scoped.utf8.count) : text.utf8[...]
        return digits.count == 40 && digits.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0 | 0x20) }
    }

    /// What stands for a key of one's own within a scope.
    /// - Parameter scope: its hash (`Source.scope`).
    package static func key(_ own: String, in scope: String) -> String { scoped + Digest.sha256Hex("\(scope)/\(own)".utf8, digits: 40) }

    /// The key under which a result is kept whose request has named one (`ImageRequest.key`).
    package static func key(_ named: String, by keys: KeySecret) -> String {
        isMade(named) ? scoped + keys.key(String(named.dropFirst(scoped.count))) : named
    }

    /// The seconds that a request may take which says nothing else.
    package static let usualDeadline = 30.0

    /// Bytes of `userInfo`: each event carries them, and Redis keeps them with the receipt for a day.
    private static let mostUserInfo = 16 << 10

    /// - Throws: `invalidParams` for one that is too long.
    static func userInfo(_ json: JSON?) throws(TintypeError) -> JSON? {
        guard let object = json?.object else { return nil }
        let bytes = JSON.object(object).text.utf8.count
        guard bytes <= mostUserInfo else {
            throw .invalidParams(path: "userInfo", value: JSON("\(bytes) bytes"), expected: "an object of at most \(mostUserInfo) bytes of JSON")
        }
        return .object(object)
    }

    private static let common: [ParameterDescription] = [
        ParameterDescription(
            "url", .string(maxLength: 8 << 20),
            "http, https or data; color:COLOR,WIDTHxHEIGHT is a picture of one colour; file where the operator has named a folder (--file-root). "
                + "Anything else is denied. With its "
                + "parameters a URL of http or https has at most \(WebAddress.mostBytes) bytes, all of them ASCII: escape others as %C3%A9. This or urls is "
                + "required."),
        ParameterDescription(
            "urls", .array(of: .string(maxLength: 8 << 20), count: 1...Source.mostMirrors),
            "Mirrors in place of url: tried in order, the next after any failure to fetch. While the host of the first has asked for rest, the first "
                + "whose host has not is tried before it. Options, credentials too, go for all of them."),
        ParameterDescription("receipt", receiptType, "Your own id for this request: repeating it with the same id is idempotent."),
        ParameterDescription("queue", queueType, default: "default", "The lane it waits in; the queue must exist."),
        ParameterDescription("priority", priorityType, default: 0, "Higher goes first; low is −4, normal 0, high 4."),
        ParameterDescription("order", .choice(Order.allCases.map(\.rawValue)), "Within a priority; default: the queue's."),
        ParameterDescription(
            "deadline", .number(0.001...86400), default: JSON(Int(usualDeadline)),
            "Seconds from acceptance to result, queueing included; at most the operator's --max-deadline."),
        ParameterDescription(
            "progress",
            .union([
                .boolean,
                .object([
                    ParameterDescription(
                        "interval", .number(0...3600), default: 0.25, "Seconds between two events at the most; fewer than 0.02 count as 0.02."),
                    ParameterDescription(
                        "fraction", .number(0...1), default: 0.05,
                        "Share of the body between two events at the most. A share that is named makes reports up to fifty a second."),
                ]),
            ]), default: false, "Whether and how often `image.event` tells how far the work is."),
        ParameterDescription(
            "hooks", .boolean, default: false,
            "Whether `image.hook` tells this connection of the moments around the work: willStart, willStop, didStop, each once."),
        ParameterDescription("detached", .boolean, default: false, "true: survives the disconnect of the client, for 24 hours."),
        ParameterDescription("activity", .boolean, default: true, "false: does not count as work that is shown (`activity.get`)."),
        ParameterDescription(
            "callback",
            .object([
                ParameterDescription(
                    "url",
                    .pattern(expectation: "an http or https URL of at most \(WebAddress.mostBytes) bytes, all of them ASCII") { CallbackTarget.accepts($0) },
                    required: true,
                    "Where the terminal event is posted to, as JSON; public addresses only, unless the operator allows others, and none that rules deny."),
                ParameterDescription(
                    "secret", .pattern(expectation: "a string of 1 to 1024 bytes") { (1...1024).contains($0.utf8.count) },
                    "Signs time and body: the header `Tintype-Signature-V1`, see Callbacks."),
            ]), secret: true, "Posts the terminal event, whatever it is, to a URL of yours: see Callbacks."),
        ParameterDescription(
            "slot", .pattern(expectation: "1 to 128 bytes") { (1...128).contains($0.utf8.count) },
            "A name in the queue that one request has at a time: a new one supersedes the one before it."),
        ParameterDescription(
            "blacklist", .choice(Blacklist.allCases.map(\.rawValue)), default: "on",
            "Of a source that failed before. on: not asked again yet; off: asked, nothing noted; retry: asked, a success takes it off the list."),
        ParameterDescription("tag", .string(maxLength: 256), "Echoed in every event."),
        ParameterDescription("userInfo", .map(of: .any), "Echoed in every event; at most \(mostUserInfo) bytes of JSON."),
        PictureTrait.parameter,
        ColorSamples.parameter,
        ParameterDescription("fetch", .object(FetchOptions.parameters), "How the source is downloaded."),
    ]

    /// How it is come by, whatever is made of it.
    private static let ways: [ParameterDescription] = [
        ParameterDescription("cache", .object(cacheParameters), "What is read from and written to the caches."),
        ParameterDescription("decode", .object(DecodeOptions.parameters), "How the source is decoded."),
    ]

    private static let pictures: [ParameterDescription] = [
        Fallback.parameter,
        ParameterDescription(
            "renditions", .array(of: .object(Rendition.parameters), count: 1...32), "One download, any number of outputs. Default: one named \"default\"."),
        ParameterDescription("transform", OperationCatalogue.parameter, "Shorthand for one rendition: its operations."),
        ParameterDescription("output", .object(OutputOptions.parameters), "Shorthand for one rendition: its encoding."),
        Requirement.parameter,
        ResultMetadata.parameter,
        ParameterDescription(
            "as", .choice(Rendition.Mode.askable), default: "image",
            "bytes: no decoding, the source is passed through. json: the body has to be JSON of at most \(JSONText.mostLevels) levels, "
                + "and is in the result as `json`, as it came but for line breaks."),
        ParameterDescription(
            "deliver", .choice(Delivery.allCases.map(\.rawValue)), default: "reference",
            "reference: a key and a URL; inline: base64 in the result, up to 8 MiB; none: only the facts."),
        PreviewOptions.parameter,
    ]

    /// The parameters of `image.load` and `image.submit`.
    package static let parameters = common + ways + pictures
    /// The parameters of `image.probe`.
    package static let probeParameters = common + ways
}
