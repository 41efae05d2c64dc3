/// The reason why a text is not JSON, and its place.
package struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Bytes from the beginning of the text.
    package let offset: Int
    package let reason: String
    package var description: String { "\(reason) at byte \(offset)" }
}

extension JSON {
    /// Parses one JSON text. White space around it is allowed.
    /// - Parameters:
    ///   - bytes: UTF-8.
    ///   - maxDepth: the most arrays and objects inside each other; the outermost value is level 1.
    ///   - kept: the values that become `raw`.
    /// - Throws: `JSONError` with the offset of the first wrong byte.
    package init(parsing bytes: some Sequence<UInt8>, maxDepth: Int = 64, keeping kept: Kept = .nothing) throws(JSONError) {
        let result =
            bytes.withContiguousStorageIfAvailable { JSONReader.parse(UnsafeBufferPointer(rebasing: $0[...]), maxDepth, kept) }
            ?? Array(bytes).withUnsafeBufferPointer { JSONReader.parse($0, maxDepth, kept) }
        self = try result.get()
    }

    /// The values that a reader leaves as written.
    package enum Kept: Sendable, Hashable {
        case nothing
        /// Numbers that are not integers of 64 bits.
        case numbers
        /// Members `json`, anywhere: their author has parsed them, and only their end is searched.
        case bodies
    }

    package init(parsing text: String, keeping kept: Kept = .nothing) throws(JSONError) { try self.init(parsing: Array(text.utf8), keeping: kept) }
}

/// A recursive-descent reader over the bytes of one text. It lives no longer than one call.
struct JSONReader {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let maxDepth: Int
    private let kept: JSON.Kept
    private var position = 0
    private var depth = 0

    static func parse(_ bytes: UnsafeBufferPointer<UInt8>, _ maxDepth: Int, _ kept: JSON.Kept) -> Result<JSON, JSONError> {
        var reader = JSONReader(bytes: bytes, maxDepth: maxDepth, keeping: kept)
        do throws(JSONError) {
            let value = try reader.value()
            reader.skipSpace()
            guard reader.position == bytes.count else { throw reader.error("unexpected text after the value") }
            return .success(value)
        } catch {
            return .failure(error)
        }
    }

    private init(bytes: UnsafeBufferPointer<UInt8>, maxDepth: Int, keeping kept: JSON.Kept) {
        self.bytes = bytes
        self.maxDepth = maxDepth
        self.kept = kept
    }

