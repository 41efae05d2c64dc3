import TintypeCore
import TintypeTransport

extension FetchOptions {
    private static let positiveSeconds = ParameterType.number(0.001...86400)
    static let token = ParameterType.pattern(expectation: "text without line breaks") { text in
        text.utf8.count <= 8192 && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
    }
    private static let scalar = ParameterType.union([.string(), .number(-.infinity ... .infinity), .boolean])

    private static let mostParams = 256

    /// - Throws: `invalidParams` for more parameters than are appended.
    static func params(checking json: JSON?, at path: String) throws(TintypeError) -> [Header] {
        let found = params(json)
        guard found.count <= mostParams else {
            throw .invalidParams(path: path, value: JSON(found.count), expected: "at most \(mostParams) parameters, each value of an array counted")
        }
        return found
    }

    package static let parameters: [ParameterDescription] = [
        ParameterDescription("method", .choice(methods), default: "GET", "The request's method. Whatever it is, a transient failure repeats it: see retry."),
        ParameterDescription("headers", .map(of: token), secret: true, "Request headers, part of the source's key. At most 64. " + RequestHeader.summary),
        ParameterDescription(
            "params", .map(of: .union([scalar, .array(of: scalar, count: 0...mostParams)]), most: mostParams), secret: true,
            "Parameters, percent-encoded; an array is one for each of its values. Of POST, PUT and PATCH without a body they are the body, as "
                + "application/x-www-form-urlencoded; else each URL gets them in its query. At most \(mostParams) in all."),
        ParameterDescription(
            "body", RequestBody.type, secret: true,
            "The request's body: text; `{\"base64\": \"…\"}`; `{\"form\": {…}}`, sent as application/x-www-form-urlencoded, `a[b]=1` of an object and "
                + "`a[]=1` of an array; `{\"multipart\": [{name, value or base64, filename, type}, …]}`, sent as multipart/form-data; `{\"json\": …}`, or any other "
                + "object or an array, sent as JSON. Content-Type is text/plain, application/octet-stream or what was named here, unless a header says "
                + "otherwise. Needs a method that takes one."),
        ParameterDescription(
            "base", .pattern(expectation: "the name of a base URL") { (1...256).contains($0.utf8.count) },
            "The name of one of the operator's base URLs, which a relative url is resolved against: see Rules."),
        ParameterDescription("cdn", .boolean, default: false, "true: the CDN that the operator has named for the URL's host is asked in its place."),
        ParameterDescription(
            "auth",
            .union([
                .object([ParameterDescription("basic", .array(of: token, count: 2...2), required: true, "User and password.")]),
                .object([ParameterDescription("digest", .array(of: token, count: 2...2), required: true, "User and password.")]),
                .object([ParameterDescription("bearer", token, required: true, "A token.")]),
            ]), secret: true, "Credentials, sent to the URL's own host only. Refused ones end in authFailed."),
        ParameterDescription(
            "cookies",
            .pattern(expectation: "the name of a jar: 1 to 64 of A–Z a–z 0–9 . _ -") { isName($0) },
            "The name of a jar in Redis that all workers share: its cookies are sent where they belong, and what servers set is kept in it for the "
                + "next fetch. Default: none are sent or kept."),
        ParameterDescription(
            "timeouts",
            .object([
                ParameterDescription("connect", positiveSeconds, default: 10, "Seconds until connected."),
                ParameterDescription("idle", positiveSeconds, default: 15, "Seconds without a byte."),
                ParameterDescription("total", positiveSeconds, default: 60, "Seconds for the whole download."),
            ]),
            "How slow is too slow; at most the operator's --max-timeout, each. Of requests that share a download, the most generous counts that came "
                + "before it began."),
        ParameterDescription(
            "maxBytes", .integer(1...(1 << 40)), default: 67_108_864, "The longest body taken, declared or counted; of a compressed one what is in it."),
        ParameterDescription(
            "redirects",
            .object([
                ParameterDescription("max", .integer(0...50), default: 5, "How many are followed."),
                ParameterDescription("sameHost", .boolean, default: false, "true: one to another host is denied."),
            ]), "Redirects. Never from https to http; credentials and your headers never go to another host, port or scheme."),
        ParameterDescription(
            "tls",
            .object([
                ParameterDescription(
                    "pinnedPublicKeys",
                    .array(
                        of: .pattern(expectation: "\"sha256//\" and the base64 of 32 bytes") { Self.isPin($0) }, count: 0...16), default: [],
                    "One of these must be the key of the server's certificate, or of an authority that vouches for it: curl's form, sha256//<base64 of the "
                        + "SHA-256 of the public key in DER>. Every URL has to be https then."),
                ParameterDescription("allowInvalid", .boolean, default: false, "true: any certificate will do. Forbidden unless --allow-invalid-tls."),
            ]), "How the server's certificate is judged."),
        ParameterDescription(
            "acceptableStatus",
            .array(
                of: .pattern(expectation: "a status or a range such as \"200-299\"") { Acceptance.range($0) != nil },
                count: 1...32), default: ["200-299"],
            "Statuses whose body is taken. 204 and 205 have none: a success of 0 bytes with `as: bytes`, and no picture."),
        ParameterDescription(
            "acceptableTypes",
            .array(
                of: .pattern(expectation: "a media type such as \"image/png\" or \"image/*\"") { MediaRange($0) != nil },
                count: 1...32), "Content types that are taken; default: any. A response that names none is taken."),
        ParameterDescription(
            "jsonShape", .any,
            "What the JSON of the body must look like: the name of a type (string, number, integer, boolean, object, array, null, any), an object "
                + "of those by key, all of which must be there, or an array whose one element every element must be like. null passes for any type."),
        ParameterDescription(
            "decrypt", .pattern(expectation: "base64, or the name of a key") { isName($0) },
            "The body is base64, or encrypted with a key of this name that the operator has given to workers (--decryption-keys)."),
        ParameterDescription(
            "retry",
            .object([
                ParameterDescription("attempts", .integer(1...20), default: 3, "Runs at the most, the first included."),
                ParameterDescription("base", .number(0...3600), default: 0.5, "Seconds before the first repetition; doubles, with jitter."),
                ParameterDescription("max", .number(0...86400), default: 30, "Seconds between two runs at the most."),
                ParameterDescription(
                    "on", RetryClasses.type,
                    "Which failures of the download are tried again, httpStatus as 408, 425, 429 and 5xx; what is tried again is not blacklisted. Default: dns, connect, "
                        + "timeout, connectionLost, httpStatus. Requests that differ in it share no download."),
            ]),
            "Repetition after transient failures. Of requests that share a download the most generous counts, but none that joins one waits longer for its next run than by its own."
        ),
        ParameterDescription(
            "resume", .boolean, default: true,
            "Whether a download that broke off is gone on with where it did, by another worker too, if the server can tell that nothing has changed."),
    ]

    /// Names of cookie jars and of keys.
    package static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte) || [0x2d, 0x2e, 0x5f].contains(byte)
            }
    }

    private static func isPin(_ text: String) -> Bool {
        text.hasPrefix("sha256//") && Base64.bytes(of: Array(text.utf8.dropFirst(8)))?.count == 32
    }
}
