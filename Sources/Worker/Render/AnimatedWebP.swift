/// The header of an animated WebP that was just written.
enum AnimatedWebP {
    /// Says that the canvas is see-through where something of it shows. libwebp says so only where a frame's own part has transparency: opaque parts on
    /// an empty canvas would stand on white or black.
    /// - Parameters:
    ///   - file: ours: nobody else has it yet.
    ///   - image: what it was made of, in memory.
    static func showThrough(_ file: VipsBytes, _ image: VipsImage) throws(VipsError) {
        guard image.hasAlpha, let canvas = file.withBytes({ opaqueCanvas($0) }) else { return }
        let alpha = try VipsOperation("extract_band").set("in", image).set("band", image.bands - 1).image()
        guard let least = try VipsOperation("min").set("in", alpha).numbers("out-array").first, least < image.format.white else { return }
        file.withBytes { bytes in
            let own = UnsafeMutableRawBufferPointer(mutating: bytes)
            own[flags] |= self.alpha
            own.storeBytes(of: 0, toByteOffset: canvas, as: UInt32.self)
        }
    }

    /// Where the colour of its canvas stands; nil for a still picture, and for one that says it has transparency.
    private static func opaqueCanvas(_ bytes: UnsafeRawBufferPointer) -> Int? {
        // The extended header is the first chunk, of 18 bytes; nothing but a profile stands between it and what is said of the animation.
        guard bytes.count >= 30, bytes[12...].starts(with: "VP8X".utf8), bytes[flags] & animation != 0, bytes[flags] & alpha == 0 else { return nil }
        var at = 30
        while at + 14 <= bytes.count {
            if bytes[at...].starts(with: "ANIM".utf8) { return at + 8 }
            let length = Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: at + 4, as: UInt32.self)))
            at += 8 + length + length % 2
        }
        return nil
    }

    private static let flags = 20
    private static let animation: UInt8 = 2, alpha: UInt8 = 16
}
