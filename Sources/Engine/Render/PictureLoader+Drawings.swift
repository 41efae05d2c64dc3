import Glibc
import ImageHeads
import TintypeImages

extension PictureLoader {
    /// Reads the header only. A drawing beyond the limits is scaled down to them, because it has no pixels to lose.
    mutating func header(within limits: ImageLimits) throws(PictureFailure) -> VipsImage {
        let image = try header()
        guard format.isDrawing, let less = Self.scale(of: image.size, within: limits) else { return image }
        scale = less
        return try header()
    }

    /// - Returns: nil if the size is within the limits.
    static func scale(of size: PictureSize, within limits: ImageLimits) -> Double? {
        let (side, pixels) = (Double(max(size.width, size.height)), Double(size.width) * Double(size.height))
        let most = min(Double(limits.maxPixels), Double(limits.maxDecodedBytes / 4))
        guard side > Double(limits.maxSide) || pixels > most else { return nil }
        // One pixel less than allowed, because sides are rounded.
        return min((Double(limits.maxSide) - 1) / side, (most / pixels).squareRoot() * (1 - 1 / side))
    }

    /// Lays a page of a PDF on white paper. The page itself meets nothing below it (ISO 32000-1, 11.4.7). On paper that libvips has painted before,
    /// poppler would blend it with white, and parts of it would vanish.
    func onPaper(_ image: VipsImage) throws(VipsError) -> VipsImage {
        guard format == .pdf, image.hasAlpha else { return image }
        return try VipsOperation("flatten").set("in", image).set("background", [255.0]).image()
    }

    /// Brings a drawing to the planned size, which the renderer may have rounded in another way.
    func drawn(_ image: VipsImage, _ size: PictureSize) throws(VipsError) -> VipsImage {
        guard format.isDrawing, size.width > 0, image.size != size else { return image }
        return try ResizeStep(from: image.size, to: size).apply(to: image)
    }
}
