package import TintypeCore

/// The options of a download. Options that change the bytes, or that decide who may have them, are part of the source's key. Which responses are
/// acceptable is a matter of each receipt (`Acceptance`).
package struct FetchOptions: Sendable, Hashable {
    package enum Credentials: Sendable, Hashable {
        case basic(user: String, password: String)
        case digest(user: String, password: String)
        case bearer(String)
    }

    /// Methods that may have a body.
    static let bodyMethods = ["POST", "PUT", "PATCH", "DELETE"]
    static let methods = ["GET", "HEAD"] + bodyMethods

    package var method = "GET"
    /// Extra request headers, in the order given.
    package var headers: [Header] = []
    /// Headers of the service that a rule removes: in lower case, sorted.
    package var omittedHeaders: [String] = []
    /// Parameters: of the form if there is one, otherwise of the query. `Source` puts the latter into the URL.
    package var params: [Header] = []
    /// The name of the base URL for a relative URL. `Rules` applies it.
    package var base: String?
    /// Whether to download from the CDN of the host. `Rules` applies it.
    package var cdn = false
    package var body: RequestBody?
    package var credentials: Credentials?
    /// The name of the cookie jar. Its cookies are sent, and cookies from servers are kept there.
    package var cookies: String?
    /// How to decrypt the body: `base64`, or the name of a key that the operator gave to workers.
    package var decrypt: String?
    package var timeouts = Timeouts()
    package var maxRedirects = 5
    /// Whether a redirect to another host is refused.
    package var sameHostRedirects = false
    /// `sha256//…` of the keys of which the server must have one; empty: any.
    package var pinnedPublicKeys: [String] = []
    /// Whether any certificate is accepted. The operator has to allow this.
    package var allowsInvalidTLS = false
    /// The name of the TLS profile from a rule.
    package var tlsProfile: String?
    package var attempts = 3
    /// Seconds before the first repetition; doubles.
    package var retryBase = 0.5
    /// The most seconds between repetitions.
    package var retryMax = 30.0
    /// The failures to retry; nil: the service's own list.
    package var retryOn: RetryClasses?
    /// Whether a broken download is resumed instead of begun anew.
    package var resumes = true
    /// The changes to responses from a rule.
    package var revision: TransferRevision?
    /// The shortest and longest freshness from a rule.
    package var lifetime: LifetimeBounds?

    package struct Header: Sendable, Hashable {
        package let name: String
        package let value: String
    }

    /// The timeouts of a download, in seconds.
    package struct Timeouts: Sendable, Hashable {
        package var connect = 10.0
        /// The longest time without a byte.
        package var idle = 15.0
        /// The longest time of the whole download.
        package var total = 60.0

        package init() {}
    }

    package init() {}

    /// Reads validated JSON.
    /// - Parameter author: the author of the headers.
    /// - Throws: `invalidParams` for invalid header names, and for options that exclude each other.
    init(_ json: JSON?, at path: String, by author: RequestHeader.Author = .client) throws(TintypeError) {
        guard let json else { return }
        method = json["method"]?.string ?? method
        headers = try Self.headers(json["headers"], at: path + ".headers", by: author)
        params = try Self.params(checking: json["params"], at: path + ".params")
        base = json["base"]?.string
        cdn = json["cdn"]?.bool ?? false
        body = try RequestBody(json["body"], at: path + ".body")
        if body != nil, !Self.bodyMethods.contains(method) {
            let names = Self.bodyMethods.joined(separator: ", ")
            throw .invalidParams(path: path + ".method", value: json["method"], expected: "one of \(names) with a body")
        }
        if let pair = json["auth"]?["basic"]?.array { credentials = .basic(user: pair[0].string ?? "", password: pair[1].string ?? "") }
        if let pair = json["auth"]?["digest"]?.array { credentials = .digest(user: pair[0].string ?? "", password: pair[1].string ?? "") }
        if let token = json["auth"]?["bearer"]?.string { credentials = .bearer(token) }
        cookies = json["cookies"]?.string
        decrypt = json["decrypt"]?.string
        timeouts.connect = json["timeouts"]?["connect"]?.double ?? timeouts.connect
        timeouts.idle = json["timeouts"]?["idle"]?.double ?? timeouts.idle
        timeouts.total = json["timeouts"]?["total"]?.double ?? timeouts.total
        maxRedirects = json["redirects"]?["max"]?.int ?? maxRedirects
        sameHostRedirects = json["redirects"]?["sameHost"]?.bool ?? false
        pinnedPublicKeys = json["tls"]?["pinnedPublicKeys"]?.array?.compactMap(\.string).sorted() ?? []
        allowsInvalidTLS = json["tls"]?["allowInvalid"]?.bool ?? false
        attempts = json["retry"]?["attempts"]?.int ?? attempts
        retryBase = json["retry"]?["base"]?.double ?? retryBase
        retryMax = json["retry"]?["max"]?.double ?? retryMax
        retryOn = RetryClasses(json["retry"]?["on"])
        resumes = json["resume"]?.bool ?? resumes
        // No request can set these.
        guard author == .rule else { return }
        tlsProfile = json["tls"]?["profile"]?.string
        omittedHeaders = json["omit"]?.array?.compactMap(\.string) ?? []
        lifetime = LifetimeBounds(json["lifetime"])
        revision = try TransferRevision(json["response"], at: path + ".response")
    }

    /// Reads validated JSON.
    static func headers(_ json: JSON?, at path: String, by author: RequestHeader.Author) throws(TintypeError) -> [Header] {
        let members = json?.object?.members ?? []
        guard members.count <= 64 else { throw .invalidParams(path: path, value: JSON(members.count), expected: "at most 64 headers") }
        var headers: [Header] = []
        for (name, value) in members {
            guard RequestHeader.isAllowed(name, by: author) else {
                throw .invalidParams(
                    path: path, shown: RequestHeader.shown(name),
                    expected: "names of letters, digits and hyphens, none that the service sets itself or that servers inside a network trust")
            }
            guard !headers.contains(where: { $0.name.lowercased() == name.lowercased() }) else {
                throw .invalidParams(path: path, shown: .string(name), expected: "each name once, in any case")
            }
            headers.append(Header(name: name, value: value.string ?? ""))
        }
        return headers
    }

    /// Reads parameters. An array is one parameter for each of its values; null is none.
    static func params(_ json: JSON?) -> [Header] {
        (json?.object?.members ?? []).flatMap { name, value in
            (value.array ?? [value]).compactMap { one in
                switch one {
                case .null, .array, .object, .raw: nil
                case .string(let text): Header(name: name, value: text)
                case .bool, .int, .double: Header(name: name, value: one.text)
                }
            }
        }
    }

    /// All options, for the worker and for the key of the request, without defaults. Holds secrets: never logged.
    var canonical: JSONObject {
        let plain = FetchOptions()
        var object = keyed
        if !headers.isEmpty { object["headers"] = .object(JSONObject(headers.map { ($0.name, .string($0.value)) })) }
        if timeouts != plain.timeouts {
            object["timeouts"] = ["connect": JSON(timeouts.connect), "idle": JSON(timeouts.idle), "total": JSON(timeouts.total)]
        }
        if attempts != plain.attempts || retryBase != plain.retryBase || retryMax != plain.retryMax || retryOn != nil {
            var retry: JSONObject = ["attempts": JSON(attempts), "base": JSON(retryBase), "max": JSON(retryMax)]
            retry["on"] = retryOn?.json
            object["retry"] = .object(retry)
        }
        if !resumes { object["resume"] = false }
        object["lifetime"] = lifetime?.json
        object["response"] = revision?.json
        return object
    }

    /// The options that belong to the source's key. Header names are in lower case, since case means nothing. Redirect and TLS options are part of it: a
    /// result from a lax request must not reach a strict one.
    var keyed: JSONObject {
        let plain = FetchOptions()
        var object = JSONObject()
        if method != plain.method { object["method"] = .string(method) }
        if !headers.isEmpty { object["headers"] = .object(JSONObject(headers.map { ($0.name.lowercased(), .string($0.value)) })) }
        if !omittedHeaders.isEmpty { object["omit"] = .array(omittedHeaders.map { .string($0) }) }
        object["body"] = body?.canonical
        if sendsForm, !params.isEmpty { object["params"] = Self.canonical(params: params) }
        switch credentials {
        case .basic(let user, let password): object["auth"] = ["basic": [.string(user), .string(password)]]
        case .digest(let user, let password): object["auth"] = ["digest": [.string(user), .string(password)]]
        case .bearer(let token): object["auth"] = ["bearer": .string(token)]
        case nil: break
        }
        object["decrypt"] = decrypt.map { .string($0) }
        object["cookies"] = cookies.map { .string($0) }
        if maxRedirects != plain.maxRedirects || sameHostRedirects {
            object["redirects"] = ["max": JSON(maxRedirects), "sameHost": .bool(sameHostRedirects)]
        }
        if !pinnedPublicKeys.isEmpty || allowsInvalidTLS || tlsProfile != nil {
            var tls: JSONObject = ["pinnedPublicKeys": .array(pinnedPublicKeys.map { .string($0) }), "allowInvalid": .bool(allowsInvalidTLS)]
            tls["profile"] = tlsProfile.map { .string($0) }
            object["tls"] = .object(tls)
        }
        return object
    }
}
