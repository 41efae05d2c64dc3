import TintypeCore
package import TintypeTransport

/// How a source is fetched. Those that alter the bytes, or whose bytes they are, are part of the source's key; which answers are good
/// enough is each receipt's own matter (`Acceptance`).
package struct FetchOptions: Sendable, Hashable {
    package enum Credentials: Sendable, Hashable {
        case basic(user: String, password: String)
        case digest(user: String, password: String)
        case bearer(String)
    }

    /// Methods that may carry a body.
    static let bodyMethods = ["POST", "PUT", "PATCH", "DELETE"]
    static let methods = ["GET", "HEAD"] + bodyMethods

    package var method = "GET"
    /// Extra request headers, in the order given.
    package var headers: [Header] = []
    /// Headers that the service sends by itself and a rule has taken away: in lower case, sorted.
    package var omittedHeaders: [String] = []
    /// Parameters: of the form that is sent if there is one, else of the query. `Source` puts those into the URL.
    package var params: [Header] = []
    /// The name of the URL that a relative one is resolved against; `Rules` does.
    package var base: String?
    /// Whether the host's CDN is asked in its place; `Rules` sees to it.
    package var cdn = false
    package var body: RequestBody?
    package var credentials: Credentials?
    /// The name of the jar whose cookies are sent, and which keeps those that servers set.
    package var cookies: String?
    /// How the body is decrypted: `base64`, or the name of a key that the operator has given to workers.
    package var decrypt: String?
    package var timeouts = Timeouts()
    package var maxRedirects = 5
    /// Whether a redirect to another host is refused.
    package var sameHostRedirects = false
    /// `sha256//…` of the keys of which the server must show one; empty: any.
    package var pinnedPublicKeys: [String] = []
    /// Whether any certificate will do. The operator has to permit it.
    package var allowsInvalidTLS = false
    /// The name of the TLS profile by which a rule has the server met.
    package var tlsProfile: String?
    package var attempts = 3
    /// Seconds before the first repetition; doubles.
    package var retryBase = 0.5
    /// Seconds between repetitions at the most.
    package var retryMax = 30.0
    /// Which failures are tried again; nil: those of the service's own list.
    package var retryOn: RetryClasses?
    /// Whether a download that broke off is gone on with instead of begun anew.
    package var resumes = true
    /// What a rule has answers taken for.
    package var revision: TransferRevision?
    /// How long a rule has it fresh at the least and at the most.
    package var lifetime: LifetimeBounds?

    package struct Header: Sendable, Hashable {
        package let name: String
        package let value: String
    }

    /// How slow is too slow, in seconds.
    package struct Timeouts: Sendable, Hashable {
        package var connect = 10.0
        /// Without a byte.
        package var idle = 15.0
        /// For the whole download.
        package var total = 60.0

        package init() {}
    }

    package init() {}

    /// Reads validated JSON.
    /// - Parameter author: whose word the headers are.
    /// - Throws: `invalidParams` for header names that are none, and for what does not go together.
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
            throw .invalidParams(path: path + ".method", value: json["method"], expected: "one of \(names) where there is a body")
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
        // No request can say it.
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
                    path: path, value: .string(name),
                    expected: "names of letters, digits and hyphens, none that the service sets itself or that servers inside a network trust")
            }
            guard !headers.contains(where: { $0.name.lowercased() == name.lowercased() }) else {
                throw .invalidParams(path: path, value: .string(name), expected: "each name once, whatever its case")
            }
            headers.append(Header(name: name, value: value.string ?? ""))
        }
        return headers
    }

    /// An array is one parameter for each of its values; null is none.
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

    /// Everything, for the worker and for the key of the request; defaults are left out. Holds secrets: never logged.
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

    /// What tells two sources apart; names of headers in lower case, for they mean the same. Redirects and TLS are part of it: what one
    /// request has obtained under looser terms is not handed to another that is stricter.
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
