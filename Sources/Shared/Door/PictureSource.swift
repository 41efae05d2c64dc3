import TintypeCore

/// The source of a picture URL: plain or in Base64, with a format behind it. Pure.
enum PictureSource {
    /// Reads the source of `plain/`: percent-encoded once, with `@EXTENSION` at the end.
    /// - Parameter start: the byte of the target behind the word `plain`.
    static func plain(_ target: PictureTarget, after start: Int) throws(DoorRefusal) -> (source: String, fileExtension: String?) {
        let text = target.signed[min(start + 1 - target.offset, target.signed.count)...]
        let pieces = text.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard pieces.count <= 2 else {
            throw DoorRefusal(.badSource, at: target.offset + pieces[2].startIndex - 1, "there is more than one @; write those of the source as %40")
        }
        guard let escaped = pieces.first, !escaped.isEmpty else {
            throw DoorRefusal(.missingPart, at: start, "there is no source behind plain/")
        }
        var bytes: [UInt8] = []
        var index = escaped.startIndex
        while index < escaped.endIndex {
            let byte = escaped[index]
            var value = byte
            if byte == UInt8(ascii: "%") {
                guard index + 2 < escaped.endIndex, let decoded = PercentText.bytes(of: escaped[index...index + 2])?.first else {
                    throw DoorRefusal(.badSource, at: target.offset + index, "a % of the source is no escape; write it as %25")
                }
                value = decoded
            }
            if value < 0x20 || value == 0x7f {
                throw DoorRefusal(.badSource, at: target.offset + index, "the source has the control character \(value); leave it out")
            }
            bytes.append(value)
            index += byte == UInt8(ascii: "%") ? 3 : 1
        }
        let name = try pieces.count == 2 ? fileExtension(pieces[1], at: target.offset + pieces[1].startIndex) : nil
        return (try url(bytes, at: target.offset + escaped.startIndex), name)
    }

    /// Reads the source in Base64: perhaps in several parts, with `.EXTENSION` at the end.
    static func base64(_ parts: [PictureURL.Part]) throws(DoorRefusal) -> (source: String, fileExtension: String?) {
        var text: [UInt8] = []
        var found: String?
        for (number, part) in parts.enumerated() {
            try PictureURL.check(part)
            let pieces = Array(part.text.utf8).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            let encoded = pieces[0]
            if let bad = encoded.firstIndex(where: { !$0.isLetter && !$0.isDigit && !"-_+=".utf8.contains($0) }) {
                throw DoorRefusal(
                    .badSource, at: part.position + bad,
                    "this part is neither an option, which has a colon, nor Base64; a plain source stands behind plain/")
            }
            text += encoded
            guard pieces.count > 1 else { continue }
            guard pieces.count == 2, number == parts.count - 1 else {
                throw DoorRefusal(.badSource, at: part.position + encoded.endIndex, "only one extension may follow the source, at the end of the URL")
            }
            found = try fileExtension(pieces[1], at: part.position + pieces[1].startIndex)
        }
        guard let bytes = Base64.bytes(of: text), !bytes.isEmpty else {
            throw DoorRefusal(.badSource, at: parts[0].position, "the source is no whole Base64; write it anew from the URL of the source")
        }
        if let bad = bytes.first(where: { $0 < 0x20 || $0 == 0x7f }) {
            throw DoorRefusal(.badSource, at: parts[0].position, "the decoded source has the control character \(bad); leave it out")
        }
        return (try url(bytes, at: parts[0].position), found)
    }

    private static func fileExtension(_ bytes: ArraySlice<UInt8>, at position: Int) throws(DoorRefusal) -> String {
        guard (1...8).contains(bytes.count), bytes.allSatisfy({ $0.isLetter || $0.isDigit }) else {
            throw DoorRefusal(.badSource, at: position, "the extension must be 1 to 8 letters and digits, such as webp")
        }
        return String(decoding: bytes, as: UTF8.self).lowercased()
    }

    /// Completes the decoded bytes to a URL. As browsers do, bytes outside ASCII and spaces are escaped.
    private static func url(_ bytes: [UInt8], at position: Int) throws(DoorRefusal) -> String {
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw DoorRefusal(.badSource, at: position, "the decoded source is not UTF-8; percent-encode it twice")
        }
        // A server that merges slashes makes http:/host of http://host, and breaks every signature besides.
        for scheme in ["http:/", "https:/", "s3:/"] where bytes.starts(with: scheme.utf8) && !bytes.starts(with: (scheme + "/").utf8) {
            throw DoorRefusal(
                .badSource, at: position + scheme.utf8.count - 1,
                "one slash is missing behind \(scheme.dropLast()); a proxy may merge slashes: switch that off, or write the source in Base64")
        }
        return PercentText.escaping(bytes) { $0 >= 0x80 || $0 == 0x20 }
    }
}
