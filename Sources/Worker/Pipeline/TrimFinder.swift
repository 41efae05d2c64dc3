import Shared

/// Finds what is left of a picture without its edges of one colour.
struct TrimFinder {
    private let trim: Trim
    init(_ trim: Trim) { self.trim = trim }

    /// - Parameters:
    ///   - image: all frames below each other, in memory.
    ///   - size: of one frame.
    /// - Returns: what all frames together need; the whole where nothing would be left.
    func window(in image: VipsImage, size: PictureSize, frames: Int) throws(VipsError) -> PictureWindow {
        let whole = PictureWindow(x: 0, y: 0, width: size.width, height: size.height)
        var found: PictureWindow?
        for index in 0..<frames {
            let frame = frames == 1 ? image : try CropStep.apply(PictureWindow(x: 0, y: index * size.height, width: size.width, height: size.height), to: image)
            guard let window = try window(in: frame) else { continue }
            found = found.map { $0.union(window) } ?? window
        }
        guard let found else { return whole }
        let margin = trim.margin
        return PictureWindow(x: found.x - margin, y: found.y - margin, width: found.width + 2 * margin, height: found.height + 2 * margin)
            .clamped(to: size) ?? whole
    }

    private func window(in frame: VipsImage) throws(VipsError) -> PictureWindow? {
        let bands = try ColourBands(ColourStep.eightBit(frame), asRGB: true)
        let corner = try bands.colours.pixel(0, 0)
        var color = trim.color ?? Color(red: UInt8(corner[0]), green: UInt8(corner[1]), blue: UInt8(corner[2]))
        if trim.color == nil, let alpha = bands.alpha {
            color = Color(red: color.red, green: color.green, blue: color.blue, alpha: UInt8(try alpha.pixel(0, 0)[0]))
        }
        // Nothing of an opaque picture is transparent.
        if color.alpha == 0 { return try bands.alpha.map { alpha throws(VipsError) in try find(alpha, [0]) } ?? nil }
        let flat = try ColourStep.flatten(bands.joinedAgain(), color.opaque)
        return try find(flat, [Double(color.red), Double(color.green), Double(color.blue)])
    }

    private func find(_ image: VipsImage, _ background: [Double]) throws(VipsError) -> PictureWindow? {
        // It looks at three lines at once; what is thinner has no edges.
        guard min(image.width, image.height) >= 3 else { return nil }
        let found = try VipsOperation("find_trim").set("in", image).set("threshold", trim.threshold).set("background", background)
            .ints(["left", "top", "width", "height"])
        return found[2] > 0 && found[3] > 0 ? PictureWindow(x: found[0], y: found[1], width: found[2], height: found[3]) : nil
    }
}

extension PictureWindow {
    /// The smallest window that holds both.
    fileprivate func union(_ other: PictureWindow) -> PictureWindow {
        let (left, top) = (min(x, other.x), min(y, other.y))
        return PictureWindow(
            x: left, y: top, width: max(x + width, other.x + other.width) - left, height: max(y + height, other.y + other.height) - top)
    }
}
