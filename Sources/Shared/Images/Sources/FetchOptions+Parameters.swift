import TintypeCore

extension FetchOptions {
    private static let positiveSeconds = ParameterType.number(0.001...86400)
    static let token = ParameterType.pattern(expectation: "text without line breaks") { text in
        text.utf8.count <= 8192 && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
    }
    private static let scalar = ParameterType.union([.string(), .number(-.infinity ... .infinity), .boolean])

    private static let maxParams = 256

    /// - Throws: `invalidParams` for more parameters than may be appended.
    static func params(checking json: JSON?, at path: String) throws(TintypeError) -> [Header] {
        let found = params(json)
        guard found.count <= maxParams else {
            throw .invalidParams(path: path, value: JSON(found.count), expected: "at most \(maxParams) parameters, each value of an array counted")
        }
        return found
    }

    package static let parameters: [ParameterDescription] = [
        ParameterDescription("method", .choice(methods), default: "GET", "The HTTP method. A transient failure repeats any method, see `retry`."),
        ParameterDescription("headers", .map(of: token), secret: true, "Request headers, part of the source's key. At most 64. " + RequestHeader.summary),
        ParameterDescription(
            "params", .map(of: .union([scalar, .array(of: scalar, count: 0...maxParams)]), most: maxParams), secret: true,
            "Parameters, percent-encoded. An array gives one parameter for each value. POST, PUT and PATCH without a body send them as "
                + "application/x-www-form-urlencoded; otherwise the query of each URL gets them. At most \(maxParams) in all."),
        ParameterDescription(
            "body", RequestBody.type, secret: true,
            "The request's body, for a method that takes one: a text, `{\"base64\": \"…\"}`, `{\"form\": {…}}`, `{\"multipart\": [{name, value or base64, "
                + "filename, type}, …]}`, `{\"json\": …}`, or JSON itself. In a form, an object gives `a[b]=1` and an array `a[]=1`. Content-Type follows "
                + "the kind, unless a header says otherwise."),
        ParameterDescription(
            "base", .pattern(expectation: "the name of a base URL") { (1...256).contains($0.utf8.count) },
            "The name of one of the operator's base URLs. A relative url is resolved against it, see rules.md."),
        ParameterDescription("cdn", .boolean, default: false, "true: downloads from the CDN that the operator has set for the URL's host."),
        ParameterDescription(
            "auth",
            .union([
                .object([ParameterDescription("basic", .array(of: token, count: 2...2), required: true, "User and password.")]),
                .object([ParameterDescription("digest", .array(of: token, count: 2...2), required: true, "User and password.")]),
                .object([ParameterDescription("bearer", token, required: true, "A token.")]),
            ]), secret: true,
            "Credentials, sent only to the URL's own host: `{basic: [user, password]}`, `{digest: [user, password]}` or `{bearer: token}`. If "
                + "the origin refuses them, the request fails with authFailed."),
        ParameterDescription(
            "cookies",
            .pattern(expectation: "the name of a jar: 1 to 64 of [A-Za-z0-9._-]") { isName($0) },
            "The name of a cookie jar that all workers share. Its matching cookies are sent, and cookies from servers are kept there. Default: no cookies."),
        ParameterDescription(
            "timeouts",
            .object([
                ParameterDescription("connect", positiveSeconds, default: 10, "Seconds until the connection is open."),
                ParameterDescription("idle", positiveSeconds, default: 15, "Seconds without a byte."),
                ParameterDescription(
                    "total", positiveSeconds, default: 60,
                    "Seconds for the whole download. The deadline of the request, 30 by default, may end the download before."),
            ]),
            "The timeouts of the download, each at most the operator's --max-timeout, 120 by default. A shared download uses the longest ones of the "
                + "requests that came before it began."),
        ParameterDescription(
            "maxBytes", .integer(1...(1 << 40)), default: 67_108_864, "The most bytes of the body, declared or counted, after decompression."),
        ParameterDescription(
            "redirects",
            .object([
                ParameterDescription("max", .integer(0...50), default: 5, "The most redirects to follow."),
                ParameterDescription("sameHost", .boolean, default: false, "true: a redirect to another host is denied."),
            ]), "How redirects are followed. Never from https to http. Credentials and your headers never go to another host, port or scheme."),
        ParameterDescription(
            "tls",
            .object([
                ParameterDescription(
                    "pinnedPublicKeys",
                    .array(
                        of: .pattern(expectation: "\"sha256//\" and the base64 of 32 bytes") { Self.isPin($0) }, count: 0...16), default: [],
                    "Public keys of which the certificate chain must have one, as curl takes them (SHA-256 of the DER). Every URL must then be https."),
                ParameterDescription("allowInvalid", .boolean, default: false, "true: accepts any certificate. Forbidden unless --allow-invalid-tls."),
            ]), "How to check the server's certificate."),
        ParameterDescription(
            "acceptableStatus",
            .array(
                of: .pattern(expectation: "a status or a range such as \"200-299\"") { Acceptance.range($0) != nil },
                count: 1...32), default: ["200-299"],
            "The statuses whose body is accepted. 204 and 205 have no body: 0 bytes with `as: bytes`, otherwise no picture."),
        ParameterDescription(
            "acceptableTypes",
            .array(
                of: .pattern(expectation: "a media type such as \"image/png\" or \"image/*\"") { MediaRange($0) != nil },
                count: 1...32), "The content types that are accepted. Default: any. A response without one is accepted."),
        ParameterDescription(
            "jsonShape", .any,
            "The required shape of the JSON body. It is a type's name, an object of shapes (all keys required), or an array with one shape for its elements. "
                + "Types are string, number, integer, boolean, object, array, null and any; a null fits any type."),
        ParameterDescription(
            "decrypt", .pattern(expectation: "base64, or the name of a key") { isName($0) },
            "How to decrypt the body; the operator gives keys to the workers (--decryption-keys)."),
        ParameterDescription(
            "retry",
            .object([
                ParameterDescription("attempts", .integer(1...20), default: 3, "The most runs, the first one included."),
                ParameterDescription("base", .number(0...3600), default: 0.5, "Seconds before the first repetition. Doubles each time, with jitter."),
                ParameterDescription("max", .number(0...86400), default: 30, "The most seconds between two runs."),
                ParameterDescription(
                    "on", RetryClasses.type,
                    "The failures to retry; a failure in the list is not blacklisted. Default: dns, connect, timeout, "
                        + "connectionLost, httpStatus. Requests with different lists share no download."),
            ]),
            "How to repeat a download after transient failures. A shared download uses the largest values of its requests, but a request that joins never "
                + "waits longer than its own values allow."
        ),
        ParameterDescription(
            "resume", .boolean, default: true,
            "Whether a broken download is resumed, by any worker. Only if the server can tell that the source has not changed."),
    ]

    /// Names of cookie jars and of keys.
    package static func isName(_ text: String) -> Bool { text.isPlainName(1...64) }

    private static func isPin(_ text: String) -> Bool {
        text.hasPrefix("sha256//") && Base64.bytes(of: Array(text.utf8.dropFirst(8)))?.count == 32
    }
}
