/// The coverage of each pixel by a shape, 0…255, with smooth edges. Pure.
struct ShapeMask {
    let size: PictureSize
    private(set) var coverage: [UInt8]

    /// An ellipse in the middle.
    init(ellipseIn size: PictureSize, radiusX: Double, radiusY: Double) {
        self.size = size
        coverage = [UInt8](repeating: 0, count: size.width * size.height)
        let (a2, b2) = (radiusX * radiusX, radiusY * radiusY)
        for row in 0..<size.height {
            let y = Double(row) + 0.5 - Double(size.height) / 2
            for column in 0..<size.width {
                let x = Double(column) + 0.5 - Double(size.width) / 2
                let place = (x * x / a2 + y * y / b2).squareRoot()
                // The distance to the edge is the excess divided by the slope. In the very middle there is no slope.
                let slope = (x * x / (a2 * a2) + y * y / (b2 * b2)).squareRoot() / max(place, 1e-9)
                coverage[row * size.width + column] = Self.byte(slope < 1e-12 ? 1 : (1 - place) / slope + 0.5)
            }
        }
    }

    enum Corner {
        case square
        case round(Double)
        /// A straight cut, this far from the corner on both edges.
        case bevel(Double)
    }

    /// A rectangle this far inside of the picture's edges.
    /// - Parameter corners: top left, top right, bottom right, bottom left.
    init(rectangleIn size: PictureSize, inset: Double, corners: [Corner]) {
        self.size = size
        let across = Self.line(size.width, inset)
        let down = Self.line(size.height, inset)
        let row = across.map { Self.byte($0) }
        coverage = []
        coverage.reserveCapacity(size.width * size.height)
        for share in down { coverage += share == 1 ? row : across.map { Self.byte($0 * share) } }
        for (index, corner) in corners.enumerated() {
            round(corner, inset: inset, isRight: index == 1 || index == 2, isBottom: index >= 2, across, down)
        }
    }

    private mutating func round(_ corner: Corner, inset: Double, isRight: Bool, isBottom: Bool, _ across: [Double], _ down: [Double]) {
        let reach: Double
        switch corner {
        case .square: return
        case .round(let radius), .bevel(let radius): reach = radius
        }
        guard reach > 0 else { return }
        let end = Int((inset + reach).rounded(.up))
        for y in 0..<min(end, size.height) {
            for x in 0..<min(end, size.width) {
                // Measured inwards from the corner of the rectangle.
                let (dx, dy) = (Double(x) + 0.5 - inset, Double(y) + 0.5 - inset)
                let inside: Double
                switch corner {
                case .square: inside = 1
                case .round(let radius):
                    guard dx < radius, dy < radius else { continue }
                    inside = radius - ((radius - dx) * (radius - dx) + (radius - dy) * (radius - dy)).squareRoot() + 0.5
                case .bevel(let length): inside = (dx + dy - length) / 2.0.squareRoot() + 0.5
                }
                let (column, row) = (isRight ? size.width - 1 - x : x, isBottom ? size.height - 1 - y : y)
                let share = min(max(inside, 0), 1) * across[column] * down[row]
                let at = row * size.width + column
                coverage[at] = min(coverage[at], Self.byte(share))
            }
        }
    }

    /// Returns the covered part of each pixel along one side, after an inset.
    private static func line(_ length: Int, _ inset: Double) -> [Double] {
        (0..<length).map { place in
            let (from, to) = (max(Double(place), inset), min(Double(place + 1), Double(length) - inset))
            return min(max(to - from, 0), 1)
        }
    }

    private static func byte(_ share: Double) -> UInt8 { UInt8((min(max(share, 0), 1) * 255).rounded()) }

    /// Returns the inverse mask with this strength.
    func outside(_ strength: Double) -> ShapeMask {
        var other = self
        other.coverage = coverage.map { UInt8((Double(255 - $0) * strength).rounded()) }
        return other
    }

    func image() throws(VipsError) -> VipsImage { try VipsImage.of(coverage, width: size.width, height: size.height, bands: 1) }

    /// Returns the picture with its transparency multiplied by the mask.
    func applied(to image: VipsImage) throws(VipsError) -> VipsImage { try Self.apply(self.image(), to: image) }

    /// - Parameter coverage: one band of 8 bits.
    static func apply(_ coverage: VipsImage, to image: VipsImage) throws(VipsError) -> VipsImage {
        let bands = try ColorBands(image)
        return try bands.joined(alpha: bands.transparency().times(coverage).linear(1.0 / 255))
    }
}
