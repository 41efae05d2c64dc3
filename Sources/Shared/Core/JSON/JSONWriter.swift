/// Writes JSON text into bytes: whole values, or piece by piece on hot paths where a tree would cost more than the text.
///
/// The output is compact and has no raw line break, so one message is one line.
package struct JSONWriter: Sendable {
    package private(set) var bytes: [UInt8]

    package init(capacity: Int = 256) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// Appends text that is JSON already, or punctuation.
    package mutating func raw(_ text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends bytes that are JSON already.
    package mutating func raw(_ text: some Collection<UInt8>) { bytes.append(contentsOf: text) }

    /// Appends a text with a space for each line break. Breaks stand only between values, since strings have them escaped. Removing
    /// them would cost a copy for each line.
    private mutating func line(_ text: JSONText) {
        let start = bytes.count
        // Reserve space for later text, so that a long text is not moved once more.
        if text.bytes.count > 4096 { bytes.reserveCapacity(start + text.bytes.count + 4096) }
        bytes.append(contentsOf: text.bytes)
        guard text.hasBreaks else { return }
        bytes.withUnsafeMutableBufferPointer { bytes in
            for index in start..<bytes.count where bytes[index] == 10 || bytes[index] == 13 { bytes[index] = 32 }
        }
    }

    /// Appends a string that is JSON already.
    package mutating func raw(json text: String) { bytes.append(contentsOf: text.utf8) }

    package mutating func string(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            var start = 0
            for index in utf8.indices {
                let byte = utf8[index]
                guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
                bytes.append(contentsOf: utf8[start..<index])
                escape(byte)
                start = index + 1
            }
            bytes.append(contentsOf: utf8[start...])
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Returns the length of a text in UTF-8 as a JSON string, at most six times its own and two quotes.
    package static func length(ofString text: [UInt8]) -> Int {
        text.reduce(2) { length, byte in
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), 8, 9, 10, 12, 13: length + 2
            case 0..<0x20: length + 6
            default: length + 1
            }
        }
    }

    private mutating func escape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): raw("\\\"")
        case UInt8(ascii: "\\"): raw("\\\\")
        case 8: raw("\\b")
        case 9: raw("\\t")
        case 10: raw("\\n")
        case 12: raw("\\f")
        case 13: raw("\\r")
        default:
            raw("\\u00")
            bytes.append(Self.digits[Int(byte >> 4)])
            bytes.append(Self.digits[Int(byte & 15)])
        }
    }

    private static let digits = Array("0123456789abcdef".utf8)

    package mutating func int(_ value: Int) { int(Int64(value)) }

    package mutating func int(_ value: Int64) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var (rest, start) = (value.magnitude, 20)
            repeat {
                start -= 1
                digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            if value < 0 { bytes.append(UInt8(ascii: "-")) }
            bytes.append(contentsOf: UnsafeMutableBufferPointer(rebasing: digits[start...]))
        }
    }

    /// Appends a number. Numbers without a fraction are written as integers; infinity and not-a-number become null.
    package mutating func double(_ value: Double) {
        guard value.isFinite else { return raw("null") }
        if let whole = Int64(exactly: value), abs(value) < 1e15 { return int(whole) }
        raw(json: "\(value)")
    }

    package mutating func bool(_ value: Bool) { value ? raw("true") : raw("false") }

    /// Appends a whole value.
    /// - Parameter sorted: members in the order of their names, for texts that are compared or hashed.
    package mutating func value(_ json: JSON, sorted: Bool = false) {
        switch json {
        case .null: raw("null")
        case .bool(let value): bool(value)
        case .int(let value): int(value)
        case .double(let value): double(value)
        case .string(let value): string(value)
        case .raw(let text): line(text)
        case .array(let values):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in values.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                value(element, sorted: sorted)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let object):
            bytes.append(UInt8(ascii: "{"))
            members(object, sorted: sorted)
            bytes.append(UInt8(ascii: "}"))
        }
    }

    /// Appends an object's members without the braces.
    package mutating func members(_ object: JSONObject, sorted: Bool = false) {
        let members = sorted ? object.sorted : object.members
        for (index, member) in members.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            string(member.key)
            bytes.append(UInt8(ascii: ":"))
            value(member.value, sorted: sorted)
        }
    }
}

extension JSON {
    /// Compact UTF-8 text on one line.
    package func bytes() -> [UInt8] {
        var writer = JSONWriter()
        writer.value(self)
        return writer.bytes
    }

    /// Compact text on one line.
    package var text: String { String(decoding: bytes(), as: UTF8.self) }

    /// Returns compact text with the members of every object in the order of their names: equal values have equal canonical bytes.
    package func canonicalBytes() -> [UInt8] {
        var writer = JSONWriter()
        writer.value(self, sorted: true)
        return writer.bytes
    }
}

extension JSONObject {
    /// The members as text without braces: a fragment that a script inserts into a larger object.
    package var fragment: String {
        var writer = JSONWriter()
        writer.members(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
