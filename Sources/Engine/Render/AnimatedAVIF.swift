import Bitmaps
import ImageHeads
import PNG
import TintypeImages

/// The frames of an AVIF that moves. libheif 1.15 reads only the still picture beside them. Belongs to the thread that works on the picture.
final class AnimatedAVIF: FramePainter {
    private let source: UnsafeRawBufferPointer
    private let sequence: AVIFSequence
    private let clock: PictureClock
    private let decoder: AV1Decoder
    private let mask: AV1Decoder?
    let template: VipsImage

    var count: Int { sequence.count }

    /// - Parameter failOn: the damage from which on the file is refused.
    init(_ source: UnsafeRawBufferPointer, _ sequence: AVIFSequence, _ template: VipsImage, failOn: Int, clock: PictureClock) throws(PictureFailure) {
        if sequence.isCut, failOn > 0 { throw .damage("the file ends before its last frame", .avif, source) }
        (self.source, self.sequence, self.template, self.clock) = (source, sequence, template, clock)
        do throws(PlaneFailure) {
            decoder = try AV1Decoder(most: sequence.width * sequence.height)
            mask = sequence.masks == nil ? nil : try AV1Decoder(most: sequence.width * sequence.height)
        } catch { throw PictureFailure(.badImageData, .decode, "there is no memory for a decoder") }
    }

    /// Returns a picture of the frames' size, without pixels. The facts of the animation have the names that libvips gives them.
    static func template(_ sequence: AVIFSequence, _ loader: PictureLoader) throws(PictureFailure) -> VipsImage {
        do throws(VipsError) {
            let empty = [Double](repeating: 0, count: sequence.masks == nil ? 3 : 4)
            let profile = sequence.profile.map { [UInt8](loader.source[$0]) } ?? WideProfile.of(sequence.colors)
            return try loader.fitting(
                VipsRuntime.solid(width: sequence.width, height: sequence.height, empty).withHeader { header in
                    header.set("n-pages", sequence.count)
                    header.set("delay", sequence.delays)
                    header.set("loop", sequence.plays)
                    if let profile { header.set(ColorStep.profileField, profile) }
                })
        } catch { throw PictureFailure(.badImageData, .decode, error.description) }
    }

    func place(of number: Int) -> (window: PNGWindow, disposal: FrameDisposal) {
        (PNGWindow(x: 0, y: 0, width: sequence.width, height: sequence.height), .none)
    }

    func paint(_ number: Int, on canvas: inout PNGCanvas, _ progress: ClosedRange<Double>) throws(PictureFailure) {
        guard clock.goesOn(.decode, progress, 0) else { throw clock.failure(.decode) }
        let (channels, colors) = (canvas.channels, sequence.colors)
        var isDrawn = canvas.withSamples { pixels in
            draw(decoder, sequence.frames[number]) { planes, _ in planes.draw(on: pixels, channels: channels, colors) }
        }
        if let mask, let masks = sequence.masks, isDrawn {
            isDrawn = canvas.withSamples { pixels in
                draw(mask, masks[number]) { planes, own in planes.drawMask(on: pixels, channels: channels, isFullRange: own.isFullRange) }
            }
        }
        if !isDrawn { throw .damage("the data of frame \(number + 1) are broken", .avif, source) }
    }

    /// Decodes a frame, and lends its planes to `body`.
    /// - Returns: false if the frame is broken, or has another size than the file says.
    private func draw(_ decoder: AV1Decoder, _ place: Range<Int>, _ body: (CodedPlanes, CodedColors) -> Bool) -> Bool {
        guard place.upperBound <= source.count else { return false }
        return decoder.withPlanes(UnsafeRawBufferPointer(rebasing: source[place])) { planes, own in
            (planes.width, planes.height) == (sequence.width, sequence.height) && body(planes, own)
        }
    }
}
