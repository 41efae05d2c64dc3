import Glibc
import TintypeImages

/// The scans of detail in a progressive JPEG (ITU-T T.81, annexes B and G). Pure.
///
/// A decoder that shrinks to an eighth uses the average of each block, which is the first of its 64 coefficients. The scans of the other coefficients are
/// most of the file, and reading them takes most of the time. So those scans are left out.
package enum JPEGDetail {
    /// The most scans of a file that is still walked. Encoders write about ten.
    static let most = 128

    /// Returns the parts of a file that a decoder needs, in order.
    /// - Parameter averaged: the components, in the order of the frame header, of which the decoder uses only the average of each block.
    /// - Returns: nil if nothing can be left out: the file is not progressive, has no end, or is not as the standard says.
    package static func parts(_ bytes: UnsafeRawBufferPointer, averaged: Set<Int>) -> [Range<Int>]? {
        let reader = ByteReader(bytes: bytes)
        guard !averaged.isEmpty, reader.big(0, 2) == 0xffd8 else { return nil }
        var (at, begin, scans) = (2, 0, 0)
        var components: [Int]?
        var parts: [Range<Int>] = []
        while true {
            let start = at
            guard reader.byte(at) == 0xff, let marker = JPEGHeader.marker(reader, &at) else { return nil }
            switch marker {
            case 0xd9:
                guard begin > 0 else { return nil }
                return parts + [begin..<bytes.count]
            case 0xc2:
                guard components == nil, let frame = ids(reader, at) else { return nil }
                components = frame
            // All other frames, and what only they have.
            case 0x00, 0x01, 0xc0...0xc3, 0xc5...0xcf, 0xd0...0xd8, 0xdc...0xdf: return nil
            default: break
            }
            guard let length = reader.big(at, 2), length >= 2 else { return nil }
            let header = at
            at += length
            guard marker == 0xda else { continue }
            scans += 1
            guard scans <= most, let components, let end = next(bytes, at) else { return nil }
            at = end
            guard isDetail(reader, header, length, components, averaged) else { continue }
            if begin < start { parts.append(begin..<start) }
            begin = end
        }
    }

    /// Returns the names of a frame's components.
    private static func ids(_ reader: ByteReader, _ at: Int) -> [Int]? {
        guard let count = reader.byte(at + 7), let length = reader.big(at, 2), length == 8 + 3 * count else { return nil }
        let ids = (0..<count).compactMap { reader.byte(at + 8 + 3 * $0) }
        return ids.count == count && Set(ids).count == count ? ids : nil
    }

    /// Whether a scan has only coefficients that are not used. Such a scan is always of one component.
    private static func isDetail(_ reader: ByteReader, _ header: Int, _ length: Int, _ components: [Int], _ averaged: Set<Int>) -> Bool {
        guard length == 8, reader.byte(header + 2) == 1, let id = reader.byte(header + 3), let first = reader.byte(header + 5), first > 0,
            let index = components.firstIndex(of: id)
        else { return false }
        return averaged.contains(index)
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
