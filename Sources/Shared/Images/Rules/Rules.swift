package import TintypeCore
import TintypeTransport

/// What the operator has laid down for URLs, by host and path (`--rules`): applied to a request before any key is made of it, so that what follows,
/// the worker too, sees the outcome alone. A pure value; may hold secrets in headers and parameters.
package struct Rules: Sendable {
    /// None at all.
    package static let none = Rules()

    /// What `fetch.base` may name.
    private let bases: [String: TransferURL]
    private let rules: [Rule]
    /// What rules say of hosts as queues know them: those that are downloaded from.
    package let hostLimits: HostLimits
    /// What they say of access.
    package let access: AccessList
    private init() { (bases, rules, hostLimits, access) = ([:], [], HostLimits(), .none) }

    /// How many there are.
    package var count: Int { rules.count }

    static let webURL = ParameterType.pattern(expectation: "an http or https URL without user, query and fragment") { text in
        guard let parts = URLParts(text), TransferURL(text) != nil else { return false }
        return parts.userInfo.isEmpty && parts.query == nil && !text.utf8.contains(UInt8(ascii: "#"))
    }

    package static let parameters: [ParameterDescription] = [
        ParameterDescription(
            "bases", .map(of: webURL), secret: true, "URLs by the names that `fetch.base` calls them; a relative `url` is resolved against the one named."),
        ParameterDescription(
            "rules", .array(of: .object(Rule.parameters), count: 0...10_000),
            "All that are about a URL count, in this order; what a later one says of the same thing replaces what an earlier one said."),
    ]

    /// Reads a file of rules.
    /// - Throws: what is wrong, and in which line; no secrets.
    package init(text: String, path: String) throws(SettingMistake) {
        let bytes = Array(text.utf8)
        let json: JSON
        do throws(JSONError) {
            json = try JSON(parsing: bytes)
        } catch {
            throw SettingMistake("\(path):\(JSONPlace.line(at: error.offset, of: bytes)): \(error.reason)")
        }
        guard let object = json.object else { throw SettingMistake("\(path):1: expected an object with \"bases\" and \"rules\"") }
        do throws(TintypeError) {
            try ParameterDescription.validate(object, Self.parameters, at: "")
            var rules: [Rule] = []
            let said = json["rules"]?.array ?? []
            for (index, rule) in said.enumerated() { rules.append(try Rule(rule, at: "rules[\(index)]")) }
            self.rules = rules
            access = AccessList(Array(zip(rules, said)))
            hostLimits = try Self.limits(of: rules)
        } catch {
            let line = JSONPlace.line(of: error.details["path"]?.string ?? "", in: bytes)
            throw SettingMistake("\(path):\(line): \(error.message)")
        }
        var bases: [String: TransferURL] = [:]
        for (name, url) in json["bases"]?.object?.members ?? [] {
            // A base is a folder, whether or not it says so.
            let text = url.string ?? ""
            bases[name] = TransferURL(text.hasSuffix("/") ? text : text + "/")
        }
        self.bases = bases
    }

    private static func limits(of rules: [Rule]) throws(TintypeError) -> HostLimits {
        var limits = HostLimits()
        for (index, rule) in rules.enumerated() {
            guard let most = rule.maxConcurrentPerHost else { continue }
            for host in rule.hosts.isEmpty ? [.any] : rule.hosts { limits.add(host, most, rule: index) }
            guard limits.count <= HostLimits.most else {
                throw .invalidParams(
                    path: "rules[\(index)].maxConcurrentPerHost", value: JSON(most), expected: "at most \(HostLimits.most) hosts with a limit in all rules")
            }
        }
        return limits
    }

    /// Reads the rules of the file at `path`; none without one.
    package static func read(_ path: String?) throws(SettingMistake) -> Rules {
        guard let path else { return .none }
        return try Rules(text: ConfigurationFile.read(path), path: path)
    }

    /// What becomes of a request.
    struct Outcome: Sendable {
        let source: Source
        /// Of pictures for which the request names none.
        let transform: [AnyOperation]?
        /// Whether the source is the one that was asked for, whatever may be laid down.
        var isAsAsked = false
    }

    /// - Throws: `invalidURL`, `denied`; `invalidParams` for a base or a CDN that there is not.
    func apply(to urls: [String], _ asked: FetchOptions, extent: Source.Extent = .whole, scope: String?) throws(TintypeError) -> Outcome {
        var fetch = asked
        (fetch.base, fetch.cdn) = (nil, false)
        // Those of the query are in the URLs by then.
        if !fetch.sendsForm { fetch.params = [] }
        let base = try base(asked.base)
        guard !rules.isEmpty || base != nil || asked.cdn else {
            return Outcome(source: try Source(urls: urls, fetch: asked, extent: extent, scope: scope), transform: nil, isAsAsked: true)
        }
        var ruled: [Ruled] = []
        for url in urls { ruled.append(try rule(Self.whole(url, base), asked)) }
        let common = rules.indices.filter { index in ruled.allSatisfy { $0.rules.contains(index) } }.map { rules[$0] }
        for header in common.reversed().flatMap(\.headers) where !fetch.headers.contains(where: { $0.name.lowercased() == header.name.lowercased() }) {
            fetch.headers.append(header)
        }
        let source = try Source(urls: ruled.map(\.url), keys: ruled.map(\.key), fetch: fetch, extent: extent, scope: scope)
        return Outcome(source: source, transform: common.last { $0.transform != nil }?.transform)
    }

    private func base(_ name: String?) throws(TintypeError) -> TransferURL? {
        guard let name else { return nil }
        guard let base = bases[name] else {
            let names = bases.keys.sorted().map { "\"\($0)\"" }
            throw .invalidParams(
                path: "fetch.base", value: .string(name),
                expected: names.isEmpty ? "none: this service has no base URLs" : "one of \(names.joined(separator: ", "))")
        }
        return base
    }

    /// What has a scheme needs no base.
    private static func whole(_ url: String, _ base: TransferURL?) -> String {
        guard let base, !url.isEmpty else { return url }
        do throws(WebAddress.ParseError) {
            _ = try WebAddress(url)
        } catch {
            if case .relative = error { return base.resolving(url)?.text ?? url }
        }
        return url
    }

    /// One URL of a request by its rules.
    private struct Ruled {
        var url: String
        /// What stands for it in keys, if that is another.
        var key: String?
        /// Those that are about it.
        var rules: Set<Int>
    }

    private func rule(_ url: String, _ fetch: FetchOptions) throws(TintypeError) -> Ruled {
        let address = try SourceAddress(url, params: fetch.queryParams)
        guard address.kind == .http, var parts = URLParts(address.url) else { return Ruled(url: url, key: nil, rules: []) }
        // As downloads will see it, not as it is spelt.
        guard let seen = TransferURL(address.url), let host = seen.plainHost, let plain = URLParts(seen.text) else {
            throw TintypeError(
                .invalidURL, .admission, "the URL cannot be used", details: ["url": .string(RedactedURL(address.url).description)])
        }
        let path = plain.plainPath
        let about = rules.indices.filter { rules[$0].isAbout(host: host, path: path) }
        let own = about.map { rules[$0] }
        if access.denies(host: host, plain) { throw AccessList.denied(address.url, .admission) }
        for filter in own.flatMap(\.filters) { filter.apply(to: &parts) }
        if fetch.cdn {
            guard let cdn = own.last(where: { $0.cdn != nil })?.cdn else {
                throw .invalidParams(path: "fetch.cdn", value: true, expected: "a host that has a CDN here; \(host) has none")
            }
            (parts.scheme, parts.place) = (cdn.scheme, cdn.place)
            // What climbs would leave the CDN's folder.
            parts.path = (cdn.path.hasSuffix("/") ? String(cdn.path.dropLast()) : cdn.path) + parts.levelPath
        }
        let key = own.last { $0.key != nil }?.key?.key(of: parts).text
        return Ruled(url: parts.text, key: key == parts.text ? nil : key, rules: Set(about))
    }
}
