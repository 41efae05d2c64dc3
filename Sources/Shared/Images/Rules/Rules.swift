package import TintypeCore

/// The operator's rules for URLs, by host and path (`--rules`). They change a request before any key is made of it, so that everything later, the worker
/// too, sees only the outcome. A pure value; may hold secrets in headers and parameters.
package struct Rules: Sendable {
    /// No rules.
    package static let none = Rules()

    /// The URLs by the names for `fetch.base`.
    private let bases: [ExactText: TransferURL]
    private let rules: [Rule]
    /// The limits of hosts, as queues know the hosts that are downloaded from.
    package let hostLimits: HostLimits
    /// The access options of the rules.
    package let access: AccessList
    private init() { (bases, rules, hostLimits, access) = ([:], [], HostLimits(), .none) }

    package var count: Int { rules.count }

    static let webURL = ParameterType.pattern(expectation: "an http or https URL without user, query and fragment") { text in
        guard let parts = URLParts(text), TransferURL(text) != nil else { return false }
        return parts.userInfo.isEmpty && parts.query == nil && !text.utf8.contains(UInt8(ascii: "#"))
    }

    package static let parameters: [ParameterDescription] = [
        ParameterDescription(
            "bases", .map(of: webURL), secret: true, "The base URLs by their names for `fetch.base`. A relative `url` is resolved against one of them."),
        ParameterDescription(
            "rules", .array(of: .object(Rule.parameters), count: 0...10_000),
            "The rules, in order. All matching rules count; for one option, the last one wins."),
    ]

    /// Reads a file of rules.
    /// - Parameter permits: throws if the options of a rule need something that the operator does not allow requests to use.
    /// - Throws: the mistake and its line; no secrets.
    package init(
        text: String, path: String, permits: (RuleOptions, _ path: String) throws(TintypeError) -> Void = { _, _ in }
    ) throws(SettingError) {
        let bytes = Array(text.utf8)
        let json: JSON
        do throws(JSONError) {
            json = try JSON(parsing: bytes)
        } catch {
            throw SettingError("\(path):\(JSONLocation.line(at: error.offset, of: bytes)): \(error.reason)")
        }
        guard let object = json.object else { throw SettingError("\(path):1: expected an object with \"bases\" and \"rules\"") }
        do throws(TintypeError) {
            try ParameterDescription.validate(object, Self.parameters, at: "")
            var rules: [Rule] = []
            let said = json["rules"]?.array ?? []
            for (index, rule) in said.enumerated() { rules.append(try Rule(rule, at: "rules[\(index)]")) }
            for rule in rules { if let options = rule.options { try permits(options, rule.name + ".options") } }
            self.rules = rules
            access = AccessList(Array(zip(rules, said)))
            hostLimits = try Self.limits(of: rules)
        } catch {
            let line = JSONLocation.line(of: error.details["path"]?.string ?? "", in: bytes)
            throw SettingError("\(path):\(line): \(error.message)")
        }
        var bases: [ExactText: TransferURL] = [:]
        for (name, url) in json["bases"]?.object?.members ?? [] {
            // A base is a folder, even without a slash at its end.
            let text = url.string ?? ""
            bases[ExactText(name)] = TransferURL(text.hasSuffix("/") ? text : text + "/")
        }
        self.bases = bases
    }

    private static func limits(of rules: [Rule]) throws(TintypeError) -> HostLimits {
        var limits = HostLimits()
        for (index, rule) in rules.enumerated() {
            for host in rule.hosts.isEmpty ? [.any] : rule.hosts {
                if let most = rule.maxConcurrentPerHost { limits.add(host, most, rule: index) }
                if let most = rule.maxPerSecondPerHost { limits.add(host, perSecond: most, rule: index) }
            }
            guard limits.count <= HostLimits.most else {
                throw .invalidParams(
                    path: "rules[\(index)].hosts", value: JSON(rule.hosts.count), expected: "at most \(HostLimits.most) hosts with a limit in all rules")
            }
        }
        return limits
    }

    /// Reads the rules of the file at `path`; no rules without a path.
    /// - Parameter permits: as in `init`.
    package static func read(
        _ path: String?, permits: (RuleOptions, _ path: String) throws(TintypeError) -> Void = { _, _ in }
    ) throws(SettingError) -> Rules {
        guard let path else { return .none }
        return try Rules(text: ConfigurationFile.read(path), path: path, permits: permits)
    }

    /// Returns the rules for a request of these URLs; nil if none can apply.
    /// - Throws: `invalidURL`, `denied`; `invalidParams` for a base that does not exist.
    func inForce(for urls: [String], _ asked: FetchOptions) throws(TintypeError) -> RulesInForce? {
        let base = try base(asked.base)
        guard !rules.isEmpty || base != nil || asked.cdn else { return nil }
        return RulesInForce(try urls.map { url throws(TintypeError) in try ruled(Self.whole(url, base)) })
    }

    private func ruled(_ url: String) throws(TintypeError) -> RuledAddress {
        let address = try SourceAddress(url)
        if case .object(let object) = address.kind { return try ruled(object, address) }
        guard address.kind == .http else { return RuledAddress(address: address, host: "", rules: [], access: nil) }
        // The URL as downloads see it, not as it is written.
        guard let seen = TransferURL(address.url), let host = seen.plainHost, let plain = URLParts(seen.text) else {
            throw TintypeError(.invalidURL, .admission, "the URL cannot be used", details: ["url": .string(RedactedURL(address.url).description)])
        }
        let access = access.access(host: host, plain)
        if access?.word == .deny { throw AccessList.denied(address.url, .admission) }
        let path = plain.plainPath
        return RuledAddress(address: address, host: host, rules: rules.filter { $0.isAbout(host: host, path: path) }, access: access)
    }

    /// Applies the access of rules to an object. Its bucket is the host.
    private func ruled(_ object: BucketObject, _ address: SourceAddress) throws(TintypeError) -> RuledAddress {
        let access = URLParts("https://\(object.bucket)/\(object.path)").flatMap { self.access.access(host: object.bucket, $0) }
        if access?.word == .deny { throw AccessList.denied(address.url, .admission) }
        return RuledAddress(address: address, host: object.bucket, rules: [], access: access)
    }

    private func base(_ name: String?) throws(TintypeError) -> TransferURL? {
        guard let name else { return nil }
        guard let base = bases[ExactText(name)] else {
            let names = bases.keys.sorted().map { "\"\($0.text)\"" }
            throw .invalidParams(
                path: "fetch.base", value: .string(name),
                expected: names.isEmpty ? "none: this service has no base URLs" : "one of \(names.joined(separator: ", "))")
        }
        return base
    }

    /// Returns the URL resolved against a base. A URL with a scheme needs no base.
    private static func whole(_ url: String, _ base: TransferURL?) -> String {
        guard let base, !url.isEmpty else { return url }
        do throws(WebAddress.ParseError) {
            _ = try WebAddress(url)
        } catch {
            if case .relative = error { return base.resolving(url)?.text ?? url }
        }
        return url
    }
}
