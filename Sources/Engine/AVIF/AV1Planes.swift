import ImageHeads
import TintypeImages

/// The samples of a picture as an AV1 encoder takes them: brightness, and two planes of color unless the picture is gray. A value.
struct AV1Planes: Sendable {
    /// The size of the brightness.
    let size: PictureSize
    /// The bits of a sample: 8, 10 or 12. Above 8, a sample takes two bytes in the machine's order.
    let depth: Int
    /// Whether the planes of color are as large as the brightness, and not half as wide and high, rounded up.
    let isFullColor: Bool
    /// The samples row by row, without gaps: one plane, or three.
    let planes: [[UInt8]]
    /// The colors of the samples, in the full range.
    let colors: CodedColors

    var isGray: Bool { planes.count == 1 }
    var bytesPerSample: Int { depth > 8 ? 2 : 1 }
    var colorSize: PictureSize { isFullColor ? size : PictureSize((size.width + 1) / 2, (size.height + 1) / 2) }

    /// - Returns: nil if a plane has not the bytes that its size needs.
    init?(size: PictureSize, depth: Int, isFullColor: Bool, planes: [[UInt8]], colors: CodedColors = AVIFFile.sRGB) {
        (self.size, self.depth, self.isFullColor, self.planes, self.colors) = (size, depth, isFullColor, planes, colors)
        guard planes.count == 1 || planes.count == 3, planes[0].count == size.width * size.height * bytesPerSample,
            planes.dropFirst().allSatisfy({ $0.count == colorSize.width * colorSize.height * bytesPerSample })
        else { return nil }
    }
}
