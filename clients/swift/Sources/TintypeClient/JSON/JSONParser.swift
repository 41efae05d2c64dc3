extension JSON {
    /// Reads one value, which takes all the bytes except for white space around it.
    ///
    /// Bytes that are not UTF-8 become U+FFFD.
    ///
    /// - Throws: ``JSONFault`` when the bytes are not JSON (RFC 8259), or are nested more than 128 levels deep.
    public init(parsing bytes: UnsafeBufferPointer<UInt8>) throws(JSONFault) {
        try self.init(parsing: bytes, keeping: [])
    }

    /// - Parameter kept: Members of the outermost object that become texts: their JSON as it was written, with every digit of its numbers.
    package init(parsing bytes: UnsafeBufferPointer<UInt8>, keeping kept: Set<String>) throws(JSONFault) {
        var parser = JSONParser(bytes: bytes, keeping: kept)
        self = try parser.document()
    }

    /// Reads one value, which takes all the bytes except for white space around it.
    ///
    /// - Throws: ``JSONFault`` when the bytes are not JSON (RFC 8259), or are nested more than 128 levels deep.
    public init(parsing bytes: [UInt8]) throws(JSONFault) {
        // `withUnsafeBufferPointer` hands on the type of the error.
        self = try bytes.withUnsafeBufferPointer { (buffer) throws(JSONFault) in try JSON(parsing: buffer) }
    }

    /// Reads one value from a text.
    ///
    /// - Throws: ``JSONFault`` when the text is not JSON.
    public init(parsing text: String) throws(JSONFault) {
        try self.init(parsing: Array(text.utf8))
    }
}

/// Reads JSON in one pass, without a copy of the bytes. Strings without escapes are made from the bytes as they are.
struct JSONParser {
    /// The deepest nesting. The service sends at most 64 levels.
    static let mostLevels = 128

    private let bytes: UnsafeBufferPointer<UInt8>
    private let kept: Set<String>
    private var place = 0
    private var level = 0

    init(bytes: UnsafeBufferPointer<UInt8>, keeping kept: Set<String>) {
        (self.bytes, self.kept) = (bytes, kept)
    }

    mutating func document() throws(JSONFault) -> JSON {
        let value = try value()
        skipSpace()
        if place < bytes.count { throw fault("expected the end") }
        return value
    }

    private mutating func value() throws(JSONFault) -> JSON {
        skipSpace()
        guard let byte = peek else { throw fault("expected a value") }
        switch byte {
        case UInt8(ascii: "\""):
            place += 1
            return .string(try string())
        case UInt8(ascii: "{"):
            return try object()
        case UInt8(ascii: "["):
            return try array()
        case UInt8(ascii: "t"):
            try word("true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try word("false")
            return .bool(false)
        case UInt8(ascii: "n"):
            try word("null")
            return .null
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return try number()
        default:
            throw fault("expected a value")
        }
    }

    // MARK: - Objects and arrays

    private mutating func object() throws(JSONFault) -> JSON {
        try enter()
        var members: [(key: String, value: JSON)] = []
        skipSpace()
        if take(UInt8(ascii: "}")) {
            level -= 1
            return .object(JSONObject())
        }
        members.reserveCapacity(8)
        while true {
            skipSpace()
            guard take(UInt8(ascii: "\"")) else { throw fault("expected the name of a member") }
            let name = try string()
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw fault("expected a colon") }
            let start = place
            let value = try value()
            let isKept = level == 1 && kept.contains(name)
            members.append((name, isKept ? .string(String(decoding: bytes[start..<place], as: UTF8.self)) : value))
            skipSpace()
            if take(UInt8(ascii: ",")) { continue }
            guard take(UInt8(ascii: "}")) else { throw fault("expected a comma or the end of the object") }
            level -= 1
            return .object(JSONObject(members))
        }
    }

    private mutating func array() throws(JSONFault) -> JSON {
        try enter()
        var elements: [JSON] = []
        skipSpace()
        if take(UInt8(ascii: "]")) {
            level -= 1
            return .array([])
        }
        while true {
            elements.append(try value())
            skipSpace()
            if take(UInt8(ascii: ",")) { continue }
            guard take(UInt8(ascii: "]")) else { throw fault("expected a comma or the end of the array") }
            level -= 1
            return .array(elements)
        }
    }

    private mutating func enter() throws(JSONFault) {
        level += 1
        if level > Self.mostLevels { throw fault("nested more than \(Self.mostLevels) levels deep") }
        place += 1
    }

    // MARK: - Strings

