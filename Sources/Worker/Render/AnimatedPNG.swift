import ImageHeads
import PNG
import TintypeImages

/// The frames of an animated PNG, drawn one after the other. Each is a PNG of its own for libpng, which does not know frames. Only one canvas is in
/// memory, however many frames there are. Belongs to the thread that works on the picture; the source must stay valid as long.
final class AnimatedPNG {
    private let source: UnsafeRawBufferPointer
    private let animation: PNGAnimation
    private let failOn: Int
    private let clock: PictureClock
    /// A picture in the layout of the frames, without pixels.
    private let template: VipsImage
    private let hasAlpha: Bool
    /// The palette and the transparent color, which hold for all frames.
    private let shared: [UInt8]
    private var canvas: PNGCanvas
    /// The number of drawn frames.
    private var drawn = 0
    /// The pixels under the last frame, if they have to be restored.
    private var covered: [UInt8] = []

    /// - Parameters:
    ///   - header: the source's header as libpng reads it.
    ///   - failOn: the damage from which on a frame is refused; 0 leaves a broken frame out.
    init(_ source: UnsafeRawBufferPointer, _ animation: PNGAnimation, _ header: VipsImage, failOn: Int, clock: PictureClock) throws(PictureFailure) {
        (self.source, self.animation, self.failOn, self.clock) = (source, animation, failOn, clock)
        if animation.isCut, failOn > 0 { throw .damage("the file ends before its last frame", .png, source) }
        hasAlpha = animation.showsThrough || header.hasAlpha
        shared = Self.shared(ByteReader(bytes: source))
        do throws(VipsError) { template = try Self.flat(header, hasAlpha: hasAlpha) } catch { throw PictureFailure(.badImageData, .decode, error.description) }
        canvas = PNGCanvas(width: template.width, height: template.height, channels: template.bands)
    }

    /// Returns the picture with samples of 8 bits, and with alpha if the canvas has it.
    private static func flat(_ image: VipsImage, hasAlpha: Bool) throws(VipsError) -> VipsImage {
        let eight = try ColourStep.eightBit(image)
        return hasAlpha && !eight.hasAlpha ? try VipsOperation("bandjoin_const").set("in", eight).set("c", [255.0]).image() : eight
    }

    /// Returns a frame as viewers show it, in memory. Earlier frames are drawn on the way, so several frames should be asked for in their order.
    /// - Throws: `PictureFailure`: `badImageData`, or that the time is up.
    func frame(_ number: Int, _ progress: ClosedRange<Double>) throws(PictureFailure) -> VipsImage {
        guard animation.frames.indices.contains(number) else { throw PictureFailure(.badImageData, .decode, "there is no frame \(number)") }
        if number < drawn - 1 {
            canvas = PNGCanvas(width: canvas.width, height: canvas.height, channels: canvas.channels)
            drawn = 0
        }
        while drawn <= number {
            try clock.check(.decode, progress.lowerBound)
            try drawNext(progress)
        }
        let made: VipsImage?
        do throws(VipsError) {
            made = try template.filled { memory in
                canvas.samples.withUnsafeBytes { memory.copyMemory(from: $0) }
                return true
            }
        } catch { throw PictureFailure(.badImageData, .decode, error.description) }
        guard let made else { throw PictureFailure(.badImageData, .decode, "there is no memory for a frame") }
        return made
    }

    private func drawNext(_ progress: ClosedRange<Double>) throws(PictureFailure) {
        if drawn > 0 { dispose(of: animation.frames[drawn - 1], isFirst: drawn == 1) }
        let frame = animation.frames[drawn]
        covered = frame.disposal == .previous && drawn > 0 ? canvas.part(frame.window) : []
        drawn += 1
        let failure: PictureFailure? = file(of: frame).withUnsafeBytes { bytes in
            do throws(PictureFailure) {
                try draw(frame, bytes, progress)
                return nil
            } catch { return error }
        }
        if let failure, failOn > 0 || clock.stopped != nil { throw failure }
    }

    /// Disposes of a frame. The first frame cannot restore anything, so it clears its window.
    private func dispose(of frame: PNGAnimation.Frame, isFirst: Bool) {
        switch frame.disposal {
        case .none: break
        case .previous where !isFirst: _ = covered.withUnsafeBytes { canvas.lay($0, at: frame.window, isOver: false) }
        case .background, .previous: canvas.clear(frame.window)
        }
    }

    /// - Parameter bytes: the frame as a file.
    private func draw(_ frame: PNGAnimation.Frame, _ bytes: UnsafeRawBufferPointer, _ progress: ClosedRange<Double>) throws(PictureFailure) {
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
