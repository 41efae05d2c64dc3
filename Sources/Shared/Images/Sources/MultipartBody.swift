import TintypeCore

/// A body of several parts (RFC 7578, `multipart/form-data`), as forms with files send it. A pure value.
package struct MultipartBody: Sendable, Hashable {
    package struct Part: Sendable, Hashable {
        let name: String
        let content: Content
        let filename: String?
        let type: String?

        enum Content: Sendable, Hashable {
            case text(String)
            /// The given text, in base64.
            case base64(String)
        }
    }

    let parts: [Part]

    private static let most = 100
    private static let name = ParameterType.pattern(expectation: "1 to 256 bytes") { (1...256).contains($0.utf8.count) }
    private static let mediaType = ParameterType.pattern(expectation: "a media type such as image/png") { text in
        (3...128).contains(text.utf8.count) && text.utf8.contains(UInt8(ascii: "/")) && text.utf8.allSatisfy { (0x20...0x7e).contains($0) }
    }

    static let type = ParameterType.array(
        of: .object([
            ParameterDescription("name", name, required: true, "The name of the field."),
            ParameterDescription("value", .string(maxLength: 4 << 20), "The text of the field. Either this or base64 is required."),
            ParameterDescription("base64", .string(maxLength: 4 << 20), "Its bytes."),
            ParameterDescription("filename", name, "The name of the file."),
            ParameterDescription("type", mediaType, "The Content-Type. Default: none for text, application/octet-stream for bytes and files."),
        ]), count: 1...most)

    /// Reads JSON that nobody has validated: an object beside `multipart` may be anything.
    /// - Throws: `invalidParams`, without the values.
    init(_ json: JSON?, at path: String) throws(TintypeError) {
        let json = json ?? .null
        do throws(TintypeError) {
            try Self.type.validate(json, at: path)
        } catch {
            throw .invalidParams(path: error.details["path"]?.string ?? path, shown: "(hidden)", expected: "parts {name, value or base64, filename?, type?}")
        }
        var parts: [Part] = []
        for (index, one) in (json.array ?? []).enumerated() {
            let place = "\(path)[\(index)]"
            let content: Part.Content
            switch (one["value"]?.string, one["base64"]?.string) {
            case (let text?, nil): content = .text(text)
            case (nil, let text?):
                guard Base64.bytes(of: Array(text.utf8)) != nil else { throw .invalidParams(path: place + ".base64", shown: "(hidden)", expected: "base64") }
                content = .base64(text)
            case (nil, nil), (.some, .some): throw .invalidParams(path: place, shown: "(hidden)", expected: "either value or base64")
            }
            parts.append(Part(name: one["name"]?.string ?? "", content: content, filename: one["filename"]?.string, type: one["type"]?.string))
        }
        self.parts = parts
    }

    /// The form that `init` reads.
    var canonical: JSON {
        .array(
            parts.map { part in
                var object: JSONObject = ["name": .string(part.name)]
                switch part.content {
                case .text(let text): object["value"] = .string(text)
                case .base64(let text): object["base64"] = .string(text)
                }
                object["filename"] = part.filename.map { .string($0) }
                object["type"] = part.type.map { .string($0) }
                return .object(object)
            })
    }

    /// The line between the parts. It is made of their digest, so equal requests have equal bytes, and no part contains it.
    var boundary: String {
        let digest = Digest.sha256Hex(canonical.canonicalBytes(), digits: 32)
        let bodies = parts.map(\.bytes)
        var number = 0
        while bodies.contains(where: { $0.firstRange(of: Array("tintype-\(number)-\(digest)".utf8)) != nil }) { number += 1 }
        return "tintype-\(number)-\(digest)"
    }

    var contentType: String { "multipart/form-data; boundary=\(boundary)" }

    var bytes: [UInt8] {
        let boundary = boundary
        var body: [UInt8] = []
        for part in parts {
            body += "--\(boundary)\r\n\(part.head)\r\n".utf8
            body += part.bytes
            body += "\r\n".utf8
        }
        return body + "--\(boundary)--\r\n".utf8
    }
}

extension MultipartBody.Part {
    var bytes: [UInt8] {
        switch content {
        case .text(let text): Array(text.utf8)
        case .base64(let text): Base64.bytes(of: Array(text.utf8)) ?? []
        }
    }

    /// The header of the part, with line ends.
    var head: String {
        var head = "Content-Disposition: form-data; name=\"\(Self.quoted(name))\""
        if let filename { head += "; filename=\"\(Self.quoted(filename))\"" }
        if let type = type ?? usualType { head += "\r\nContent-Type: \(type)" }
        return head + "\r\n"
    }

    private var usualType: String? {
        switch content {
        case .text: filename == nil ? nil : "application/octet-stream"
        case .base64: "application/octet-stream"
        }
    }

    /// Returns a text quoted as browsers do (WHATWG HTML, 4.10.21.8).
    private static func quoted(_ text: String) -> String {
        var quoted = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "%22"
            case "\r": quoted += "%0D"
            case "\n": quoted += "%0A"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted
    }
}
