package import TintypeCore

/// The URLs that may be fetched and called back: the access options of the rules, and nothing else of them. The list holds for redirects too, so
/// workers need it. Redis has it once, under its digest, and a fetch names that digest. A pure value without secrets.
package struct AccessList: Sendable {
    /// A list without rules.
    package static let none = AccessList([])

    /// The list as Redis has it: an array of rules.
    package let text: String
    /// The name of the list; nil for the list without rules.
    package let digest: String?
    private let rules: [Rule]

    /// The Redis hash in which coordinators publish their lists: texts by digest. A fetch is judged by the list of its admission, even after
    /// the rules have changed.
    package static let key = tag.prefix + "access"
    package static let tag = RedisSpace.rules.tag
    private static let members = ["hosts", "paths", "access"]

    /// - Parameter rules: validated rules, as files have them.
    init(_ rules: [(rule: Rule, json: JSON)]) {
        let telling = rules.filter { $0.rule.access != nil }
        self.rules = telling.map(\.rule)
        let said = telling.map { one in JSON.object(JSONObject(Self.members.compactMap { name in one.json[name].map { (name, $0) } })) }
        text = JSON.array(said).text
        digest = said.isEmpty ? nil : Digest.sha256Hex(text.utf8, digits: 16)
    }

    /// Reads `text`.
    /// - Throws: `invalidParams` for any other text.
    package init(text: String) throws(TintypeError) {
        let json = try? JSON(parsing: text)
        guard let said = json?.array else { throw .invalidParams(path: "", value: json, expected: "an array of rules") }
        var rules: [(rule: Rule, json: JSON)] = []
        for (index, one) in said.enumerated() {
            guard let object = one.object else { throw .invalidParams(path: "[\(index)]", value: one, expected: "a rule") }
            try ParameterDescription.validate(object, Rule.parameters, at: "[\(index)]")
            rules.append((try Rule(one, at: "[\(index)]"), one))
        }
        self.init(rules)
    }

    /// Returns the access of the last rule that matches the URL and sets access, and the rule's name; nil if there is none. Rules that forbid match other
    /// spellings of the path too, since a server may treat them as the same.
    /// - Parameter host: the host from `TransferURL.plainHost`.
    func access(host: String, _ url: URLParts) -> (word: Rule.Access, rule: String)? {
        guard !rules.isEmpty else { return nil }
        let (path, merged) = (url.plainPath, url.mergedPath)
        let last = rules.last { rule in rule.isAbout(host: host, path: path) || rule.access != .allow && rule.isAbout(host: host, path: merged) }
        return last.flatMap { rule in rule.access.map { ($0, rule.name) } }
    }

    /// - Throws: `denied`, also for a URL that cannot be compared.
    package func check(_ url: TransferURL) throws(TintypeError) {
        guard allows(url) else { throw Self.denied(url.text, .download) }
    }

    /// Checks whether a callback may go to its URL. Errors show only the host of the URL.
    /// - Throws: `denied`, also for a URL that cannot be compared.
    package func check(_ callback: CallbackTarget) throws(TintypeError) {
        guard !allows(TransferURL(callback.url)) else { return }
        throw TintypeError(
            .denied, .admission, "callbacks do not go to such URLs: a rule of the operator's refuses them",
            details: ["which": "rule", "path": "callback.url", "host": .string(callback.host)])
    }

    private func allows(_ url: TransferURL?) -> Bool {
        guard !rules.isEmpty else { return true }
        guard let url, let host = url.plainHost, let parts = URLParts(url.text) else { return false }
        return [nil, .allow].contains(access(host: host, parts)?.word)
    }

    static func denied(_ url: String, _ phase: Phase) -> TintypeError {
        TintypeError(
            .denied, phase, "URLs such as this are not fetched here: a rule of the operator's refuses them",
            details: ["which": "rule", "url": .string(RedactedURL(url).description)])
    }
}

extension Source {
    /// Returns the source with redirects judged by this list.
    func judged(by list: AccessList) -> Source {
        var judged = self
        judged.access = list.digest
        return judged
    }
}
