package import TintypeImages

/// The IHDR chunk of a PNG, and a walk over the others before libpng allocates memory for them.
package enum PNGHeader {
    package static func read(_ reader: ByteReader) -> ImageHeader? {
        guard reader.has("IHDR", at: 12), let width = reader.big(16, 4), let height = reader.big(20, 4),
            let depth = reader.byte(24), let type = reader.byte(25), let interlace = reader.byte(28)
        else { return nil }
        let channels = [0: 1, 2: 3, 3: 4, 4: 2, 6: 4][type] ?? 4
        var header = ImageHeader(
            format: .png, width: width, height: height, progressive: interlace != 0,
            bytesPerPixel: max(4, channels * (depth == 16 ? 2 : 1)))
        if walk(reader, &header, hasAlphaChannel: type & 4 != 0), let animation = PNGAnimation(reader, keepsFrames: false), animation.isMoving {
            header.take(animation)
        }
        // Nobody writes HDR numbers in narrow range, and they would be shown as if they were sRGB's.
        if let colours = colours(reader), colours.matrix == 0, !colours.isFullRange, let name = colours.highRange { header.foreignKind = "narrow \(name)" }
        return header
    }

    /// Reads the chunks between the first one and the pixels: a transparent color, an EXIF block.
    /// - Returns: whether an animation is announced.
    private static func walk(_ reader: ByteReader, _ header: inout ImageHeader, hasAlphaChannel: Bool) -> Bool {
        var at = 8
        var hasAlpha = hasAlphaChannel
        var orientation = 1
        var hasFrames = false
        var left = maxChunks
        while left > 0, let length = reader.big(at, 4), let kind = reader.big(at + 4, 4) {
            switch kind {
            case 0x7452_4e53: hasAlpha = true
            case 0x6558_4966: orientation = EXIFBlock(reader, at: at + 8)?.orientation ?? 1
            case 0x6163_544c: hasFrames = true
            case 0x4944_4154:
                (header.hasAlpha, header.orientation) = (hasAlpha, orientation)
                return hasFrames
            default: break
            }
            at += 12 + length
            left -= 1
        }
        return hasFrames
    }

    /// Whether the PNG may be an animation. Its frames are counted along the whole file.
    package static func mayMove(_ reader: ByteReader) -> Bool { chunk(0x6163_544c, reader) != nil }

    /// Whether the file states the pixels per meter.
    package static func hasDensity(_ reader: ByteReader) -> Bool {
        // The unit: meters, or none.
        density(reader).map { reader.byte($0.lowerBound + 16) == 1 } ?? false
    }

    /// Returns the place of the density chunk, with length, name and checksum.
    package static func density(_ reader: ByteReader) -> Range<Int>? { chunk(0x7048_5973, reader) }

    /// Returns the colors by the chunk cICP, which counts before the profile (PNG, third edition, 4.3).
    package static func colours(_ reader: ByteReader) -> CodedColours? {
        guard let place = chunk(0x6349_4350, reader), place.count == 12 + 4, case let at = place.lowerBound + 8, let primaries = reader.byte(at),
            let transfer = reader.byte(at + 1),
            let matrix = reader.byte(at + 2), let range = reader.byte(at + 3)
        else { return nil }
        return CodedColours(primaries: primaries, transfer: transfer, matrix: matrix, isFullRange: range != 0)
    }

    /// - Returns: the place of the first chunk of this name before the pixels.
    private static func chunk(_ name: Int, _ reader: ByteReader) -> Range<Int>? {
        var at = 8
        for _ in 0..<maxChunks {
            guard let length = reader.big(at, 4), let kind = reader.big(at + 4, 4), kind != 0x4944_4154 else { return nil }
            if kind == name { return at..<at + 12 + length }
            at += 12 + length
        }
        return nil
    }

    /// The most chunks that are read before the pixels. For a picture with more, the decoder is asked.
    private static let maxChunks = 1024
}

extension ImageHeader {
    /// Adds the facts of the frames.
    fileprivate mutating func take(_ animation: PNGAnimation) {
        frames = animation.count
        if animation.showsThrough { hasAlpha = true }
        // A decoded frame, the canvas, its earlier content, and the frame that is passed on.
        bytesPerPixel += 12
        if animation.count > PNGAnimation.mostFrames { foreignKind = "an animation of more than \(PNGAnimation.mostFrames) frames in" }
    }
}

/// The lengths of chunks: libpng allocates the stated length before it checks that the bytes are there.
package enum PNGChunkWalk {
    /// The most bytes of all ancillary chunks (texts, profiles).
    package static let maxAncillary = 4 << 20

    /// Checks the chunks of a PNG. Data chunks that end early, also those of frames, are left to the decoder, which streams them.
    /// - Parameter isWhole: whether the file is complete; otherwise nothing behind the first data chunk is read.
    /// - Throws: `badImageData`, or `limitExceeded` for a sound file with too much metadata.
    package static func check(_ bytes: UnsafeRawBufferPointer, isWhole: Bool = true) throws(PictureFailure) {
        let reader = ByteReader(bytes: bytes)
        var at = 8
        var ancillary = 0
        while let length = reader.big(at, 4), let kind = reader.big(at + 4, 4) {
            if kind == 0x4945_4e44 { return }
            if kind == 0x4944_4154, !isWhole { return }
            let isData = kind == 0x4944_4154 || kind == 0x6664_4154
            if length > reader.count - at - 8, !isData { throw PictureFailure(.badImageData, .decode, "a chunk is longer than the file") }
            if kind & 0x2000_0000 != 0, !isData {
                ancillary += length
                if ancillary > maxAncillary { throw .limit("ancillaryBytes", ancillary, maxAncillary) }
            }
            at += 12 + length
        }
    }
}
