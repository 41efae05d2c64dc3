/// How a JPEG or an AVIF stores its colours: one plane of grey, or one of brightness and two of colour, which may have fewer samples. Pure.
package struct PlaneSampling: Sendable, Hashable {
    /// How many samples of a component stand for the same piece of the picture, relative to the others.
    package struct Factors: Sendable, Hashable {
        package var horizontal: Int
        package var vertical: Int
        package init(_ horizontal: Int, _ vertical: Int) { (self.horizontal, self.vertical) = (horizontal, vertical) }
    }

    package let size: PictureSize
    package let components: [Factors]
    /// By how much the decoder can shrink them while it decodes, the most first.
    package let shrinks: [Int]
    /// Whether their numbers fill a byte. Else those of brightness lie in 16…235, those of colour in 16…240.
    package let isFullRange: Bool
    private let most: Factors

    /// - Parameter shrinks: as libjpeg does it.
    /// - Returns: nil unless it is one component, or three of which the first has all samples.
    package init?(size: PictureSize, components: [Factors], shrinks: [Int] = [8, 4, 2], isFullRange: Bool = true) {
        guard components.count == 1 || components.count == 3, let first = components.first,
            components.allSatisfy({ (1...4).contains($0.horizontal) && (1...4).contains($0.vertical) }),
            components.allSatisfy({ $0.horizontal <= first.horizontal && $0.vertical <= first.vertical })
        else { return nil }
        (self.size, self.components, most) = (size, components, first)
        (self.shrinks, self.isFullRange) = (shrinks, isFullRange)
    }

    /// A component as the decoder makes it at 1/shrink.
    func plane(_ index: Int, shrink: Int) -> Plane {
        let factors = components[index]
        let side = Self.blockSide(factors, most, shrink)
        let (across, down) = (factors.horizontal * side, factors.vertical * side)
        func samples(_ length: Int, _ share: Int, _ whole: Int) -> Int { (length * share + whole - 1) / whole }
        return Plane(
            size: PictureSize(samples(size.width, across, 8 * most.horizontal), samples(size.height, down, 8 * most.vertical)),
            horizontal: Double(across) / Double(8 * most.horizontal), vertical: Double(down) / Double(8 * most.vertical))
    }

    struct Plane: Hashable {
        let size: PictureSize
        /// Samples for each pixel of the picture.
        let horizontal: Double
        let vertical: Double
    }

    /// Samples that a block's eight become. libjpeg would rather shrink a colour plane less than double its samples afterwards.
    private static func blockSide(_ factors: Factors, _ most: Factors, _ shrink: Int) -> Int {
        let least = 8 / shrink
        var side = least
        while side < 8, most.horizontal * least % (factors.horizontal * side * 2) == 0, most.vertical * least % (factors.vertical * side * 2) == 0 {
            side *= 2
        }
        return side
    }
}
