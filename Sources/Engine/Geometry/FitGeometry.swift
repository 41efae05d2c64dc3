package import TintypeImages

extension Gravity {
    /// Returns the place of a smaller window in a picture: by its share of the spare room, or with its middle on a point.
    func window(_ size: PictureSize, in whole: PictureSize) -> PictureWindow {
        guard case .point(let x, let y) = self else {
            let at = offset(of: size, in: whole)
            return PictureWindow(x: at.x, y: at.y, width: size.width, height: size.height)
        }
        func edge(_ share: Double, _ length: Int, _ whole: Int) -> Int {
            min(max(Int((share * Double(whole) - Double(length) / 2).rounded()), 0), whole - length)
        }
        return PictureWindow(x: edge(x, size.width, whole.width), y: edge(y, size.height, whole.height), width: size.width, height: size.height)
    }

    /// Whether the place depends on the pixels.
    var looksAtPixels: Bool { self == .attention || self == .entropy }

    /// Returns the place of a smaller window in a picture, or of a smaller picture on a canvas. Odd halves go to the far side, and no offset leads outside.
    func offset(of size: PictureSize, in whole: PictureSize) -> (x: Int, y: Int) {
        let spare = PictureSize(whole.width - size.width, whole.height - size.height)
        let distance = distance(in: whole)
        return (
            min(max(Int(Double(spare.width) * x) + distance.x, 0), spare.width), min(max(Int(Double(spare.height) * y) + distance.y, 0), spare.height)
        )
    }

    /// Returns the pixels by which a place is moved to the right and down; 0 unless the place has offsets.
    func distance(in whole: PictureSize) -> (x: Int, y: Int) {
        guard case .moved(let anchor, let x, let y) = self else { return (0, 0) }
        func pixels(_ offset: Double, _ side: Int, isFromEnd: Bool) -> Int {
            let length = Int((abs(offset) < 1 ? offset * Double(side) : offset).rounded())
            return isFromEnd ? -length : length
        }
        return (pixels(x, whole.width, isFromEnd: anchor.x == 1), pixels(y, whole.height, isFromEnd: anchor.y == 1))
    }
}

