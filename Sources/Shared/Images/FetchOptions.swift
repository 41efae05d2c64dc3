/// How a source is fetched. Those that alter the bytes, or what may be taken for them, are part of the source's key.
package struct FetchOptions: Sendable, Hashable {
    package enum Credentials: Sendable, Hashable {
        case basic(user: String, password: String)
        case bearer(String)
    }

    /// Extra request headers, in the order given.
    package var headers: [Header] = []
    package var credentials: Credentials?
    /// Seconds.
    package var connectTimeout = 10.0
    /// Seconds without a byte.
    package var idleTimeout = 15.0
    /// Seconds for the whole download.
    package var totalTimeout = 60.0
    package var maxBytes = 64 << 20
    package var maxRedirects = 5
    /// Acceptable statuses.
    package var acceptableStatus: [ClosedRange<Int>] = [200...299]
    package var attempts = 3
    /// Seconds before the first repetition; doubles.
    package var retryBase = 0.5
    /// Seconds between repetitions at the most.
    package var retryMax = 30.0

    package struct Header: Sendable, Hashable {
        package let name: String
        package let value: String
    }

    package init() {}

    private static let positiveSeconds = ParameterType.number(0.001...86400)
    private static let token = ParameterType.pattern(expectation: "text without line breaks") { text in
        text.utf8.count <= 8192 && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
    }

    package static let parameters: [ParameterDescription] = [
        ParameterDescription("headers", .map(of: token), secret: true, "Request headers, part of the source's key. At most 64."),
        ParameterDescription(
            "auth",
            .union([
                .object([ParameterDescription("basic", .array(of: token, count: 2...2), required: true, "User and password.")]),
                .object([ParameterDescription("bearer", token, required: true, "A token.")]),
            ]), secret: true, "Credentials, sent to the URL's own host only."),
        ParameterDescription(
            "timeouts",
            .object([
                ParameterDescription("connect", positiveSeconds, default: 10, "Seconds until connected."),
                ParameterDescription("idle", positiveSeconds, default: 15, "Seconds without a byte."),
                ParameterDescription("total", positiveSeconds, default: 60, "Seconds for the whole download."),
            ]), "How slow is too slow."),
        ParameterDescription("maxBytes", .integer(1...(1 << 40)), default: 67_108_864, "The longest body taken, declared or counted."),
        ParameterDescription(
            "redirects", .object([ParameterDescription("max", .integer(0...50), default: 5, "How many are followed.")]), "Redirects."),
        ParameterDescription(
            "acceptableStatus",
            .array(
                of: .pattern(expectation: "a status or a range such as \"200-299\"") { Self.range($0) != nil },
                count: 1...32), default: ["200-299"], "Statuses whose body is taken."),
        ParameterDescription(
            "retry",
            .object([
                ParameterDescription("attempts", .integer(1...20), default: 3, "Runs at the most, the first included."),
                ParameterDescription("base", .number(0...3600), default: 0.5, "Seconds before the first repetition; doubles, with jitter."),
                ParameterDescription("max", .number(0...86400), default: 30, "Seconds between two runs at the most."),
            ]), "Repetition after transient failures."),
    ]

    private static func range(_ text: String) -> ClosedRange<Int>? {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        guard let low = ends.first ?? nil, let high = ends.last ?? nil, ends.count <= 2, (100...599).contains(low), (low...599).contains(high) else {
            return nil
        }
        return low...high
    }

    /// Reads validated JSON.
    /// - Throws: `invalidParams` for header names that are none.
    init(_ json: JSON?, at path: String) throws(TintypeError) {
        guard let json else { return }
        let members = json["headers"]?.object?.members ?? []
        guard members.count <= 64 else { throw .invalidParams(path: path + ".headers", value: JSON(members.count), expected: "at most 64 headers") }
        for (name, value) in members {
            guard Self.isHeaderName(name) else {
                throw .invalidParams(
                    path: path + ".headers", value: .string(name), expected: "names of letters, digits and hyphens that the service does not set itself")
            }
            guard !headers.contains(where: { $0.name.lowercased() == name.lowercased() }) else {
                throw .invalidParams(path: path + ".headers", value: .string(name), expected: "each name once, whatever its case")
            }
            headers.append(Header(name: name, value: value.string ?? ""))
        }
        if let pair = json["auth"]?["basic"]?.array { credentials = .basic(user: pair[0].string ?? "", password: pair[1].string ?? "") }
        if let token = json["auth"]?["bearer"]?.string { credentials = .bearer(token) }
        connectTimeout = json["timeouts"]?["connect"]?.double ?? connectTimeout
        idleTimeout = json["timeouts"]?["idle"]?.double ?? idleTimeout
        totalTimeout = json["timeouts"]?["total"]?.double ?? totalTimeout
        maxBytes = json["maxBytes"]?.int ?? maxBytes
        maxRedirects = json["redirects"]?["max"]?.int ?? maxRedirects
        if let texts = json["acceptableStatus"]?.array { acceptableStatus = texts.compactMap { $0.string.flatMap { Self.range($0) } } }
        attempts = json["retry"]?["attempts"]?.int ?? attempts
        retryBase = json["retry"]?["base"]?.double ?? retryBase
        retryMax = json["retry"]?["max"]?.double ?? retryMax
    }

    /// Headers that frame the message or name the host are curl's to set.
    private static func isHeaderName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 128
            && name.utf8.allSatisfy { $0 == 0x2d || $0 == 0x5f || (0x30...0x39).contains($0) || (0x61...0x7a).contains($0 | 0x20) }
            && !["host", "content-length", "transfer-encoding", "connection", "range", "te", "upgrade"].contains(name.lowercased())
    }

    /// Everything, for the worker and for the key of the request; defaults are left out. Holds secrets: never logged.
    var canonical: JSONObject {
        let plain = FetchOptions()
        var object = keyed
        if !headers.isEmpty { object["headers"] = .object(JSONObject(headers.map { ($0.name, .string($0.value)) })) }
        if connectTimeout != plain.connectTimeout || idleTimeout != plain.idleTimeout || totalTimeout != plain.totalTimeout {
            object["timeouts"] = ["connect": JSON(connectTimeout), "idle": JSON(idleTimeout), "total": JSON(totalTimeout)]
        }
        if attempts != plain.attempts || retryBase != plain.retryBase || retryMax != plain.retryMax {
            object["retry"] = ["attempts": JSON(attempts), "base": JSON(retryBase), "max": JSON(retryMax)]
        }
        return object
    }

    /// What tells two sources apart; names of headers in lower case, for they mean the same.
    var keyed: JSONObject {
        let plain = FetchOptions()
        var object = JSONObject()
        if !headers.isEmpty { object["headers"] = .object(JSONObject(headers.map { ($0.name.lowercased(), .string($0.value)) })) }
        switch credentials {
        case .basic(let user, let password): object["auth"] = ["basic": [.string(user), .string(password)]]
        case .bearer(let token): object["auth"] = ["bearer": .string(token)]
        case nil: break
        }
        if maxBytes != plain.maxBytes { object["maxBytes"] = JSON(maxBytes) }
        if maxRedirects != plain.maxRedirects { object["redirects"] = ["max": JSON(maxRedirects)] }
        if acceptableStatus != plain.acceptableStatus {
            object["acceptableStatus"] = .array(acceptableStatus.map { .string("\($0.lowerBound)-\($0.upperBound)") })
        }
        return object
    }
}
