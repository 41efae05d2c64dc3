import TintypeImages

/// Size, orientation and transparency of the first page of a classic TIFF, from its first directory.
enum TIFFHeader {
    static func read(_ reader: ByteReader) -> ImageHeader? {
        let isLittle = reader.byte(0) == 0x49
        func number(_ at: Int, _ length: Int) -> Int? { isLittle ? reader.little(at, length) : reader.big(at, length) }
        guard let directory = number(4, 4), let entries = number(directory, 2) else { return nil }
        var width: Int?
        var height: Int?
        var (orientation, samples, colors, bits) = (1, 1, 1, 8)
        for entry in 0..<entries {
            let at = directory + 2 + 12 * entry
            guard let tag = number(at, 2), let type = number(at + 2, 2) else { return nil }
            // A short or a long. A short is in the first half of the field.
            let value = number(at + 8, type == 3 ? 2 : 4)
            switch (tag, value) {
            case (258, let first?):
                // One number for each sample, all the same. More than two are stored elsewhere.
                let isHere = number(at + 4, 4).map { $0 <= 2 } ?? true
                bits = (isHere ? first : number(at + 8, 4).flatMap { number($0, 2) }) ?? bits
            case (256, _): width = value
            case (257, _): height = value
            // Black or white is zero, RGB, palette, mask, CMYK and so on.
            case (262, let kind?): colors = [0: 1, 1: 1, 2: 3, 3: 1, 4: 1, 5: 4][kind] ?? 3
            case (274, let number?): orientation = (1...8).contains(number) ? number : 1
            case (277, let number?): samples = number
            default: break
            }
        }
        guard let width, let height else { return nil }
        // Limited, so that the product with the most pixels cannot overflow.
        let bytesPerPixel = min(samples, 1 << 16) * ((min(max(bits, 8), 64) + 7) / 8)
        return ImageHeader(
            format: .tiff, width: width, height: height, bytesPerPixel: max(4, bytesPerPixel), hasAlpha: samples > colors, orientation: orientation)
    }
}
