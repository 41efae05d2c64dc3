import ImageHeads
import PNG
import TintypeImages

/// An animation that is drawn here, because its frames are parts of a canvas.
protocol FramePainter {
    var count: Int { get }
    /// A picture in the layout of the canvas, without pixels.
    var template: VipsImage { get }
    /// The part of the canvas that a frame covers, and the treatment of that part before the next frame.
    func place(of number: Int) -> (window: PNGWindow, disposal: FrameDisposal)
    /// Returns a canvas, and the number of frames that are drawn on it.
    func begin() -> (canvas: PNGCanvas, drawn: Int)
    /// Draws one frame over those before it.
    func paint(_ number: Int, on canvas: inout PNGCanvas, _ progress: ClosedRange<Double>) throws(PictureFailure)
}

extension FramePainter {
    var emptyCanvas: PNGCanvas { PNGCanvas(width: template.width, height: template.height, channels: template.bands) }
    func begin() -> (canvas: PNGCanvas, drawn: Int) { (emptyCanvas, 0) }
}

/// The frames of an animation, drawn one after the other. Only one canvas is in memory, however many frames there are. Belongs to the thread that works
/// on the picture; the source must stay valid as long.
final class DrawnFrames {
    private let painter: any FramePainter
    private let failOn: Int
    private let clock: PictureClock
    private var canvas: PNGCanvas
    /// The number of drawn frames.
    private var drawn: Int
    /// The pixels under the last frame, if they have to be restored.
    private var covered: [UInt8] = []

    /// - Parameter failOn: the damage from which on a frame is refused; 0 keeps what was drawn of a broken frame.
    init(_ painter: any FramePainter, failOn: Int, clock: PictureClock) {
        (self.painter, self.failOn, self.clock) = (painter, failOn, clock)
        (canvas, drawn) = painter.begin()
    }

    /// Returns a frame as viewers show it, in memory. Earlier frames are drawn on the way, so several frames should be asked for in their order.
    /// - Throws: `PictureFailure`: `badImageData`, or that the time is up.
    func frame(_ number: Int, _ progress: ClosedRange<Double>) throws(PictureFailure) -> VipsImage {
        guard (0..<painter.count).contains(number) else { throw PictureFailure(.badImageData, .decode, "there is no frame \(number)") }
        if number < drawn - 1 { (canvas, drawn) = painter.begin() }
        while drawn <= number {
            try clock.check(.decode, progress.lowerBound)
            try drawNext(progress)
        }
        let made: VipsImage?
        do throws(VipsError) {
            made = try painter.template.filled { memory in
                canvas.samples.withUnsafeBytes { memory.copyMemory(from: $0) }
                return true
            }
        } catch { throw PictureFailure(.badImageData, .decode, error.description) }
        guard let made else { throw PictureFailure(.badImageData, .decode, "there is no memory for a frame") }
        return made
    }

    private func drawNext(_ progress: ClosedRange<Double>) throws(PictureFailure) {
        if drawn > 0 { dispose(of: painter.place(of: drawn - 1), isFirst: drawn == 1) }
        let (window, disposal) = painter.place(of: drawn)
        covered = disposal == .previous && drawn > 0 ? canvas.part(window) : []
        drawn += 1
        do throws(PictureFailure) { try painter.paint(drawn - 1, on: &canvas, progress) } catch {
            if failOn > 0 || clock.stopped != nil { throw error }
        }
    }

    /// Disposes of a frame. The first frame cannot restore anything, so it clears its window.
    private func dispose(of frame: (window: PNGWindow, disposal: FrameDisposal), isFirst: Bool) {
        switch frame.disposal {
        case .none: break
        case .previous where !isFirst: _ = covered.withUnsafeBytes { canvas.lay($0, at: frame.window, isOver: false) }
        case .background, .previous: canvas.clear(frame.window)
        }
    }
}
