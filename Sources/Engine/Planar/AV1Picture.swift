import CDav1d
import Glibc
import ImageHeads
import TintypeImages

/// The picture of an AVIF as dav1d decodes it: all planes, for any number of plans. Belongs to one thread.
package final class AV1Picture {
    private var raw: Dav1dPicture

    /// Decodes on this thread, and cannot be stopped meanwhile.
    init(_ source: UnsafeRawBufferPointer) throws(PlaneFailure) {
        guard let coding = AVIFCoding(ByteReader(bytes: source)) else { throw .refused }
        let size = coding.sampling.size
        var picture = try AV1Decoder(most: size.width * size.height).picture(UnsafeRawBufferPointer(rebasing: source[coding.coded]))
        // If there are several headers, we read the first, but the last one counts.
        guard coding.streamed.map({ $0 == Self.colors(picture) }) ?? true else {
            dav1d_picture_unref(&picture)
            throw .refused
        }
        raw = picture
    }

    static func colors(_ picture: Dav1dPicture) -> CodedColors? {
        guard let header = picture.seq_hdr?.pointee else { return nil }
        return CodedColors(
            primaries: Int(header.pri.rawValue), transfer: Int(header.trc.rawValue), matrix: Int(header.mtrx.rawValue), isFullRange: header.color_range != 0)
    }

    deinit { dav1d_picture_unref(&raw) }

    /// Returns copies of the windows of a plan's planes.
    func planes(_ plan: PlanarPlan) throws(PlaneFailure) -> [Plane] {
        // The header may say one thing and the file hold another.
        guard raw.p.bpc == 8, PictureSize(Int(raw.p.w), Int(raw.p.h)) == plan.planes[0].whole, isAs(plan) else { throw .refused }
        var planes: [Plane] = []
        for (part, (samples, stride)) in zip(plan.planes, [(raw.data.0, raw.stride.0), (raw.data.1, raw.stride.1), (raw.data.2, raw.stride.1)]) {
            guard let samples, let plane = Plane(part.window.size) else { throw .refused }
            for y in 0..<part.window.height {
                memcpy(plane.samples + y * plane.stride, samples + (part.window.y + y) * stride + part.window.x, part.window.width)
            }
            planes.append(plane)
        }
        return planes
    }

    /// Reads a gray picture as pixels.
    /// - Parameters:
    ///   - size: the size according to the file.
    ///   - bands: the equal bands of each pixel.
    ///   - table: the new number for each number.
    /// - Returns: false if the picture differs from the file's header.
    func readBrightness(into pixels: UnsafeMutableRawBufferPointer, _ size: PictureSize, bands: Int, _ table: [UInt8]) -> Bool {
        guard raw.p.bpc == 8, raw.p.layout == DAV1D_PIXEL_LAYOUT_I400, PictureSize(Int(raw.p.w), Int(raw.p.h)) == size, table.count == 256,
            pixels.count == size.width * size.height * bands, let samples = raw.data.0
        else { return false }
        let (bytes, stride) = (samples.assumingMemoryBound(to: UInt8.self), raw.stride.0)
        var at = 0
        for y in 0..<size.height {
            for x in 0..<size.width {
                let value = table[Int(bytes[y * stride + x])]
                for _ in 0..<bands {
                    pixels[at] = value
                    at += 1
                }
            }
        }
        return true
    }

    /// The samples of one plane, by row and column.
    struct Samples {
        fileprivate let first: UnsafePointer<UInt8>
        fileprivate let stride: Int
        subscript(y: Int, x: Int) -> UInt8 { first[y * stride + x] }
    }

    /// Returns the three planes; nil if the picture differs from the file's header.
    func samples(_ sampling: PlaneSampling) -> [Samples]? {
        let planes = sampling.components.indices.map { sampling.plane($0, shrink: 1).size }
        guard raw.p.bpc == 8, planes.count == 3, PictureSize(Int(raw.p.w), Int(raw.p.h)) == planes[0], hasColors(of: planes[1], planes[0]),
            let light = raw.data.0, let blue = raw.data.1, let red = raw.data.2
        else { return nil }
        return [(light, raw.stride.0), (blue, raw.stride.1), (red, raw.stride.1)].map { Samples(first: $0.assumingMemoryBound(to: UInt8.self), stride: $1) }
    }

    private func isAs(_ plan: PlanarPlan) -> Bool {
        plan.planes.count == 3 ? hasColors(of: plan.planes[1].whole, plan.planes[0].whole) : raw.p.layout == DAV1D_PIXEL_LAYOUT_I400
    }

    private func hasColors(of color: PictureSize, _ whole: PictureSize) -> Bool {
        switch raw.p.layout {
        case DAV1D_PIXEL_LAYOUT_I420: return color == PictureSize((whole.width + 1) / 2, (whole.height + 1) / 2)
        case DAV1D_PIXEL_LAYOUT_I422: return color == PictureSize((whole.width + 1) / 2, whole.height)
        case DAV1D_PIXEL_LAYOUT_I444: return color == whole
        default: return false
        }
    }
}
