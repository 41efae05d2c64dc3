/// The planes of a picture's colors, in a JPEG, an AVIF or a WebP. There is one of gray, or one of brightness and two of color with perhaps fewer samples. Pure.
package struct PlaneSampling: Sendable, Hashable {
    /// The number of samples of a component for the same part of the picture, relative to the other components.
    package struct Factors: Sendable, Hashable {
        package var horizontal: Int
        package var vertical: Int
        package init(_ horizontal: Int, _ vertical: Int) { (self.horizontal, self.vertical) = (horizontal, vertical) }
    }

    package let size: PictureSize
    package let components: [Factors]
    /// The factors by which the decoder can shrink the planes, the largest first.
    package let shrinks: [Int]
    /// Whether the numbers use the whole byte. Otherwise those of brightness are in 16…235, those of color in 16…240.
    package let isFullRange: Bool
    /// Whether the decoder can deliver any smaller size, and only whole planes.
    package let isScaledFreely: Bool
    private let most: Factors

    /// - Parameter shrinks: the default is that of libjpeg.
    /// - Returns: nil unless there is one component, or three of which the first has all samples.
    package init?(size: PictureSize, components: [Factors], shrinks: [Int] = [8, 4, 2], isFullRange: Bool = true, isScaledFreely: Bool = false) {
        guard components.count == 1 || components.count == 3, let first = components.first,
            components.allSatisfy({ (1...4).contains($0.horizontal) && (1...4).contains($0.vertical) }),
            components.allSatisfy({ $0.horizontal <= first.horizontal && $0.vertical <= first.vertical })
        else { return nil }
        (self.size, self.components, most) = (size, components, first)
        (self.shrinks, self.isFullRange, self.isScaledFreely) = (shrinks, isFullRange, isScaledFreely)
    }

    /// Returns a component as the decoder delivers it at 1/shrink.
    func plane(_ index: Int, shrink: Int) -> Plane {
        let factors = components[index]
        let side = Self.blockSide(factors, most, shrink)
        let (across, down) = (factors.horizontal * side, factors.vertical * side)
        func samples(_ length: Int, _ share: Int, _ whole: Int) -> Int { (length * share + whole - 1) / whole }
        return Plane(
            size: PictureSize(samples(size.width, across, 8 * most.horizontal), samples(size.height, down, 8 * most.vertical)),
            horizontal: Double(across) / Double(8 * most.horizontal), vertical: Double(down) / Double(8 * most.vertical))
    }

    /// Whether the decoder makes one sample of each block at 1/shrink.
    func isAveraged(_ index: Int, shrink: Int) -> Bool { Self.blockSide(components[index], most, shrink) == 1 }

    /// Returns a component as a decoder delivers it that scales the picture to any size. It scales a color plane on its own, from a rounded side to
    /// a rounded side.
    func plane(_ index: Int, scaled: PictureSize) -> Plane {
        func side(_ length: Int, _ share: Int, _ whole: Int) -> Int { (length * share + whole - 1) / whole }
        let (across, down, whole) = (components[index].horizontal, components[index].vertical, most)
        let from = PictureSize(side(size.width, across, whole.horizontal), side(size.height, down, whole.vertical))
        let to = PictureSize(side(scaled.width, across, whole.horizontal), side(scaled.height, down, whole.vertical))
        return Plane(
            size: to, horizontal: Double(to.width * across) / Double(from.width * whole.horizontal),
            vertical: Double(to.height * down) / Double(from.height * whole.vertical))
    }

    struct Plane: Hashable {
        let size: PictureSize
        /// The samples for each pixel of the picture.
        let horizontal: Double
        let vertical: Double
    }

    /// Returns the samples that the eight of a block become. libjpeg shrinks a color plane less, in order not to double its samples afterwards.
    private static func blockSide(_ factors: Factors, _ most: Factors, _ shrink: Int) -> Int {
        let least = 8 / shrink
        var side = least
        while side < 8, most.horizontal * least % (factors.horizontal * side * 2) == 0, most.vertical * least % (factors.vertical * side * 2) == 0 {
            side *= 2
        }
        return side
    }
}
