/// One log line under construction: pure text, without clock and descriptor.
///
/// Values come from outside (URLs, header values, error texts). Control characters are escaped, so that no value can end the line or forge a field. Text
/// that looks like a URL loses its secrets (`RedactedText`).
struct LogLine {
    private let format: LogFormat
    private(set) var text: String

    init(format: LogFormat) {
        self.format = format
        text = format == .json ? "{" : ""
    }

    /// Adds `key=value`. Fields keep the order of calls.
    mutating func add(_ key: String, _ value: String) {
        let value = RedactedText(value).description
        switch format {
        case .json:
            if text.utf8.count > 1 { text += "," }
            text += "\"\(Self.escaped(key))\":\"\(Self.escaped(value))\""
        case .logfmt:
            if !text.isEmpty { text += " " }
            text += Self.bare(key) ? key : "\"\(Self.escaped(key))\""
            text += "="
            text += Self.bare(value) ? value : "\"\(Self.escaped(value))\""
        }
    }

    /// The bytes to write, with the newline.
    func finished() -> [UInt8] {
        Array((format == .json ? text + "}\n" : text + "\n").utf8)
    }

    /// Whether logfmt may show `value` without quotes.
    private static func bare(_ value: String) -> Bool {
        !value.isEmpty && value.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7f && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "=") }
    }

    /// JSON string escapes, which logfmt readers understand too.
    private static func escaped(_ value: String) -> String {
        var result = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value):
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
