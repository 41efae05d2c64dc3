/// One tagged value of a directory, its bytes in the order of the file that it comes from. A value.
struct EXIFTag {
    let number: Int
    let type: Int
    let count: Int
    let value: [UInt8]

    /// Bytes that it takes in a directory and behind it.
    var size: Int { 12 + (value.count > 4 ? padded.count : 0) }

    /// With zeros behind it, so that it fills an entry, or ends at an even place.
    var padded: [UInt8] { value + [UInt8](repeating: 0, count: value.count <= 4 ? 4 - value.count : value.count % 2) }
}
