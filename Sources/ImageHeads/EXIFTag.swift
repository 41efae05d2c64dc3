/// One tagged value of a directory, its bytes in the order of the file that it comes from. A value.
package struct EXIFTag {
    package let number: Int
    package let type: Int
    package let count: Int
    package let value: [UInt8]

    package init(number: Int, type: Int, count: Int, value: [UInt8]) {
        (self.number, self.type, self.count, self.value) = (number, type, count, value)
    }

    /// Bytes that it takes in a directory and behind it.
    package var size: Int { 12 + (value.count > 4 ? padded.count : 0) }

    /// With zeros behind it, so that it fills an entry, or ends at an even place.
    package var padded: [UInt8] { value + [UInt8](repeating: 0, count: value.count <= 4 ? 4 - value.count : value.count % 2) }
}
