import ImageHeads
import TintypeImages

/// The header of an animated WebP that was just written.
enum AnimatedWebP {
    /// Marks the canvas as transparent if some of it is visible. libwebp marks it only if a frame's own part has transparency. Opaque parts on
    /// an empty canvas would get a white or black background.
    /// - Parameters:
    ///   - file: a file that is changed in place, because nobody else has it yet.
    ///   - image: the picture in the file, in memory.
    static func showThrough(_ file: VipsBytes, _ image: VipsImage) throws(VipsError) {
        guard image.hasAlpha, let canvas = file.withBytes({ opaqueCanvas($0) }) else { return }
        guard try image.leastAlpha() < image.format.white else { return }
        file.withBytes { bytes in
            let own = UnsafeMutableRawBufferPointer(mutating: bytes)
            own[flags] |= self.alpha
            own.storeBytes(of: 0, toByteOffset: canvas, as: UInt32.self)
        }
    }

    /// Returns the offset of the canvas color; nil for a still picture, and for a file that already has the transparency flag.
    private static func opaqueCanvas(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard bytes.count >= 30, bytes[12...].starts(with: "VP8X".utf8), bytes[flags] & animation != 0, bytes[flags] & alpha == 0 else { return nil }
        let reader = ByteReader(bytes: bytes)
        let start = RIFFChunks(reader).first { reader.has("ANIM", at: $0.at) }?.content.lowerBound
        return start.flatMap { $0 + 6 <= bytes.count ? $0 : nil }
    }

    private static let flags = 20
    private static let animation: UInt8 = 2, alpha: UInt8 = 16
}
