import TintypeTransport

/// The encoding of a body that is text: found out by what it begins with and by what its server calls it. A pure value.
///
/// The encodings are those that browsers know, without the stateful ones (ISO-2022). The decoders of those have a history of faults, and bodies come from
/// strangers.
struct Charset: Sendable, Hashable {
    /// As errors call it.
    let name: String
    /// As iconv(3) calls it; nil for UTF-8.
    let codec: String?

    static let utf8 = Charset(name: "utf-8", codec: nil)
    private static let littleUTF16 = Charset(name: "utf-16le", codec: "UTF-16LE")
    private static let bigUTF16 = Charset(name: "utf-16be", codec: "UTF-16BE")

    private init(name: String, codec: String?) { (self.name, self.codec) = (name, codec) }

    /// - Parameter label: in any case, as a header or an XML declaration has it.
    /// - Returns: nil for what is not known.
    init?(label: String) {
        let name = label.lowercased()
        switch name {
        case "utf-8", "utf8": self = .utf8
        // RFC 2781 leaves the order open where there is no mark; what is about is Windows'.
        case "utf-16", "utf-16le": self = .littleUTF16
        case "utf-16be": self = .bigUTF16
        default:
            guard let codec = Self.codecs[name] else { return nil }
            self.init(name: name, codec: codec)
        }
    }

    /// By the mark that text may begin with.
    /// - Returns: the bytes of the mark, too; nil without one.
    static func marked(_ bytes: [UInt8]) -> (charset: Charset, length: Int)? {
        if bytes.starts(with: [0xef, 0xbb, 0xbf]) { return (.utf8, 3) }
        if bytes.starts(with: [0xff, 0xfe]) { return (littleUTF16, 2) }
        if bytes.starts(with: [0xfe, 0xff]) { return (bigUTF16, 2) }
        return nil
    }

    /// The label in a Content-Type; nil where it names none.
    static func label(in contentType: String?) -> String? {
        guard let contentType else { return nil }
        for parameter in contentType.split(separator: ";").dropFirst() {
            let halves = parameter.split(separator: "=", maxSplits: 1).map { $0.filter { !" \t\"'".contains($0) } }
            if halves.count == 2, halves[0].lowercased() == "charset", !halves[1].isEmpty { return String(halves[1].prefix(64)) }
        }
        return nil
    }

    /// The label in an XML declaration (XML 1.0, appendix F); nil without one, where XML is UTF-8.
    static func label(inXML bytes: [UInt8]) -> String? {
        if bytes.starts(with: [0x3c, 0, 0x3f, 0]) { return "utf-16le" }
        if bytes.starts(with: [0, 0x3c, 0, 0x3f]) { return "utf-16be" }
        let front = bytes.prefix(256)
        guard front.starts(with: "<?xml".utf8), let end = front.firstRange(of: Array("?>".utf8))?.lowerBound,
            let at = front[..<end].firstRange(of: Array("encoding".utf8))?.upperBound
        else { return nil }
        let rest = front[at..<end].drop { $0 == 0x20 || $0 == 0x3d || (9...13).contains($0) }
        guard let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return nil }
        return String(validating: rest.dropFirst().prefix { $0 != quote }, as: UTF8.self)
    }

    /// Labels of the WHATWG's Encoding Standard and of IANA, each for itself.
    private static let codecs: [String: String] = {
        var codecs = [
            "us-ascii": "ASCII", "ascii": "ASCII", "latin1": "ISO-8859-1", "latin2": "ISO-8859-2", "iso8859-1": "ISO-8859-1", "iso-8859-8-i": "ISO-8859-8",
            "koi8-r": "KOI8-R", "koi8-u": "KOI8-U", "macintosh": "MACINTOSH", "ibm866": "IBM866", "windows-874": "CP874", "tis-620": "TIS-620",
            "gbk": "GBK", "gb2312": "GBK", "gb18030": "GB18030", "big5": "BIG5", "big5-hkscs": "BIG5-HKSCS", "euc-jp": "EUC-JP", "shift_jis": "CP932",
            "shift-jis": "CP932", "windows-31j": "CP932", "euc-kr": "CP949", "ks_c_5601-1987": "CP949",
        ]
        for part in [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16] { codecs["iso-8859-\(part)"] = "ISO-8859-\(part)" }
        for page in 1250...1258 { (codecs["windows-\(page)"], codecs["cp\(page)"]) = ("CP\(page)", "CP\(page)") }
        return codecs
    }()
}
