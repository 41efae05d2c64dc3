/// Reads numbers from untrusted bytes. Every read is checked, and none can leave the buffer.
package struct ByteReader {
    package let bytes: UnsafeRawBufferPointer

    package init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    package var count: Int { bytes.count }

    package func byte(_ at: Int) -> Int? {
        guard at >= 0, at < bytes.count else { return nil }
        return Int(bytes[at])
    }

    /// Returns `length` bytes as one unsigned number, the first byte being the highest; `length` is 1…7.
    package func big(_ at: Int, _ length: Int) -> Int? {
        guard at >= 0, length <= bytes.count, at <= bytes.count - length else { return nil }
        var value = 0
        for index in at..<at + length { value = value << 8 | Int(bytes[index]) }
        return value
    }

    /// Returns `length` bytes as one unsigned number, the first byte being the lowest; `length` is 1…7.
    package func little(_ at: Int, _ length: Int) -> Int? {
        guard at >= 0, length <= bytes.count, at <= bytes.count - length else { return nil }
        var value = 0
        for index in (at..<at + length).reversed() { value = value << 8 | Int(bytes[index]) }
        return value
    }

    /// Whether the ASCII `text` is at `at`.
    package func has(_ text: StaticString, at: Int) -> Bool {
        let length = text.utf8CodeUnitCount
        guard at >= 0, length <= bytes.count, at <= bytes.count - length else { return false }
        for index in 0..<length where bytes[at + index] != text.utf8Start[index] { return false }
        return true
    }
}

/// Numbers as files store them with the highest byte first. `ByteReader.big` reads them.
package enum BigEndian {
    /// Returns the lowest `count` bytes of a number, the highest first; a negative number is its two's complement.
    package static func bytes(_ number: Int, _ count: Int = 4) -> [UInt8] {
        (1...count).map { UInt8(truncatingIfNeeded: number >> (8 * (count - $0))) }
    }
}

extension [UInt8] {
    /// Lends the bytes, as `withUnsafeBytes` does, to a body with errors of one type.
    package func withBytes<R, E>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try withUnsafeBufferPointer { bytes throws(E) in try body(UnsafeRawBufferPointer(bytes)) }
    }
}
