import Bitmaps
import ImageHeads
import PNG
import TintypeImages

/// The frames of a GIF, which is an animation even if it has only one. Belongs to the thread that works on the picture.
final class AnimatedGIF: FramePainter {
    private let reader: ByteReader
    private let animation: GIFAnimation
    private let clock: PictureClock
    /// The facts of the animation have the names that libvips gives them.
    let template: VipsImage
    /// A canvas with the first frame, until it is asked for.
    private var first: PNGCanvas?

    var count: Int { animation.frames.count }

    /// Reads the blocks, and draws the first frame if that has to fill the screen: only its codes tell whether it does.
    init(_ source: UnsafeRawBufferPointer, limits: ImageLimits, clock: PictureClock) throws(PictureFailure) {
        let reader = ByteReader(bytes: source)
        guard let animation = GIFAnimation(reader), animation.count > 0 else { throw .damage("the file ends before its first frame", .gif, source) }
        try limits.check(animation.header)
        (self.reader, self.animation, self.clock) = (reader, animation, clock)
        if !animation.hasAlpha {
            var canvas = PNGCanvas(width: animation.width, height: animation.height, channels: 3)
            let end = Self.draw(GIFPixels(reader, animation.frames[0]), on: &canvas) { clock.goesOn(.decode, 0...0, $0) }
            if end == .stopped { throw clock.failure(.decode) }
            if end == .whole { first = canvas }
        }
        do throws(VipsError) {
            let empty = [Double](repeating: 0, count: first == nil ? 4 : 3)
            template = try VipsRuntime.solid(width: animation.width, height: animation.height, empty).withHeader { header in
                header.set("n-pages", animation.count)
                header.set("delay", animation.frames.map(\.delay))
                header.set("loop", animation.plays)
            }
        } catch { throw PictureFailure(.badImageData, .decode, error.description) }
    }

    private static func draw(_ pixels: GIFPixels, on canvas: inout PNGCanvas, goesOn: (Double) -> Bool) -> GIFPixels.End {
        let (width, height, channels) = (canvas.width, canvas.height, canvas.channels)
        return canvas.withSamples { pixels.draw(on: $0, width: width, height: height, channels: channels, goesOn: goesOn) }
    }

    /// - Parameter failOn: the damage from which on the file is refused.
    /// - Throws: `badImageData` if the file is cut.
    func check(failOn: Int) throws(PictureFailure) {
        if animation.isCut, failOn > 0 { throw .damage("the file ends within a block", .gif, reader.bytes) }
    }

    func place(of number: Int) -> (window: PNGWindow, disposal: FrameDisposal) {
        let (x, y) = animation.frames[number].place(on: animation.width, animation.height)
        return (PNGWindow(x: x.lowerBound, y: y.lowerBound, width: x.count, height: y.count), animation.frames[number].disposal)
    }

    func begin() -> (canvas: PNGCanvas, drawn: Int) {
        defer { first = nil }
        return first.map { ($0, 1) } ?? (emptyCanvas, 0)
    }

    func paint(_ number: Int, on canvas: inout PNGCanvas, _ progress: ClosedRange<Double>) throws(PictureFailure) {
        switch Self.draw(GIFPixels(reader, animation.frames[number]), on: &canvas, goesOn: { clock.goesOn(.decode, progress, $0) }) {
        case .whole, .early: break
        case .broken: throw .damage("the data of frame \(number + 1) are broken", .gif, reader.bytes)
        case .stopped: throw clock.failure(.decode)
        }
    }
}
