/// The kind of a markup text by its first element: an SVG, a page, or other XML. A declaration, comments and a document type may precede it.
enum MarkupSniff {
    /// The most bytes to look at: drawing programs write long comments.
    static let length = 4096

    /// - Returns: nil for any other text.
    static func of(_ bytes: UnsafeRawBufferPointer) -> ImageSniff? {
        let reader = ByteReader(bytes: UnsafeRawBufferPointer(rebasing: bytes.prefix(length)))
        var at = reader.has("\u{feff}", at: 0) ? 3 : 0
        var plain: ImageSniff?
        while true {
            while let byte = reader.byte(at), byte == 0x20 || (0x09...0x0d).contains(byte) { at += 1 }
            if reader.has("<?", at: at) {
                if reader.has("<?xml", at: at) { plain = .other("xml") }
                guard let end = end(of: "?>", reader, at + 2) else { return plain }
                at = end
            } else if reader.has("<!--", at: at) {
                guard let end = end(of: "-->", reader, at + 4) else { return plain }
                at = end
            } else if reader.has("<!DOCTYPE", at: at) || reader.has("<!doctype", at: at) {
                at += 9
                while reader.byte(at) == 0x20 { at += 1 }
                return kind(name(reader, at)) ?? plain ?? .other("html")
            } else {
                return reader.byte(at) == 0x3c ? kind(name(reader, at + 1)) ?? plain : plain
            }
        }
    }

    private static func kind(_ name: String) -> ImageSniff? {
        if name == "html" { return .other("html") }
        // A namespace prefix is possible.
        return name == "svg" || name.hasSuffix(":svg") ? .image(.svg) : nil
    }

    /// Returns the name of an element or document type, in lower case.
    private static func name(_ reader: ByteReader, _ start: Int) -> String {
        var name = ""
        while let byte = reader.byte(start + name.utf8.count), byte > 0x20, byte < 0x7f, ![0x3e, 0x2f, 0x5b].contains(byte) {
            name.unicodeScalars.append(Unicode.Scalar(UInt8(byte)))
        }
        return name.lowercased()
    }

    /// Returns the place after the next `text`.
    private static func end(of text: StaticString, _ reader: ByteReader, _ start: Int) -> Int? {
        (start..<max(start, reader.count)).first { reader.has(text, at: $0) }.map { $0 + text.utf8CodeUnitCount }
    }
}
