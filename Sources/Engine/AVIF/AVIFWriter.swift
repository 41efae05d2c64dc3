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
    let isFullColor: Bool
    let colors: CodedColors

    /// Whether an image can be written like this: RGB or gray of whole numbers, with or without transparency.
    static func takes(_ image: VipsImage) -> Bool {
        guard image.format == .uint8 || image.format == .uint16 else { return false }
        switch image.colors {
        case .sRGB, .rgb16: return [3, 4].contains(image.bands)
        case .gray, .gray16: return [1, 2].contains(image.bands)
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
        let planes = try AV1Planes(image, depth: depth, isFullColor: isFullColor, colors: colors)
        let alpha = image.hasAlpha ? try AV1Planes.alpha(of: image, depth: depth) : nil
        do throws(AV1Coder.Failure) {
            let color = try AV1Coder.code(planes, quality: quality, speed: 9 - effort, isColor: true)
            guard let alpha else { return AVIFFile.of(planes, color, alpha: nil) }
            return AVIFFile.of(planes, color, alpha: try AV1Coder.code(alpha, quality: quality, speed: 9 - effort, isColor: false))
        } catch { throw VipsError(operation: "avif", text: error.text) }
    }

    /// - Parameters:
    ///   - image: frames below each other, in memory.
    ///   - profile: the profile of their colors, if that is kept.
    ///   - goesOn: called between frames with the progress, 0…1; false stops the work.
    func tracks(_ image: VipsImage, profile: [UInt8]?, goesOn: (Double) -> Bool) throws(VipsError) -> [UInt8] {
        let tracks = AVIFTracks(delays: image.delays, plays: image.int("loop") ?? 0)
        // Most GIFs have a transparent color, and many show none of it.
        let isClear = image.hasAlpha ? try image.leastAlpha() < image.format.white : false
        let first = try image.frame(0)
        try Self.checkRoom(for: first)
        func coded(_ progress: ClosedRange<Double>, isColor: Bool) throws(VipsError) -> (AV1Coder.Coded, AV1Planes) {
            func planes(_ frame: VipsImage) throws(VipsError) -> AV1Planes {
                try isColor ? AV1Planes(frame, depth: depth, isFullColor: isFullColor) : .alpha(of: frame, depth: depth)
            }
            let start = try planes(first)
            do {
                let coder = try AV1Coder(start, quality: quality, speed: max(0, 8 - effort), isColor: isColor, isMoving: true)
                for number in 0..<image.pages {
                    guard goesOn(progress.part(number, of: image.pages).lowerBound) else { throw AV1Coder.Failure(text: "it was stopped") }
                    try coder.add(number == 0 ? start : planes(image.frame(number)))
                }
                return (try coder.finish { goesOn(progress.upperBound) }, start)
            } catch let error as VipsError { throw error } catch {
                throw VipsError(operation: "avif", text: (error as? AV1Coder.Failure)?.text ?? "\(error)")
            }
        }
        let (color, planes) = try coded(isClear ? 0...0.5 : 0...1, isColor: true)
        let alpha = isClear ? try coded(0.5...1, isColor: false).0 : nil
        return AVIFFile.of(planes, color, alpha: alpha, tracks: tracks, profile: profile)
    }
}
