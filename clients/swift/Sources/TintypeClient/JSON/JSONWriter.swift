extension JSON {
    /// Appends the value as JSON without spaces, in UTF-8.
    ///
    /// JSON has no infinite numbers and no NaN: they become `null`.
    public func write(into bytes: inout [UInt8]) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: value ? "true".utf8 : "false".utf8)
        case .integer(let value): Self.write(value, into: &bytes)
        case .number(let value): bytes.append(contentsOf: value.isFinite ? value.description.utf8 : "null".utf8)
        case .string(let value): Self.write(value, into: &bytes)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                element.write(into: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for index in members.indices {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                let (key, value) = members[index]
                Self.write(key, into: &bytes)
                bytes.append(UInt8(ascii: ":"))
                value.write(into: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    private static func write(_ number: Int, into bytes: inout [UInt8]) {
        if 0..<10 ~= number {
            bytes.append(UInt8(ascii: "0") + UInt8(number))
        } else {
            bytes.append(contentsOf: number.description.utf8)
        }
    }

    /// Appends a string in quotes. Only quotes, backslashes and control characters are escaped.
    static func write(_ text: String, into bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            var begin = 0
            for index in utf8.indices where isEscaped(utf8[index]) {
                bytes.append(contentsOf: utf8[begin..<index])
                escape(utf8[index], into: &bytes)
                begin = index + 1
            }
            bytes.append(contentsOf: utf8[begin...])
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private static func escape(_ byte: UInt8, into bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case 0x20...: bytes.append(byte)
        default:
            let digits = "0123456789abcdef".utf8.map { $0 }
            bytes.append(contentsOf: "u00".utf8)
            bytes.append(digits[Int(byte >> 4)])
            bytes.append(digits[Int(byte & 15)])
        }
    }
}
