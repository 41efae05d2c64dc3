/// GIFs that tests build block by block.
struct TestGIFs {
    /// One frame of a single color number, or of `numbers`.
    struct Frame: Sendable {
        var number = 0
        var x = 0, y = 0, width = 4, height = 2
        var disposal = 0
        var transparent: Int?
        var isInterlaced = false
        /// Whether a graphic control comes before the frame.
        var hasControl = true
        /// Hundredths of a second.
        var delay = 10
        /// The color numbers of all pixels, in the order of the data.
        var numbers: [Int]?
        var end = End.whole
    }

    /// The end of a frame's data.
    enum End: Sendable { case whole, code, clearAndCode, none, broken }

    var width = 4
    var height = 2
    var background = 0
    /// Red, green, blue, yellow.
    var palette: [[UInt8]] = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 0]]
    /// The number of repetitions; nil: the file says nothing.
    var again: Int? = 0
    /// The bits of a color number.
    var size = 2
    var frames: [Frame]
    var hasTrailer = true

    static func word(_ number: Int) -> [UInt8] { [UInt8(number & 255), UInt8(number >> 8)] }

    static func blocks(_ data: [UInt8]) -> [UInt8] {
        stride(from: 0, to: data.count, by: 255).flatMap { at in
            let part = data[at..<min(data.count, at + 255)]
            return [UInt8(part.count)] + part
        } + [0]
    }

    /// Packs numbers without ever using a code of two: the table is emptied before the codes grow.
    static func packed(_ numbers: [Int], size: Int, _ end: End) -> [UInt8] {
        let clear = 1 << size
        var codes: [Int] = []
        for (index, number) in numbers.enumerated() {
            if index % (clear - 2) == 0 { codes.append(clear) }
            codes.append(number)
        }
        switch end {
        case .whole, .code: codes.append(clear + 1)
        case .clearAndCode: codes += [clear, clear + 1]
        case .none: break
        case .broken: codes += [clear, clear + 3]
        }
        var (bytes, held, count) = ([UInt8](), 0, 0)
        for code in codes {
            held |= code << count
            count += size + 1
            while count >= 8 {
                bytes.append(UInt8(held & 255))
                (held, count) = (held >> 8, count - 8)
            }
        }
        return bytes + (count > 0 ? [UInt8(held)] : [])
    }

    var bytes: [UInt8] {
        var bytes = Array("GIF89a".utf8) + Self.word(width) + Self.word(height) + [palette.isEmpty ? 0 : UInt8(0xf0 + palette.count.trailingZeroBitCount - 1)]
        bytes += [UInt8(background), 0] + palette.joined()
        if let again { bytes += [0x21, 0xff, 11] + Array("NETSCAPE2.0".utf8) + [3, 1] + Self.word(again) + [0] }
        for frame in frames {
            if frame.hasControl {
                let flags = frame.disposal << 2 | (frame.transparent == nil ? 0 : 1)
                bytes += [0x21, 0xf9, 4, UInt8(flags)] + Self.word(frame.delay) + [UInt8(frame.transparent ?? 0), 0]
            }
            bytes += [0x2c] + Self.word(frame.x) + Self.word(frame.y) + Self.word(frame.width) + Self.word(frame.height) + [frame.isInterlaced ? 0x40 : 0]
            let all = frame.numbers ?? Array(repeating: frame.number, count: frame.width * frame.height)
            let there = frame.end == .whole ? all : Array(all.prefix(all.count / 2))
            bytes += [UInt8(size)] + Self.blocks(Self.packed(there, size: size, frame.end))
        }
        return bytes + (hasTrailer ? [0x3b] : [])
    }
}
