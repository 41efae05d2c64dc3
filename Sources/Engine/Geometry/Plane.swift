import Glibc
import TintypeImages

/// The samples of one plane, a byte each, in memory of its own. Lines begin at multiples of 64 bytes, as zimg requires. This also
/// leaves room for the whole blocks of a JPEG.
final class Plane {
    let size: PictureSize
    let stride: Int
    let samples: UnsafeMutablePointer<UInt8>

    /// - Returns: nil if no memory is left.
    init?(_ size: PictureSize) {
        self.size = size
        stride = (size.width + 63) & ~63
        var memory: UnsafeMutableRawPointer?
        guard posix_memalign(&memory, 64, stride * size.height) == 0, let memory else { return nil }
        samples = memory.assumingMemoryBound(to: UInt8.self)
    }

    deinit { free(samples) }

    var byteCount: Int { stride * size.height }

    /// Replaces each sample by its number in `table`.
    func replace(_ table: [UInt8]) {
        table.withUnsafeBufferPointer { table in
            for index in 0..<stride * size.height { samples[index] = table[Int(samples[index])] }
        }
    }

    /// Returns a copy of a part; the plane itself if that is all of it; nil if no memory is left.
    func part(_ window: PictureWindow) -> Plane? {
        guard window.size != size else { return self }
        guard let part = Plane(window.size) else { return nil }
        for y in 0..<window.height {
            (part.samples + y * part.stride).update(from: samples + (window.y + y) * stride + window.x, count: window.width)
        }
        return part
    }

    /// Returns the plane after a turn; nil if no memory is left.
    func turned(_ orientation: Orientation) -> Plane? {
        guard orientation != .upright else { return self }
        guard let turned = Plane(orientation.applied(to: size)) else { return nil }
        // The place of the result's first sample in this plane, and the steps from it to the samples on the right and below.
        let (last, bottom) = (size.width - 1, (size.height - 1) * stride)
        let mirrored = orientation.mirrored
        let (start, right, down): (Int, Int, Int) =
            switch orientation.quarters {
            case 0: mirrored ? (last, -1, stride) : (0, 1, stride)
            case 1: mirrored ? (bottom + last, -stride, -1) : (bottom, -stride, 1)
            case 2: mirrored ? (bottom, 1, -stride) : (bottom + last, -1, -stride)
            default: mirrored ? (0, stride, 1) : (last, stride, -1)
            }
        turned.fill(from: samples + start, right: right, down: down)
        return turned
    }

    /// Copies by squares, so that the columns that are read stay in the cache.
    private func fill(from source: UnsafeMutablePointer<UInt8>, right: Int, down: Int) {
        let side = 64
        for top in Swift.stride(from: 0, to: size.height, by: side) {
            for left in Swift.stride(from: 0, to: size.width, by: side) {
                for y in top..<min(top + side, size.height) {
                    let (line, from) = (samples + y * stride, source + y * down)
                    for x in left..<min(left + side, size.width) { line[x] = from[x * right] }
                }
            }
        }
    }
}
