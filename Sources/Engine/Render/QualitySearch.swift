import ImageHeads

/// A search for the highest quality whose file is small enough, with few encodes. Pure except for `encode`.
struct QualitySearch<File> {
    let mostBytes: Int
    /// The requested quality, which is never exceeded.
    let asked: Int

    /// The requested quality, and a binary search among 99 others.
    static var maxTries: Int { 8 }

    /// - Parameter encode: encodes the picture at a quality and returns the number of bytes.
    func find(_ encode: (Int) throws(PictureFailure) -> (file: File, bytes: Int)) throws(PictureFailure) -> Result {
        let first = try encode(asked)
        var smallest = first.bytes
        if first.bytes <= mostBytes { return .found(first.file, quality: asked) }
        var found: (file: File, quality: Int)?
        // Files grow with quality, except for a byte here and there.
        var (low, high) = (1, asked - 1)
        while low <= high {
            let middle = (low + high) / 2
            let tried = try encode(middle)
            smallest = min(smallest, tried.bytes)
            if tried.bytes <= mostBytes {
                found = (tried.file, middle)
                low = middle + 1
            } else {
                high = middle - 1
            }
        }
        guard let found else { return .tooLarge(smallest: smallest) }
        return .found(found.file, quality: found.quality)
    }

    enum Result {
        case found(File, quality: Int)
        case tooLarge(smallest: Int)
    }
}
