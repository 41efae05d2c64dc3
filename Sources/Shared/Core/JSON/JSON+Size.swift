extension JSON {
    /// The remaining bytes and levels for a text.
    package struct Allowance: Sendable, Hashable {
        package var bytes: Int
        package var levels: Int

        package init(bytes: Int, levels: Int = 64) {
            (self.bytes, self.levels) = (bytes, levels)
        }
    }

    /// Takes the bytes of this value's text out of an allowance, and stops when it is used up.
    /// - Parameter depth: the number of arrays and objects around the value.
    /// - Returns: false if the allowance was too small; its remainder then means nothing.
    package func fits(_ allowance: inout Allowance, depth: Int = 0) -> Bool {
        guard allowance.bytes >= 0 else { return false }
        switch self {
        case .null, .bool: allowance.bytes -= 5
        case .int(let value): allowance.bytes -= Self.digits(value)
        case .double: allowance.bytes -= 24
        case .string(let text): allowance.bytes -= Self.size(text)
        // The reader of this text has checked its levels.
        case .raw(let text): allowance.bytes -= text.bytes.count
        case .array(let items):
            guard depth < allowance.levels else { return false }
            allowance.bytes -= 2 + items.count
            for item in items { guard item.fits(&allowance, depth: depth + 1) else { return false } }
        case .object(let object):
            guard depth < allowance.levels else { return false }
            allowance.bytes -= 2 + object.count * 2
            for (key, value) in object.members {
                allowance.bytes -= Self.size(key)
                guard value.fits(&allowance, depth: depth + 1) else { return false }
            }
        }
        return allowance.bytes >= 0
    }

    private static func digits(_ value: Int64) -> Int {
        var (rest, count) = (value.magnitude, value < 0 ? 2 : 1)
        while rest > 9 { (rest, count) = (rest / 10, count + 1) }
        return count
    }

    /// Returns the bytes of a text with its quotes and escapes.
    private static func size(_ text: String) -> Int {
        var size = 2
        for byte in text.utf8 {
            size += byte < 0x20 ? 6 : byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") ? 2 : 1
        }
        return size
    }
}
