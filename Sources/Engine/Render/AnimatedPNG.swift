import ImageHeads
import PNG
import TintypeImages

/// The frames of an animated PNG. Each is a PNG of its own for libpng, which does not know frames.
struct AnimatedPNG: FramePainter {
    private let source: UnsafeRawBufferPointer
    private let animation: PNGAnimation
    private let failOn: Int
    private let clock: PictureClock
    let template: VipsImage
    private let hasAlpha: Bool
    /// The palette and the transparent color, which hold for all frames.
    private let shared: [UInt8]

    var count: Int { animation.frames.count }

    /// - Parameters:
    ///   - header: the source's header as libpng reads it.
    ///   - failOn: the damage from which on the file is refused.
    init(_ source: UnsafeRawBufferPointer, _ animation: PNGAnimation, _ header: VipsImage, failOn: Int, clock: PictureClock) throws(PictureFailure) {
        (self.source, self.animation, self.failOn, self.clock) = (source, animation, failOn, clock)
        if animation.isCut, failOn > 0 { throw .damage("the file ends before its last frame", .png, source) }
        hasAlpha = animation.showsThrough || header.hasAlpha
        shared = Self.shared(ByteReader(bytes: source))
        do throws(VipsError) { template = try Self.flat(header, hasAlpha: hasAlpha) } catch { throw PictureFailure(.badImageData, .decode, error.description) }
    }

    /// Returns the picture with samples of 8 bits, and with alpha if the canvas has it.
    private static func flat(_ image: VipsImage, hasAlpha: Bool) throws(VipsError) -> VipsImage {
        let eight = try ColorStep.eightBit(image)
        return hasAlpha && !eight.hasAlpha ? try VipsOperation("bandjoin_const").set("in", eight).set("c", [255.0]).image() : eight
    }

    func place(of number: Int) -> (window: PNGWindow, disposal: FrameDisposal) { (animation.frames[number].window, animation.frames[number].disposal) }

    func paint(_ number: Int, on canvas: inout PNGCanvas, _ progress: ClosedRange<Double>) throws(PictureFailure) {
        let frame = animation.frames[number]
        try file(of: frame).withBytes { bytes throws(PictureFailure) in try draw(frame, bytes, on: &canvas, progress) }
    }

    /// - Parameter bytes: the frame as a file.
    private func draw(
        _ frame: PNGAnimation.Frame, _ bytes: UnsafeRawBufferPointer, on canvas: inout PNGCanvas, _ progress: ClosedRange<Double>
    ) throws(PictureFailure) {
        let loader = PictureLoader(source: bytes, format: .png)
        let opened = try loader.open(LoadPlan(format: .png, page: 0, frames: 1, size: PictureSize(frame.width, frame.height), failOn: failOn))
        let isLaid: Bool
        do throws(VipsError) {
            let pixels: VipsImage
            if let whole = loader.whole(opened, goesOn: { _ in clock.goesOn(.decode, progress, 0) }) {
                pixels = try Self.flat(whole, hasAlpha: hasAlpha).computed()
            } else {
                pixels = try Self.flat(opened, hasAlpha: hasAlpha).computed(watcher: clock.watcher(.decode, progress.lowerBound...progress.lowerBound))
            }
            isLaid = try pixels.withSamples { canvas.lay($0, at: frame.window, isOver: frame.isOver) }
        } catch {
            throw clock.stopped == nil ? PictureFailure(.badImageData, .decode, error.description) : clock.failure(.decode)
        }
        guard isLaid else { throw PictureFailure(.badImageData, .decode, "a frame differs from its header") }
    }

    // MARK: Files

    private static func shared(_ reader: ByteReader) -> [UInt8] {
        var (at, chunks) = (8, [UInt8]())
        while let length = reader.big(at, 4), let kind = reader.big(at + 4, 4), kind != 0x4944_4154, length <= reader.count - at - 12 {
            if kind == 0x504c_5445 || kind == 0x7452_4e53 { chunks += reader.bytes[at..<at + 12 + length] }
            at += 12 + length
        }
        return chunks
    }

    private func file(of frame: PNGAnimation.Frame) -> [UInt8] {
        let reader = ByteReader(bytes: source)
        var data: [UInt8] = []
        data.reserveCapacity(frame.data.count)
        var at = frame.data.lowerBound
        while at < frame.data.upperBound, let length = reader.big(at, 4), let kind = reader.big(at + 4, 4) {
            // The data of a frame's own chunks come after a sequence number.
            if kind == 0x4944_4154 { data += source[(at + 8)..<(at + 8 + length)] }
            if kind == 0x6664_4154 { data += source[(at + 12)..<(at + 8 + length)] }
            at += 12 + length
        }
        let header = PNGChunk.whole("IHDR", PNGChunk.size(width: frame.width, height: frame.height) + source[24..<29])
        return PNGChunk.signature + header + shared + PNGChunk.whole("IDAT", data) + PNGChunk.whole("IEND", [])
    }
}

extension PNGAnimation.Frame {
    fileprivate var window: PNGWindow { PNGWindow(x: x, y: y, width: width, height: height) }
}
