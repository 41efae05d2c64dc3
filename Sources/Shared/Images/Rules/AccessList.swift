package import TintypeCore
package import TintypeTransport

/// Which URLs may be fetched, and called back: what rules say of access, and nothing else of them. It holds for redirects too, and so goes to workers: once, by way of
/// Redis, while a fetch names it by its digest. A pure value, without secrets.
package struct AccessList: Sendable {
    /// Says nothing.
    package static let none = AccessList([])

    /// As Redis has it: an array of rules.
    package let text: String
    /// Tells it from others; nil for the one that says nothing.
    package let digest: String?
    private let rules: [Rule]

    /// Where coordinators lay down the lists that they go by: a hash of texts by digest, so that a fetch is judged by the list it was asked for
    /// under, whatever counts since.
    package static let key = tag.prefix + "access"
    package static let tag = RedisSpace.rules.tag
    private static let members = ["hosts", "paths", "access"]

    /// - Parameter rules: as files have them, and validated.
    init(_ rules: [(rule: Rule, json: JSON)]) {
        let telling = rules.filter { $0.rule.access != nil }
        self.rules = telling.map(\.rule)
        let said = telling.map { one in JSON.object(JSONObject(Self.members.compactMap { name in one.json[name].map { (name, $0) } })) }
        text = JSON.array(said).text
        digest = said.isEmpty ? nil : Digest.sha256Hex(text.utf8, digits: 16)
    }

    /// Reads what `text` was.
    /// - Throws: `invalidParams` for what it never is.
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

    /// What the last rule about such a URL says that says something of access, and its name; nil where none does. Rules that forbid are about other
    /// spellings of its path, too: a server may take them for the same.
    /// - Parameter host: as `TransferURL.plainHost` has it.
    func access(host: String, _ url: URLParts) -> (word: Rule.Access, rule: String)? {
        guard !rules.isEmpty else { return nil }
        let (path, merged) = (url.plainPath, url.mergedPath)
        let last = rules.last { rule in rule.isAbout(host: host, path: path) || rule.access != .allow && rule.isAbout(host: host, path: merged) }
        return last.flatMap { rule in rule.access.map { ($0, rule.name) } }
    }

    /// - Throws: `denied`, also for what cannot be compared.
    package func check(_ url: TransferURL) throws(TintypeError) {
        guard allows(url) else { throw Self.denied(url.text, .download) }
    }

    /// Whether a callback may go there. What is told of its URL is no more than the host.
    /// - Throws: `denied`, also for what cannot be compared.
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
    /// The same with redirects judged by this list.
    func judged(by list: AccessList) -> Source {
        var judged = self
        judged.access = list.digest
        return judged
    }
}
