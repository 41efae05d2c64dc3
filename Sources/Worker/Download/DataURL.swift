package import TintypeCore

/// The parts of a `data:` URL (RFC 2397). A pure value.
package struct DataURL: Sendable, Hashable {
    /// The media type as written; `text/plain;charset=US-ASCII` if none is written.
    package let mediaType: String
    package let bytes: [UInt8]

    /// - Throws: `invalidURL` if the text is no `data:` URL, has no comma or has broken base64.
    package init(_ url: String) throws(TintypeError) {
        let text = url.utf8.prefix { $0 != UInt8(ascii: "#") }
        guard text.prefix(5).elementsEqual("data:".utf8, by: { $0 | 0x20 == $1 | 0x20 }),
            let comma = text.firstIndex(of: UInt8(ascii: ","))
        else { throw Self.broken("a data: URL is data:[type][;base64],bytes") }
        var type = String(decoding: text[text.index(text.startIndex, offsetBy: 5)..<comma], as: UTF8.self)
        guard let decoded = PercentText.bytes(of: text[text.index(after: comma)...]) else {
            throw Self.broken("a percent sign is not followed by two hexadecimal digits")
        }
        if type.lowercased().hasSuffix(";base64") {
            type.removeLast(7)
            guard let bytes = Base64.bytes(of: decoded) else { throw Self.broken("its base64 is broken") }
            self.bytes = bytes
        } else {
            bytes = decoded
        }
        mediaType = type.isEmpty || type.hasPrefix(";") ? "text/plain\(type.isEmpty ? ";charset=US-ASCII" : type)" : type
    }

    private static func broken(_ reason: String) -> TintypeError {
        TintypeError(.invalidURL, .download, "the data: URL cannot be read: \(reason)", details: ["url": "data:,***"])
    }
}
