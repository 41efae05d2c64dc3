/// Numbers as files store them with the highest byte first. `ByteReader.big` reads them.
package enum BigEndian {
    /// Returns the lowest `count` bytes of a number, the highest first; a negative number is its two's complement.
    package static func bytes(_ number: Int, _ count: Int = 4) -> [UInt8] {
        (1...count).map { UInt8(truncatingIfNeeded: number >> (8 * (count - $0))) }
    }
}
