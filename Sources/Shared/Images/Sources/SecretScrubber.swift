package import TintypeCore

/// The secrets of a source that must not be shown: its credentials, as they are and as they are sent. Every text from a server about a request, such
/// as an error page that repeats it, goes through this filter.
package struct SecretScrubber: Sendable {
    private let words: [[UInt8]]

    /// A shorter word could occur anywhere.
    private static let shortest = 4
    /// Headers without credentials.
    private static let harmless: Set<String> = [
        "accept", "accept-language", "accept-encoding", "user-agent", "content-type", "cache-control", "referer", "origin",
    ]

    /// No secrets.
    package init() { words = [] }

    package init(of source: Source) {
        var words: Set<ExactText> = []
        func add(_ text: String) { if text.utf8.count >= Self.shortest { words.insert(ExactText(text)) } }
        func add(user: String, password: String) {
            add(password)
            add(Base64.text(of: Array("\(user):\(password)".utf8)))
        }
        switch source.fetch.credentials {
        case .basic(let user, let password), .digest(let user, let password): add(user: user, password: password)
        case .bearer(let token): add(token)
        case nil: break
        }
        for header in source.fetch.headers where !Self.harmless.contains(header.name.lowercased()) {
            add(header.value)
            // `Bearer …` and similar values.
            if let space = header.value.firstIndex(of: " ") { add(String(header.value[header.value.index(after: space)...])) }
        }
        for param in source.fetch.params where SecretNames.holds(param.name) {
            add(param.value)
            add(PercentText.encoded(param.value))
        }
        for address in source.addresses where address.kind == .http {
            guard let parts = URLParts(address.url) else { continue }
            let user = parts.userInfo.dropLast().split(separator: ":", maxSplits: 1)
            if user.count == 2 {
                add(String(user[1]))
                add(user: PercentText.decoded(user[0]), password: PercentText.decoded(user[1]))
            }
            for param in parts.params where SecretNames.holds(param.name) {
                guard let equals = param.text.firstIndex(of: "=") else { continue }
                let value = param.text[param.text.index(after: equals)...]
                add(String(value))
                add(PercentText.decoded(value))
            }
        }
        // Longer words first: another word may be a part of them.
        self.words = words.map { Array($0.text.utf8) }.sorted { $0.count > $1.count }
    }

    /// Bytes are searched: an accent that a server puts behind a word would make another Character of its last letter.
    package func hide(in text: String) -> String {
        guard !words.isEmpty else { return text }
        var bytes = Array(text.utf8)
        for word in words { bytes.replace(word, with: "***".utf8) }
        return String(decoding: bytes, as: UTF8.self)
    }

    package func hide(in json: JSON) -> JSON {
        guard !words.isEmpty else { return json }
        return switch json {
        case .string(let text): .string(hide(in: text))
        case .array(let items): .array(items.map { hide(in: $0) })
        case .object(let object): .object(JSONObject(object.members.map { (hide(in: $0.key), hide(in: $0.value)) }))
        case .null, .bool, .int, .double, .raw: json
        }
    }

    package func hide(in error: TintypeError) -> TintypeError {
        guard !words.isEmpty else { return error }
        var copy = error
        copy.message = hide(in: error.message)
        copy.details = hide(in: .object(error.details)).object ?? error.details
        return copy
    }
}
