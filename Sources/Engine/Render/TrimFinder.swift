import TintypeImages

/// Finds the window of a picture without its edges of one color.
struct TrimFinder {
    private let trim: Trim
    /// Whether the source's codec leaves specks around drawings. A pixel then counts as the majority of its neighbors, and thinner details are lost.
    private let hasSpecks: Bool

    init(_ trim: Trim, hasSpecks: Bool) { (self.trim, self.hasSpecks) = (trim, hasSpecks) }

    /// - Parameters:
    ///   - image: all frames below each other, in memory.
    ///   - size: the size of one frame.
    /// - Returns: the window that covers the content of all frames; the whole frame if nothing would be left.
    func window(in image: VipsImage, size: PictureSize, frames: Int) throws(VipsError) -> PictureWindow {
        let whole = PictureWindow(x: 0, y: 0, width: size.width, height: size.height)
        var found: PictureWindow?
        for index in 0..<frames {
            let frame = frames == 1 ? image : try CropStep.apply(PictureWindow(x: 0, y: index * size.height, width: size.width, height: size.height), to: image)
            guard let window = try window(in: frame) else { continue }
            found = found.map { $0.union(window) } ?? window
        }
        guard var found else { return whole }
        if trim.symmetric == .horizontal || trim.symmetric == .both {
            let edge = min(found.x, size.width - found.x - found.width)
            (found.x, found.width) = (edge, size.width - 2 * edge)
        }
        if trim.symmetric == .vertical || trim.symmetric == .both {
            let edge = min(found.y, size.height - found.y - found.height)
            (found.y, found.height) = (edge, size.height - 2 * edge)
        }
        let margin = trim.margin
        return PictureWindow(x: found.x - margin, y: found.y - margin, width: found.width + 2 * margin, height: found.height + 2 * margin)
            .clamped(to: size) ?? whole
    }

    private func window(in frame: VipsImage) throws(VipsError) -> PictureWindow? {
        let bands = try ColorBands(ColorStep.eightBit(frame), asRGB: true)
        let corner = try bands.colors.pixel(0, 0)
        var color = trim.color ?? Color(red: UInt8(corner[0]), green: UInt8(corner[1]), blue: UInt8(corner[2]))
        if trim.color == nil, let alpha = bands.alpha {
            color = Color(red: color.red, green: color.green, blue: color.blue, alpha: UInt8(try alpha.pixel(0, 0)[0]))
        }
        // Nothing of an opaque picture is transparent.
        if color.alpha == 0 { return try bands.alpha.map { alpha throws(VipsError) in try find(alpha, [0]) } ?? nil }
        let flat = try ColorStep.flatten(bands.joinedAgain(), color.opaque)
        return try find(flat, [Double(color.red), Double(color.green), Double(color.blue)])
    }

    /// libvips' own `find_trim` always takes the median of nine pixels, and refuses pictures of less than three lines.
    private func find(_ image: VipsImage, _ background: [Double]) throws(VipsError) -> PictureWindow? {
        var image = image
        if hasSpecks, min(image.width, image.height) >= 3 {
            image = try VipsOperation("rank").set("in", image).set("width", 3).set("height", 3).set("index", 4).image()
        }
        let distance = try VipsOperation("abs").set("in", image.linear([1], background.map { -$0 })).image()
        let isOther = try VipsOperation("relational_const").set("in", distance).set("relational", Self.more).set("c", [trim.threshold]).image()
        let content = try VipsOperation("bandbool").set("in", isOther).set("boolean", Self.or).image()
        let sums = try VipsOperation("project").set("in", content).images(["columns", "rows"])
        guard let across = try Self.range(sums[0]), let down = try Self.range(sums[1]) else { return nil }
        return PictureWindow(x: across.lowerBound, y: down.lowerBound, width: across.count, height: down.count)
    }

    /// Returns the range from the first to the last number that is not zero; nil if all are zero.
    private static func range(_ sums: VipsImage) throws(VipsError) -> ClosedRange<Int>? {
        let flags = try VipsOperation("relational_const").set("in", sums).set("relational", more).set("c", [0.0]).image().samples()
        guard let first = flags.firstIndex(where: { $0 != 0 }), let last = flags.lastIndex(where: { $0 != 0 }) else { return nil }
        return first...last
    }

    /// Values of VipsOperationRelational and VipsOperationBoolean.
    private static let (more, or) = (4, 1)
}

extension PictureWindow {
    /// The smallest window that holds both.
    fileprivate func union(_ other: PictureWindow) -> PictureWindow {
        let (left, top) = (min(x, other.x), min(y, other.y))
        return PictureWindow(x: left, y: top, width: max(x + width, other.x + other.width) - left, height: max(y + height, other.y + other.height) - top)
    }
}