    /// Reads a string whose opening quote is taken.
    private mutating func string() throws(JSONFault) -> String {
        let start = place
        while place < bytes.count {
            let byte = bytes[place]
            if byte == UInt8(ascii: "\"") {
                let text = String(decoding: bytes[start..<place], as: UTF8.self)
                place += 1
                return text
            }
            if byte == UInt8(ascii: "\\") { return try escapedString(from: start) }
            if byte < 0x20 { throw fault("a control character in a string") }
            place += 1
        }
        throw fault("a string without an end")
    }

    private mutating func escapedString(from start: Int) throws(JSONFault) -> String {
        var text = Array(bytes[start..<place])
        while place < bytes.count {
            let byte = bytes[place]
            place += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): try escape(into: &text)
            case 0..<0x20: throw fault("a control character in a string")
            default: text.append(byte)
            }
        }
        throw fault("a string without an end")
    }

    private mutating func escape(into text: inout [UInt8]) throws(JSONFault) {
        guard let byte = peek else { throw fault("a string without an end") }
        place += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            var code = UInt32(try codeUnit())
            // A pair of surrogates is one character. A lone one is none, and becomes U+FFFD.
            if 0xD800..<0xDC00 ~= code, place + 1 < bytes.count, bytes[place] == UInt8(ascii: "\\"), bytes[place + 1] == UInt8(ascii: "u") {
                let back = place
                place += 2
                let low = UInt32(try codeUnit())
                if 0xDC00..<0xE000 ~= low { code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00) } else { place = back }
            }
            text.append(contentsOf: Character(Unicode.Scalar(code) ?? "\u{FFFD}").utf8)
        default: throw fault("an unknown escape")
        }
    }

    private mutating func codeUnit() throws(JSONFault) -> UInt16 {
        guard place + 4 <= bytes.count else { throw fault("expected four hexadecimal digits") }
        var code: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = Character(Unicode.Scalar(bytes[place])).hexDigitValue, bytes[place] < 0x80 else {
                throw fault("expected four hexadecimal digits")
            }
            code = code << 4 | UInt16(digit)
            place += 1
        }
        return code
    }

    // MARK: - Numbers

    private mutating func number() throws(JSONFault) -> JSON {
        let start = place
        let isNegative = take(UInt8(ascii: "-"))
        var digits: UInt64 = 0
        var count = 0
        var exponent = 0
        let first = place
        readDigits(into: &digits, &count)
        if place == first { throw fault("expected a digit") }
        if bytes[first] == UInt8(ascii: "0"), place > first + 1 { throw fault("a number that begins with 0") }
        var isWhole = true
        if take(UInt8(ascii: ".")) {
            isWhole = false
            let fraction = place
            readDigits(into: &digits, &count)
            if place == fraction { throw fault("expected a digit") }
            exponent = fraction - place
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            isWhole = false
            let isSmall = take(UInt8(ascii: "-"))
            if !isSmall { _ = take(UInt8(ascii: "+")) }
            var power: UInt64 = 0
            var ignored = 0
            let begin = place
            readDigits(into: &power, &ignored)
            if place == begin { throw fault("expected a digit") }
            exponent += (isSmall ? -1 : 1) * Int(min(power, 100_000))
        }
        if isWhole, count <= 18 { return .integer(isNegative ? -Int(digits) : Int(digits)) }
        // Both are exact, so one rounding gives the nearest number.
        if count <= 15, abs(exponent) <= 22 {
            let whole = Double(digits)
            let value = exponent < 0 ? whole / Self.powers[-exponent] : whole * Self.powers[exponent]
            return .number(isNegative ? -value : value)
        }
        let text = String(decoding: bytes[start..<place], as: UTF8.self)
        if isWhole, let integer = Int(text) { return .integer(integer) }
        guard let value = Double(text) else { throw fault("a number that cannot be read") }
        return .number(value)
    }

    /// Adds the digits that come. Beyond the nineteenth they are counted alone.
    private mutating func readDigits(into value: inout UInt64, _ count: inout Int) {
        while let byte = peek, byte &- UInt8(ascii: "0") < 10 {
            if count < 19 { value = value &* 10 &+ UInt64(byte &- UInt8(ascii: "0")) }
            count += 1
            place += 1
        }
    }

    private static let powers: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    ]

    // MARK: - Bytes

    private var peek: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard place < bytes.count, bytes[place] == byte else { return false }
        place += 1
        return true
    }

    private mutating func skipSpace() {
        while place < bytes.count {
            switch bytes[place] {
            case 0x20, 0x0A, 0x0D, 0x09: place += 1
            default: return
            }
        }
    }

    private mutating func word(_ word: StaticString) throws(JSONFault) {
        for index in 0..<word.utf8CodeUnitCount {
            guard take(word.utf8Start[index]) else { throw fault("expected \(word)") }
        }
    }

    private func fault(_ reason: String) -> JSONFault {
        JSONFault(reason: reason, offset: place)
    }
}
