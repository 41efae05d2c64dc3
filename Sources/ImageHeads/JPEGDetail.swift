import Glibc
import TintypeImages

/// The scans of detail in a progressive JPEG (ITU-T T.81, annexes B and G). Pure.
///
/// A decoder that shrinks to an eighth uses the average of each block, which is the first of its 64 coefficients. The scans of the other coefficients are
/// most of the file, and reading them takes most of the time. So those scans are left out.
package enum JPEGDetail {
    /// The most scans of a file that is still walked. Encoders write about ten.
    static let most = 128

    /// Returns the parts of a file that a decoder needs, in order. From them it makes the same averages as from the whole file.
    /// - Parameter averaged: the components, in the order of the frame header, of which the decoder uses only the average of each block.
    /// - Returns: nil if nothing can be left out: the file is not progressive, not complete, or not as the standard says.
    package static func parts(_ bytes: UnsafeRawBufferPointer, averaged: Set<Int>) -> [Range<Int>]? {
        let reader = ByteReader(bytes: bytes)
        guard !averaged.isEmpty, reader.big(0, 2) == 0xffd8 else { return nil }
        var (at, begin, scans) = (2, 0, 0)
        var progress: ScanProgress?
        var parts: [Range<Int>] = []
        while true {
            let start = at
            guard reader.byte(at) == 0xff, let marker = JPEGHeader.marker(reader, &at) else { return nil }
            switch marker {
            case 0xd9:
                guard begin > 0, progress?.isComplete == true else { return nil }
                return parts + [begin..<bytes.count]
            case 0xc2:
                guard progress == nil, let frame = ScanProgress(reader, frame: at) else { return nil }
                progress = frame
            // All other frames, and what only they have.
            case 0x00, 0x01, 0xc0...0xc3, 0xc5...0xcf, 0xd0...0xd8, 0xdc...0xdf: return nil
            default: break
            }
            guard let length = reader.big(at, 2), length >= 2 else { return nil }
            let header = at
            at += length
            guard marker == 0xda else { continue }
            scans += 1
            guard scans <= most, let scan = progress?.read(reader, header, length), let end = next(bytes, at) else { return nil }
            at = end
            // A scan of detail is always of one component.
            guard scan.first > 0, scan.components.count == 1, averaged.isSuperset(of: scan.components) else { continue }
            if begin < start { parts.append(begin..<start) }
            begin = end
        }
    }

    /// Returns the place of the first marker behind coded data, where 0xff 0x00 is a number and 0xd0 to 0xd7 only restart the decoder.
    private static func next(_ bytes: UnsafeRawBufferPointer, _ from: Int) -> Int? {
        var at = from
        while at < bytes.count - 1, let base = bytes.baseAddress, let found = memchr(base + at, 0xff, bytes.count - 1 - at) {
            at = UnsafeRawPointer(found) - base
            switch bytes[at + 1] {
            case 0x00, 0xd0...0xd7: at += 2
            case 0xff: at += 1
            default: return at
            }
        }
        return nil
    }
}

/// The bits of each coefficient that the scans so far contain.
private struct ScanProgress {
    private let ids: [Int]
    /// For each component, the coefficients of which all bits are there, as a set of bits.
    private var known: [UInt64]

    /// The averages, and the coefficients that libjpeg guesses from the averages around them if they are not there (`do_block_smoothing`).
    private static let guessed: UInt64 = 0b11_1111_1111

    /// - Parameter at: the place of the frame header's length.
    init?(_ reader: ByteReader, frame at: Int) {
        guard let count = reader.byte(at + 7), count > 0, reader.big(at, 2) == 8 + 3 * count else { return nil }
        ids = (0..<count).compactMap { reader.byte(at + 8 + 3 * $0) }
        guard ids.count == count, Set(ids).count == count else { return nil }
        known = Array(repeating: 0, count: count)
    }

    /// Whether a decoder has nothing to guess.
    var isComplete: Bool { known.allSatisfy { $0 & Self.guessed == Self.guessed } }

    /// Reads the header of a scan.
    /// - Returns: its components and its first coefficient; nil if the standard does not allow the scan.
    mutating func read(_ reader: ByteReader, _ at: Int, _ length: Int) -> (components: [Int], first: Int)? {
        guard let count = reader.byte(at + 2), (1...4).contains(count), length == 6 + 2 * count, let first = reader.byte(at + 3 + 2 * count),
            let last = reader.byte(at + 4 + 2 * count), let bits = reader.byte(at + 5 + 2 * count), first <= last, last < 64,
            first == 0 ? last == 0 : count == 1
        else { return nil }
        let components = (0..<count).compactMap { index in reader.byte(at + 3 + 2 * index).flatMap { id in ids.firstIndex(of: id) } }
        guard components.count == count, Set(components).count == count else { return nil }
        let band = (UInt64.max >> UInt64(63 - last)) & (UInt64.max << UInt64(first))
        for component in components {
            if bits & 0xf == 0 { known[component] |= band } else { known[component] &= ~band }
        }
        return (components, first)
    }
}
