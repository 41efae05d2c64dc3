/// One of the seven passes in which an interlaced PNG comes: every eighth pixel first, then those between.
struct Adam7Pass {
    /// Where its first pixel lies.
    let start: PictureSize
    /// How far its pixels are apart.
    let step: PictureSize
    /// What each stands for until the next passes are there.
    let block: PictureSize
    /// How many it has, across and down.
    let count: PictureSize

    private static let table: [(start: (Int, Int), step: (Int, Int), block: (Int, Int))] = [
        ((0, 0), (8, 8), (8, 8)), ((4, 0), (8, 8), (4, 8)), ((0, 4), (4, 8), (4, 4)), ((2, 0), (4, 4), (2, 4)),
        ((0, 2), (2, 4), (2, 2)), ((1, 0), (2, 2), (1, 2)), ((0, 1), (1, 2), (1, 1)),
    ]

    /// The passes of a picture of this size, in order; some of a small one are empty.
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

    /// What all of it takes, with the byte before each row that says how it is filtered.
    func bytes(_ bitsPerPixel: Int) -> Int { count.width > 0 ? count.height * (1 + rowBytes(bitsPerPixel)) : 0 }
}