/// The effect of a `resize` on a picture of a known size: scale, then cut or put on a canvas. Pure.
package struct FitGeometry: Sendable, Hashable {
    package let scaled: PictureSize
    /// The part of the scaled picture that is kept; nil for all of it.
    package let window: PictureWindow?
    /// The canvas and the place of the scaled picture on it; nil for none.
    package let canvas: PictureWindow?

    /// Without `enlarge` no side is scaled up: `fill` keeps a smaller side, the others keep a smaller picture; `contain` keeps its canvas.
    package init(_ source: PictureSize, _ resize: Resize) {
        guard resize.fit != .none else {
            let box = PictureSize(resize.width ?? source.width, resize.height ?? source.height)
            let kept = source.within(box)
            scaled = source
            window = kept == source ? nil : resize.gravity.window(kept, in: source)
            canvas = kept == box ? nil : PictureWindow(at: resize.gravity.offset(of: kept, in: box), box)
            return
        }
        let fit = resize.fit(of: source)
        let (scale, density) = Self.scale(of: source, resize, fit)
        let scaled = PictureSize(Self.side(Double(source.width) * scale.x), Self.side(Double(source.height) * scale.y))
        // A side that is not given follows the other, and nothing of the side is cut off.
        let box = PictureSize(
            resize.width.map { Self.side(Double($0) * resize.scale.x * density) } ?? scaled.width,
            resize.height.map { Self.side(Double($0) * resize.scale.y * density) } ?? scaled.height)
        switch fit {
        case .contain:
            let kept = scaled.within(box)
            self.scaled = resize.hasLeastSide ? scaled : kept
            window = kept == self.scaled ? nil : resize.gravity.window(kept, in: scaled)
            canvas = kept == box ? nil : PictureWindow(at: resize.gravity.offset(of: kept, in: box), box)
        case .cover, .coverDown:
            let kept = fit == .cover ? scaled.within(box) : scaled.within(box.shrunk(into: scaled))
            self.scaled = scaled
            (window, canvas) = (kept == scaled ? nil : resize.gravity.window(kept, in: scaled), nil)
        case .fill, .inside:
            // A least side can make the picture larger than the box.
            let kept = resize.hasLeastSide ? scaled.within(box) : scaled
            self.scaled = scaled
            (window, canvas) = (kept == scaled ? nil : resize.gravity.window(kept, in: scaled), nil)
        case .outside, .auto, .none:
            self.scaled = scaled
            (window, canvas) = (nil, nil)
        }
    }

    /// Returns the factors of both sides, and the density in them.
    ///
    /// The factors are those of the box, `scale`, those of the least sides, and the density, as in imgproxy. Without `enlarge`, imgproxy lowers first the box
    /// and then the density until nothing is enlarged. A least side may enlarge after that.
    private static func scale(of source: PictureSize, _ resize: Resize, _ fit: Resize.Fit) -> (scale: (x: Double, y: Double), density: Double) {
        let wide = Double(source.width)
        let high = Double(source.height)
        // With only one side given, every fit keeps the shape.
        let horizontal = resize.width.map { Double($0) / wide } ?? resize.height.map { Double($0) / high } ?? 1
        let vertical = resize.height.map { Double($0) / high } ?? horizontal
        var scale: (x: Double, y: Double)
        switch fit {
        case .contain, .inside: scale = (min(horizontal, vertical), min(horizontal, vertical))
        case .cover, .coverDown, .outside: scale = (max(horizontal, vertical), max(horizontal, vertical))
        case .fill, .auto, .none: scale = (horizontal, vertical)
        }
        scale = (scale.x * resize.scale.x, scale.y * resize.scale.y)
        var density = resize.density ?? 1
        if resize.density != nil, !resize.enlarge {
            // A low density wins back the loss of the box.
            let excess = max(scale.x, scale.y, 1)
            scale = (scale.x / excess, scale.y / excess)
            density = min(density * excess, 1 / max(scale.x, scale.y))
        }
        let growth = max(1, resize.minWidth.map { Double($0) / (wide * scale.x) } ?? 1, resize.minHeight.map { Double($0) / (high * scale.y) } ?? 1)
        scale = (scale.x * growth * density, scale.y * growth * density)
        guard !resize.enlarge, resize.density == nil else { return (scale, density) }
        if fit == .fill { return ((min(scale.x, 1), min(scale.y, 1)), 1) }
        // Two different factors stay in proportion.
        let most = max(scale.x, scale.y, 1)
        return ((scale.x / most, scale.y / most), 1)
    }

    private static func side(_ length: Double) -> Int { max(1, Int(length.rounded())) }
}

extension Resize {
    /// Returns the fit for a picture: `auto` covers a box that lies or stands as the picture does. A square lies, as in imgproxy.
    fileprivate func fit(of source: PictureSize) -> Fit {
        guard effectiveFit == .auto, let width, let height else { return effectiveFit }
        return (width >= height) == (source.width >= source.height) ? .cover : .inside
    }
}

extension PictureSize {
    /// Returns the size with each side at most that of `box`.
    fileprivate func within(_ box: PictureSize) -> PictureSize { PictureSize(min(width, box.width), min(height, box.height)) }

    /// Returns the largest size of this shape inside of `picture`; this size if it fits.
    fileprivate func shrunk(into picture: PictureSize) -> PictureSize {
        let factor = max(1, Double(width) / Double(picture.width), Double(height) / Double(picture.height))
        return PictureSize(max(1, Int((Double(width) / factor).rounded())), max(1, Int((Double(height) / factor).rounded())))
    }
}

extension PictureWindow {
    fileprivate init(at place: (x: Int, y: Int), _ size: PictureSize) { self.init(x: place.x, y: place.y, width: size.width, height: size.height) }
}