    private func error(_ reason: String) -> JSONError { JSONError(offset: position, reason: reason) }
    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while position < bytes.count, bytes[position] == 32 || (9...10).contains(bytes[position]) || bytes[position] == 13 { position += 1 }
    }

    private mutating func value() throws(JSONError) -> JSON {
        skipSpace()
        switch current {
        case UInt8(ascii: "{"): return try object()
        case UInt8(ascii: "["): return try array()
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case .some(let byte) where byte == UInt8(ascii: "-") || (0x30...0x39).contains(byte): return try number()
        case nil: throw error("the text ends where a value is expected")
        default: throw error("no value begins with this byte")
        }
    }

    private mutating func word(_ text: StaticString, _ value: JSON) throws(JSONError) -> JSON {
        let count = text.utf8CodeUnitCount
        for index in 0..<count {
            guard current == text.utf8Start[index] else { throw error("expected \(text)") }
            position += 1
        }
        return value
    }

    private mutating func enter() throws(JSONError) {
        depth += 1
        if depth > maxDepth { throw error("nested deeper than \(maxDepth) levels") }
        position += 1
    }

    private mutating func object() throws(JSONError) -> JSON {
        try enter()
        var object = JSONObject()
        skipSpace()
        if current == UInt8(ascii: "}") { return leave(.object(object)) }
        while true {
            skipSpace()
            guard current == UInt8(ascii: "\"") else { throw error("expected a member's name in quotes") }
            let key = try string()
            skipSpace()
            guard current == UInt8(ascii: ":") else { throw error("expected a colon") }
            position += 1
            let member = kept == .bodies && key == "json" ? try body() : try value()
            object[key] = member
            // An array often has many objects with one member, and more often with eight.
            if object.count == 2 { object.reserveCapacity(8) }
            skipSpace()
            if current == UInt8(ascii: "}") { return leave(.object(object)) }
            guard current == UInt8(ascii: ",") else { throw error("expected a comma or the end of the object") }
            position += 1
        }
    }

    private mutating func array() throws(JSONError) -> JSON {
        try enter()
        var values: [JSON] = []
        skipSpace()
        if current == UInt8(ascii: "]") { return leave(.array(values)) }
        while true {
            values.append(try value())
            skipSpace()
            if current == UInt8(ascii: "]") { return leave(.array(values)) }
            guard current == UInt8(ascii: ",") else { throw error("expected a comma or the end of the array") }
            position += 1
        }
    }

    /// Moves past a value that was parsed before, and keeps its bytes without building a tree.
    private mutating func body() throws(JSONError) -> JSON {
        skipSpace()
        let start = position
        guard current == UInt8(ascii: "{") || current == UInt8(ascii: "[") else {
            _ = try value()
            return .raw(JSONText(checked: Array(bytes[start..<position])))
        }
        let outside = depth
        repeat {
            switch current {
            case nil: throw error("the text ends inside a value")
            case UInt8(ascii: "\""): skipString()
            case UInt8(ascii: "{"), UInt8(ascii: "["): try enter()
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                position += 1
                depth -= 1
            default: position += 1
            }
        } while depth > outside
        return .raw(JSONText(checked: Array(bytes[start..<position])))
    }

    private mutating func skipString() {
        position += 1
        while let byte = current, byte != UInt8(ascii: "\"") { position += byte == UInt8(ascii: "\\") ? 2 : 1 }
        position += 1
    }

    private mutating func leave(_ value: JSON) -> JSON {
        position += 1
        depth -= 1
        return value
    }

    private mutating func number() throws(JSONError) -> JSON {
        let start = position
        var isInteger = true
        if current == UInt8(ascii: "-") { position += 1 }
        if current == UInt8(ascii: "0") {
            position += 1
        } else {
            try digits()
        }
        if current == UInt8(ascii: ".") {
            isInteger = false
            position += 1
            try digits()
        }
        if let byte = current, byte | 0x20 == UInt8(ascii: "e") {
            isInteger = false
            position += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
            try digits()
        }
        let text = bytes[start..<position]
        if isInteger, let exact = integer(text) { return .int(exact) }
        guard let value = Double(String(decoding: text, as: UTF8.self)), value.isFinite else {
            throw JSONError(offset: start, reason: "the number is out of range")
        }
        return kept == .numbers ? .raw(JSONText(checked: Array(text))) : .double(value)
    }

    private func integer(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Int64? {
        let isNegative = text.first == UInt8(ascii: "-")
        var value: Int64 = 0
        for byte in text where byte != UInt8(ascii: "-") {
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let digit = Int64(byte - UInt8(ascii: "0"))
            let (sum, more) = isNegative ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
            if overflow || more { return nil }
            value = sum
        }
        return value
    }

    private mutating func digits() throws(JSONError) {
        guard let first = current, (0x30...0x39).contains(first) else { throw error("expected a digit") }
        while let byte = current, (0x30...0x39).contains(byte) { position += 1 }
    }

    private mutating func string() throws(JSONError) -> String {
        position += 1
        let start = position
        // Most strings have no escape: find the end and decode once.
        var bits: UInt8 = 0
        while let byte = current, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
            bits |= byte
            position += 1
        }
        if current == UInt8(ascii: "\"") {
            let plain = UnsafeBufferPointer(rebasing: bytes[start..<position])
            guard bits < 0x80 else { return try text(of: plain, from: start) }
            // ASCII is always valid. A check as UTF-8 would cost several times as much as everything else.
            position += 1
            return String(decoding: plain, as: UTF8.self)
        }
        var decoded = Array(bytes[start..<position])
        while true {
            switch current {
            case nil: throw error("the string has no end")
            case UInt8(ascii: "\""):
                return try text(of: decoded, from: start)
            case UInt8(ascii: "\\"):
                position += 1
                try escape(into: &decoded)
            case .some(let byte):
                guard byte >= 0x20 else { throw error("a control character must be escaped") }
                decoded.append(byte)
                position += 1
            }
        }
    }

    /// Moves past the closing quote and decodes the text before it.
    /// - Parameter start: the beginning of the string's bytes, to find a wrong byte. Escapes are ASCII and hide none.
    private mutating func text(of decoded: some Collection<UInt8>, from start: Int) throws(JSONError) -> String {
        guard let text = String(validating: decoded, as: UTF8.self) else {
            let raw = bytes[start..<position]
            var decoder = UTF8()
            var rest = raw.makeIterator()
            var offset = start
            while case .scalarValue(let scalar) = decoder.decode(&rest) { offset += UTF8.width(scalar) }
            throw JSONError(offset: offset, reason: "the string is not UTF-8")
        }
        position += 1
        return text
    }

    private mutating func escape(into decoded: inout [UInt8]) throws(JSONError) {
        guard let byte = current else { throw error("the string has no end") }
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): decoded.append(byte)
        case UInt8(ascii: "b"): decoded.append(8)
        case UInt8(ascii: "f"): decoded.append(12)
        case UInt8(ascii: "n"): decoded.append(10)
        case UInt8(ascii: "r"): decoded.append(13)
        case UInt8(ascii: "t"): decoded.append(9)
        case UInt8(ascii: "u"):
            position += 1
            return try unicode(into: &decoded)
        default: throw error("no such escape")
        }
        position += 1
    }

    private mutating func unicode(into decoded: inout [UInt8]) throws(JSONError) {
        var code = try hexadecimal()
        if (0xdc00...0xdfff).contains(code) { throw error("half of a surrogate pair") }
        if (0xd800...0xdbff).contains(code) {
            guard position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\"), bytes[position + 1] == UInt8(ascii: "u") else {
                throw error("half of a surrogate pair")
            }
            position += 2
            let low = try hexadecimal()
            guard (0xdc00...0xdfff).contains(low) else { throw error("half of a surrogate pair") }
            code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00)
        }
        guard let scalar = Unicode.Scalar(code) else { throw error("no such character") }
        decoded += Array(String(Character(scalar)).utf8)
    }

    private mutating func hexadecimal() throws(JSONError) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = current else { throw error("the string has no end") }
            switch byte {
            case 0x30...0x39: code = code << 4 | UInt32(byte - 0x30)
            case 0x41...0x46, 0x61...0x66: code = code << 4 | UInt32((byte | 0x20) - 0x61 + 10)
            default: throw error("expected four hexadecimal digits")
            }
            position += 1
        }
        return code
    }
}
