/// One of the seven passes of an interlaced PNG: every eighth pixel first, then those between.
struct Adam7Pass {
    /// The place of its first pixel.
    let start: PictureSize
    /// The distance between its pixels.
    let step: PictureSize
    /// The block of pixels that each of its pixels stands for until the next passes are there.
    let block: PictureSize
    /// The number of its pixels, across and down.
    let count: PictureSize

    private static let table: [(start: (Int, Int), step: (Int, Int), block: (Int, Int))] = [
        ((0, 0), (8, 8), (8, 8)), ((4, 0), (8, 8), (4, 8)), ((0, 4), (4, 8), (4, 4)), ((2, 0), (4, 4), (2, 4)),
        ((0, 2), (2, 4), (2, 2)), ((1, 0), (2, 2), (1, 2)), ((0, 1), (1, 2), (1, 1)),
    ]

    /// Returns the passes of a picture of this size, in order. In a small picture some are empty.
    static func all(_ size: PictureSize) -> [Adam7Pass] {
        table.map { start, step, block in
            let across = max(0, (size.width - start.0 + step.0 - 1) / step.0)
            let down = max(0, (size.height - start.1 + step.1 - 1) / step.1)
            return Adam7Pass(
                start: PictureSize(start.0, start.1), step: PictureSize(step.0, step.1), block: PictureSize(block.0, block.1),
                count: PictureSize(across, down))
        }
    }

    func rowBytes(_ bitsPerPixel: Int) -> Int { (count.width * bitsPerPixel + 7) / 8 }

    /// Returns the number of bytes of the pass, including the filter byte before each row.
    func bytes(_ bitsPerPixel: Int) -> Int { count.width > 0 ? count.height * (1 + rowBytes(bitsPerPixel)) : 0 }
}
