import TintypeImages

/// The values of some properties in an XMP packet, found by their names.
///
/// A scanner, not an XML parser: the wanted names are few, and each value is a short number or word. A parser would bring entities and nesting, which are
/// worth an attack, and nothing that is needed here. Pure; takes time in proportion to the packet.
package struct XMPNumbers {
    private let text: [UInt8]
    /// The prefixes of the names.
    private var prefixes: Set<[UInt8]> = []

    private static let longestValue = 64, longestPrefix = 32, longestTag = 1024, longestList = 1024, mostItems = 3, mostPrefixes = 16

    /// - Parameters:
    ///   - bytes: the packet, in UTF-8.
    ///   - namespace: the address of the names.
    /// - Returns: nil if the packet declares no prefix for the namespace.
    package init?(_ bytes: UnsafeRawBufferPointer, namespace: StaticString) {
        text = Array(bytes)
        let address = namespace.withUTF8Buffer { Array($0) }
        var at = 0
        while prefixes.count < Self.mostPrefixes, let found = Self.find(address, in: text, from: at) {
            if let prefix = Self.prefix(text, declaredAt: found, found + address.count) { prefixes.insert(prefix) }
            at = found + 1
        }
        if prefixes.isEmpty { return nil }
    }

    /// Returns one text, or those of a list, and none if the value is no short one; nil if the packet has no such property.
    func texts(_ name: String) -> [String]? {
        var at = 0
        switch next(name, from: &at) {
        case .attribute(let start, let quote): return value(start, { $0 == quote }).map { [self[$0]] } ?? []
        case .element(let start): return content(start, closing: [Self.colon] + Array(name.utf8)) ?? []
        case nil: return nil
        }
    }

    /// Returns the packet with another digit as each value of a property, if the value is one digit.
    package func replacing(_ name: String, with digit: UInt8) -> [UInt8] {
        var (changed, at) = (text, 0)
        while let property = next(name, from: &at) {
            let place: Range<Int>? =
                switch property {
                case .attribute(let start, let quote): value(start, { $0 == quote })
                case .element(let start): value(start, { $0 == Self.less })
                }
            if let place, place.count == 1, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text[place.lowerBound]) { changed[place.lowerBound] = digit }
        }
        return changed
    }

    /// The place where a value begins.
    private enum Property {
        case attribute(Int, quote: UInt8), element(Int)
    }

    private func next(_ name: String, from at: inout Int) -> Property? {
        let word = [Self.colon] + Array(name.utf8)
        while let found = Self.find(word, in: text, from: at) {
            at = found + 1
            let prefix = text[..<found].suffix(Self.longestPrefix + 1).reversed().prefix(while: Self.isName)
            guard prefixes.contains(prefix.reversed()), let before = byte(found - prefix.count - 1), !Self.isName(before) else { continue }
            var next = found + word.count
            skipSpaces(&next)
            if byte(next) == Self.equals {
                next += 1
                skipSpaces(&next)
                if let quote = byte(next), quote == Self.double || quote == Self.single { return .attribute(next + 1, quote: quote) }
            } else if before == Self.less, let start = contentStart(next, isSpaced: next > found + word.count) {
                return .element(start)
            }
        }
        return nil
    }

    /// Returns the place of an element's content; nil if it has none.
    /// - Parameters:
    ///   - start: the place behind the name and its spaces.
    ///   - isSpaced: whether there are such spaces. Other letters there belong to a longer name.
    private func contentStart(_ start: Int, isSpaced: Bool) -> Int? {
        var (at, quote) = (start, UInt8?.none)
        guard isSpaced || byte(at) == Self.greater else { return nil }
        while let byte = byte(at), at < start + Self.longestTag {
            at += 1
            if byte == quote {
                quote = nil
            } else if quote == nil, byte == Self.greater {
                return text[at - 2] == Self.slash ? nil : at
            } else if quote == nil, byte == Self.less {
                return nil
            } else if quote == nil, byte == Self.double || byte == Self.single {
                quote = byte
            }
        }
        return nil
    }

    /// Returns the numbers of a property, and none if one of its texts is no number; nil if the packet has no such property.
    func numbers(_ name: String) -> [Double]? {
        guard let texts = texts(name) else { return nil }
        let numbers = texts.compactMap { Double($0) }
        return numbers.count == texts.count ? numbers : []
    }

    /// Returns the text of an element, or those of the items of its list.
    private func content(_ start: Int, closing: [UInt8]) -> [String]? {
        var at = start
        skipSpaces(&at)
        if byte(at) != Self.less { return value(at, { $0 == Self.less }).map { [self[$0]] } }
        let end = Self.find(closing, in: text, from: at) ?? text.count
        guard end - at <= Self.longestList else { return nil }
        var items: [String] = []
        while items.count <= Self.mostItems, let item = Self.find(Self.item, in: text, from: at), item < end {
            guard let value = value(item + Self.item.count, { $0 == Self.less }) else { return nil }
            items.append(self[value])
            at = item + 1
        }
        return items
    }

    /// Returns the place of a value without the spaces around it; nil: it is long, or several words.
    private func value(_ start: Int, _ isEnd: (UInt8) -> Bool) -> Range<Int>? {
        let rest = text[min(start, text.count)...].prefix(Self.longestValue)
        guard let end = rest.firstIndex(where: isEnd) else { return nil }
        let words = rest[..<end].split { Self.isSpace($0) }
        return words.count == 1 ? words[0].startIndex..<words[0].endIndex : nil
    }

    private subscript(_ place: Range<Int>) -> String { String(decoding: text[place], as: UTF8.self) }

    /// Returns the prefix of `xmlns:PREFIX="ADDRESS"`.
    private static func prefix(_ text: [UInt8], declaredAt start: Int, _ end: Int) -> [UInt8]? {
        guard start > 0, end < text.count, text[start - 1] == text[end], [double, single].contains(text[end]) else { return nil }
        var at = start - 2
        while at >= 0, isSpace(text[at]) { at -= 1 }
        guard at >= 0, text[at] == equals else { return nil }
        at -= 1
        while at >= 0, isSpace(text[at]) { at -= 1 }
        let last = at
        while at >= 0, isName(text[at]), last - at <= longestPrefix { at -= 1 }
        guard at < last, at >= 5, text[...at].suffix(6).elementsEqual("xmlns:".utf8) else { return nil }
        return Array(text[(at + 1)...last])
    }

    private static func find(_ word: [UInt8], in text: [UInt8], from start: Int) -> Int? {
        guard let first = word.first, text.count >= word.count, start <= text.count - word.count else { return nil }
        return text.withUnsafeBufferPointer { text in
            word.withUnsafeBufferPointer { word in
                for at in start...text.count - word.count where text[at] == first {
                    var same = 1
                    while same < word.count, text[at + same] == word[same] { same += 1 }
                    if same == word.count { return at }
                }
                return nil
            }
        }
    }

    private func byte(_ at: Int) -> UInt8? { text.indices.contains(at) ? text[at] : nil }
    private func skipSpaces(_ at: inout Int) { while let byte = byte(at), Self.isSpace(byte) { at += 1 } }

    private static let (less, greater, equals, slash, colon) = (UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "="), UInt8(ascii: "/"), UInt8(ascii: ":"))
    private static let (double, single) = (UInt8(ascii: "\""), UInt8(ascii: "'"))
    private static let item = Array("<rdf:li>".utf8)
    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0a, 0x0d].contains(byte) }
    private static func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"),
            UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
