import Glibc
import ImageHeads
import TintypeImages

/// Writes an image of libvips as AVIF by libaom itself, which knows more than libheif tells it: the tuning for likeness, and 10 bits.
struct AVIFWriter {
    /// 1…100.
    let quality: Int
    /// 0…9: a higher one takes longer and makes smaller files.
    let effort: Int
    /// 8, 10 or 12.
    let depth: Int
    /// Whether colors keep the full resolution.
    let isFullColour: Bool
    let colours: CodedColours

    /// Whether an image can be written like this: RGB or gray of whole numbers, with or without transparency.
    static func takes(_ image: VipsImage) -> Bool {
        guard image.format == .uint8 || image.format == .uint16 else { return false }
        switch image.colours {
        case .sRGB, .rgb16: return [3, 4].contains(image.bands)
        case .grey, .grey16: return [1, 2].contains(image.bands)
        case .multiband, .xyz, .lab, .cmyk, .labs, .rgb, .scRGB, .hsv, .other: return false
        }
    }

    /// Checks that the planes fit into memory, each of them twice for a moment. An array without memory would end the process.
    private static func checkRoom(for image: VipsImage) throws(VipsError) {
        guard let room = malloc(max(1, image.width * image.height * image.bands * 4)) else {
            throw VipsError(operation: "avif", text: "there is no memory for the planes of \(image.width)x\(image.height) pixels")
        }
        free(room)
    }

    /// - Parameter image: in memory, because it is read several times.
    /// - Returns: the bytes of the file.
    func file(_ image: VipsImage) throws(VipsError) -> [UInt8] {
        try Self.checkRoom(for: image)
        let planes = try AV1Planes(image, depth: depth, isFullColour: isFullColour, colours: colours)
        let alpha = image.hasAlpha ? try AV1Planes.alpha(of: image, depth: depth) : nil
        do throws(AV1Coder.Failure) {
            let colour = try AV1Coder.code(planes, quality: quality, speed: 9 - effort, isColour: true)
            guard let alpha else { return AVIFFile.of(planes, colour, alpha: nil) }
            return AVIFFile.of(planes, colour, alpha: try AV1Coder.code(alpha, quality: quality, speed: 9 - effort, isColour: false))
        } catch { throw VipsError(operation: "avif", text: error.text) }
    }
}
