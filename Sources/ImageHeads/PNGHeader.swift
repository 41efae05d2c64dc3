package import TintypeImages

/// The IHDR chunk of a PNG, and the facts of the others in front of its pixels.
package enum PNGHeader {
    package static func read(_ reader: ByteReader) -> ImageHeader? {
        guard reader.has("IHDR", at: 12), let width = reader.big(16, 4), let height = reader.big(20, 4),
            let depth = reader.byte(24), let type = reader.byte(25), let interlace = reader.byte(28)
        else { return nil }
        let channels = [0: 1, 2: 3, 3: 4, 4: 2, 6: 4][type] ?? 4
        var header = ImageHeader(
            format: .png, width: width, height: height, progressive: interlace != 0,
            bytesPerPixel: max(4, channels * (depth == 16 ? 2 : 1)))
        let front = PNGFront(reader)
        if front.isWhole {
            header.hasAlpha = type & 4 != 0 || front["tRNS"] != nil
            header.orientation = front["eXIf"].flatMap { EXIFBlock(reader, at: $0.lowerBound + 8)?.orientation } ?? 1
        }
        if front["acTL"] != nil, let animation = PNGAnimation(reader, keepsFrames: false), animation.isMoving { header.take(animation) }
        // Nobody writes HDR numbers in narrow range, and they would be shown as if they were sRGB's.
        if let colors = front.colors, colors.matrix == 0, !colors.isFullRange, let name = colors.highRange { header.foreignKind = "narrow \(name)" }
        return header
    }

    /// Whether the PNG may be an animation. Its frames are counted along the whole file.
    package static func mayMove(_ reader: ByteReader) -> Bool { PNGFront(reader)["acTL"] != nil }
}

extension ImageHeader {
    /// Adds the facts of the frames.
    fileprivate mutating func take(_ animation: PNGAnimation) {
        frames = animation.count
        if animation.showsThrough { hasAlpha = true }
        // A decoded frame, the canvas, its earlier content, and the frame that is passed on.
        bytesPerPixel += 12
        foreignKind = PNGAnimation.kind(of: animation.count)
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
