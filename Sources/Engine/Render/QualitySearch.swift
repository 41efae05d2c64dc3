import Glibc
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

/// A search for the lowest quality whose picture is still alike enough, with few encodes. Pure except for `encode`.
///
/// The logarithm of what is missing to full likeness falls rather evenly with quality. So a line through two tries meets the wanted likeness better than
/// the middle between them.
struct LikenessSearch<File> {
    /// The wanted likeness, less than 1.
    let wanted: Double
    /// The quality that is tried first.
    let usual: Int

    static var maxTries: Int { 5 }

    struct Try {
        let file: File
        let quality: Int
        let likeness: Double
    }

    /// Returns the try of the lowest quality that is alike enough; if none is, of the highest.
    /// - Parameter encode: encodes the picture at a quality and returns the likeness; nil if none can be found out, which ends the search.
    func find(_ encode: (Int) throws(PictureFailure) -> (file: File, likeness: Double)?) throws(PictureFailure) -> Try? {
        var bounds = Bounds()
        var quality: Int? = usual
        for left in (0..<Self.maxTries).reversed() {
            guard let tried = quality else { break }
            guard let (file, likeness) = try encode(tried) else { return nil }
            let made = Try(file: file, quality: tried, likeness: likeness)
            if likeness >= wanted {
                (bounds.high, bounds.before) = (made, bounds.high)
                // One quality less would not be enough.
                if 1 - likeness > 0.96 * (1 - wanted) { break }
            } else {
                (bounds.low, bounds.before) = (made, bounds.low)
            }
            quality = next(bounds, isLast: left == 1)
        }
        return bounds.high ?? bounds.low
    }

    private struct Bounds {
        /// The highest quality that was not enough.
        var low: Try?
        /// The lowest quality that was enough.
        var high: Try?
        /// The bound that the last try has replaced.
        var before: Try?
    }

    /// Returns the quality to try next; nil if nothing is left between the bounds.
    private func next(_ bounds: Bounds, isLast: Bool) -> Int? {
        let (least, most) = (bounds.low.map { $0.quality + 1 } ?? 1, bounds.high.map { $0.quality - 1 } ?? 100)
        guard least <= most else { return nil }
        let guess: Double
        if let low = bounds.low, let high = bounds.high {
            // Near 100 the logarithm falls steeply, and the likeness itself is more even. The mean of both is seldom far off.
            let (below, above) = (Self.missing(low.likeness), Self.missing(high.likeness))
            let parts = (below - Self.missing(wanted)) / max(below - above, 0.001) + (wanted - low.likeness) / max(high.likeness - low.likeness, 1e-6)
            guess = Double(low.quality) + parts / 2 * Double(high.quality - low.quality)
        } else if let known = bounds.low ?? bounds.high {
            // Nothing has been alike enough so far.
            if isLast, bounds.high == nil { return 100 }
            guess =
                Double(known.quality) + (Self.missing(known.likeness) - Self.missing(wanted)) / slope(known, before: bounds.before, isUp: bounds.high == nil)
        } else {
            return usual
        }
        return min(max(Int(guess.rounded(.up)), least), most)
    }

    /// Returns how much `missing` falls from one quality to the next, by the last two tries or, after the first, by experience.
    private func slope(_ known: Try, before: Try?, isUp: Bool) -> Double {
        guard let before else { return isUp && known.quality >= 60 ? 0.06 : 0.04 }
        let fall = (Self.missing(before.likeness) - Self.missing(known.likeness)) / Double(known.quality - before.quality)
        // Upwards rather too far, because two bounds are better than two tries on one side.
        return min(max(isUp ? fall / 1.3 : fall, 0.02), 0.2)
    }

    /// The logarithm of what is missing to full likeness.
    private static func missing(_ likeness: Double) -> Double { log(max(1 - likeness, 1e-6)) }
}
