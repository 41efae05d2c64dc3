import ImageHeads
package import TintypeImages

/// The first frame of an animation that is still arriving, as a small complete file, because decoders refuse files that end early. Pure.
package struct FirstFrame: Sendable {
    /// Returns the end of the frame; nil while the frame is incomplete, and for still pictures.
    let end: @Sendable (ByteReader) -> Int?
    /// Makes a whole file of the bytes up to that end.
    let close: @Sendable (inout [UInt8]) -> Void

    /// - Returns: nil while the frame is incomplete, and for still pictures.
    package static func file(of bytes: UnsafeRawBufferPointer, _ format: ImageFormat) -> [UInt8]? {
        guard let frame = format.codec.firstFrame, let end = frame.end(ByteReader(bytes: bytes)) else { return nil }
        var file = [UInt8](bytes[..<end])
        frame.close(&file)
        return file
    }

    /// Returns the end of the frame; nil as for `file`.
    package static func end(_ reader: ByteReader, _ format: ImageFormat) -> Int? { format.codec.firstFrame?.end(reader) }

    static let gif = FirstFrame(
        end: { reader in
            var walk = GIFWalk(reader)
            return walk?.next().flatMap { $0.isWhole ? $0.data.upperBound : nil }
        }, close: { $0.append(0x3b) })

    static let png = FirstFrame(
        end: { PNGHeader.mayMove($0) ? PNGAnimation($0)?.frames.first?.data.upperBound : nil },
        close: { $0 += [0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82] })

    static let webp = FirstFrame(
        end: { reader in
            let frame = WebPHeader.mayMove(reader) ? RIFFChunks(reader).first { reader.has("ANMF", at: $0.at) } : nil
            return frame.flatMap { $0.end <= reader.count ? $0.end : nil }
        },
        close: { file in
            // The header holds the length without its own eight bytes.
            for index in 0..<4 { file[4 + index] = UInt8(truncatingIfNeeded: (file.count - 8) >> (8 * index)) }
        })
}
