/// The beginning of a markup text: what may precede its first element, and the name of that. The characters are bytes, or the units of UTF-16.
package struct MarkupText {
    private let bytes: UnsafeRawBufferPointer
    /// The bytes of a character.
    private let width: Int
    /// The place of the ASCII code among them.
    private let low: Int
    /// The number of characters that are looked at.
    package let count: Int
    /// The first character behind the byte order mark.
    private let start: Int

    /// The most bytes to look at. Drawing programs write long comments.
    package static let length = 1 << 20

    /// Tells UTF-16 by its mark or by its first two characters (XML 1.0, appendix F.1).
    package init(_ bytes: UnsafeRawBufferPointer, length: Int = length) {
        self.bytes = UnsafeRawBufferPointer(rebasing: bytes.prefix(length))
        let front = [UInt8](self.bytes.prefix(4))
        if front.starts(with: [0xfe, 0xff]) {
            (width, low, start) = (2, 1, 1)
        } else if front.starts(with: [0xff, 0xfe]) {
            (width, low, start) = (2, 0, 1)
        } else if front.starts(with: [0, 0x3c, 0]) {
            (width, low, start) = (2, 1, 0)
        } else if front.count == 4, front[0] == 0x3c, front[1] == 0, front[3] == 0 {
            (width, low, start) = (2, 0, 0)
        } else {
            (width, low, start) = (1, 0, front.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0)
        }
        count = self.bytes.count / width
    }

    /// Returns the ASCII code of a character, 0x80 for any other character, nil behind the last one.
    package subscript(at: Int) -> UInt8? {
        guard at >= 0, at < count else { return nil }
        let code = bytes[at * width + low]
        return code < 0x80 && (width == 1 || bytes[at * width + 1 - low] == 0) ? code : 0x80
    }

    /// Returns the bytes of an ASCII text in the encoding of this one.
    package func encoded(_ text: String) -> [UInt8] {
        width == 1 ? Array(text.utf8) : text.utf8.flatMap { low == 0 ? [$0, 0] : [0, $0] }
    }

    /// A text of UTF-16 in UTF-8, without its mark, and without its declaration, which would name the other encoding; nil for all other texts.
    package var plain: [UInt8]? {
        guard width == 2 else { return nil }
        let from = has("<?xml ", at: start) ? end(of: "?>", from: start) ?? start : start
        return Array(String(decoding: (from..<count).map { UInt16(bytes[2 * $0 + 1 - low]) << 8 | UInt16(bytes[2 * $0 + low]) }, as: UTF16.self).utf8)
    }

    /// Returns the place of a character among the bytes.
    package func byte(of at: Int) -> Int { at * width }

    package func has(_ text: StaticString, at: Int) -> Bool {
        for index in 0..<text.utf8CodeUnitCount where self[at + index] != text.utf8Start[index] { return false }
        return true
    }

    /// Returns the place behind the next `text`; nil if there is none.
    package func end(of text: StaticString, from start: Int) -> Int? {
        var at = start
        while at < count {
            if has(text, at: at) { return at + text.utf8CodeUnitCount }
            at += 1
        }
        return nil
    }

    package static func isSpace(_ character: UInt8?) -> Bool { character == 0x20 || character.map { (0x09...0x0d).contains($0) } ?? false }

    // MARK: Parts before the first element

    package enum Part {
        /// A processing instruction, or the declaration of XML.
        case instruction(isXML: Bool)
        case comment
        /// A document type with the name of its element. Its end may be missing.
        case type(String)
        /// An element with its name, and the place behind the name.
        case element(String, Int)
    }

    /// Reads one part after the other.
    /// - Parameter place: the place of the part, nil for the first one; afterwards the place behind it.
    /// - Returns: nil for other text, and for a part without an end.
    package func part(_ place: inout Int?) -> Part? {
        var at = place ?? start
        while Self.isSpace(self[at]) { at += 1 }
        if has("<?", at: at) {
            let isXML = has("<?xml", at: at)
            place = end(of: "?>", from: at + 2) ?? count
            return .instruction(isXML: isXML)
        }
        if has("<!--", at: at) {
            place = end(of: "-->", from: at + 4)
            return place == nil ? nil : .comment
        }
        if has("<!DOCTYPE", at: at) || has("<!doctype", at: at) {
            at += 9
            while Self.isSpace(self[at]) { at += 1 }
            place = endOfType(at)
            return .type(name(at))
        }
        guard self[at] == 0x3c else { return nil }
        let name = name(at + 1)
        place = at + 1 + name.utf8.count
        return .element(name, at + 1 + name.utf8.count)
    }

    /// Returns the place behind a document type, whose declarations may hold brackets in texts and comments.
    private func endOfType(_ start: Int) -> Int {
        var (at, isInside) = (start, false)
        while let character = self[at] {
            at += 1
            switch character {
            case 0x22: at = end(of: "\"", from: at) ?? count
            case 0x27: at = end(of: "'", from: at) ?? count
            case 0x3c where has("!--", at: at): at = end(of: "-->", from: at + 3) ?? count
            case 0x3c where has("?", at: at): at = end(of: "?>", from: at + 1) ?? count
            case 0x5b: isInside = true
            case 0x5d: isInside = false
            case 0x3e where !isInside: return at
            default: break
            }
        }
        return at
    }

    /// Returns the name of an element or document type.
    package func name(_ start: Int) -> String {
        var name = ""
        // Up to a space, ">", "/" or "[".
        while name.utf8.count < 256, let character = self[start + name.utf8.count], (0x21..<0x7f).contains(character), ![0x3e, 0x2f, 0x5b].contains(character) {
            name.unicodeScalars.append(Unicode.Scalar(character))
        }
        return name
    }

    /// Reads the attributes of an element, with the places of their values.
    /// - Parameter start: the place behind the name of the element.
    /// - Returns: the place of the end of the element; nil if there is none, or if an attribute is not one that XML allows.
    package func attributes(from start: Int, _ body: (String, Range<Int>) -> Void) -> Int? {
        var at = start
        func pass(_ isMeant: (UInt8?) -> Bool) -> Range<Int> {
            let from = at
            while at < count, isMeant(self[at]) { at += 1 }
            return from..<at
        }
        while at < count {
            _ = pass(Self.isSpace)
            if self[at] == 0x3e || self[at] == 0x2f { return at }
            let name = pass { !Self.isSpace($0) && ![0x3d, 0x3e, 0x2f, 0x22, 0x27].contains($0) }
            _ = pass(Self.isSpace)
            guard !name.isEmpty, self[at] == 0x3d else { return nil }
            at += 1
            _ = pass(Self.isSpace)
            guard let quote = self[at], quote == 0x22 || quote == 0x27 else { return nil }
            at += 1
            let value = pass { $0 != quote }
            at += 1
            body(string(name), value)
        }
        return nil
    }

    /// Returns a short text in ASCII; "" for a longer one.
    package func string(_ place: Range<Int>) -> String { place.count > 64 ? "" : String(decoding: place.map { self[$0] ?? 0 }, as: UTF8.self) }
}
