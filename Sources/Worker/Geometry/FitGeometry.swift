package import TintypeImages

extension Gravity {
    /// Returns the place of a smaller window in a picture: by its share of the spare room, or with its middle on a point.
    func window(_ size: PictureSize, in whole: PictureSize) -> PictureWindow {
        guard case .point(let x, let y) = self else {
            let at = offset(spare: PictureSize(whole.width - size.width, whole.height - size.height))
            return PictureWindow(x: at.x, y: at.y, width: size.width, height: size.height)
        }
        func edge(_ share: Double, _ length: Int, _ whole: Int) -> Int {
            min(max(Int((share * Double(whole) - Double(length) / 2).rounded()), 0), whole - length)
        }
        return PictureWindow(x: edge(x, size.width, whole.width), y: edge(y, size.height, whole.height), width: size.width, height: size.height)
    }

    /// Whether the place depends on the pixels.
    var looksAtPixels: Bool { self == .attention || self == .entropy }

    /// Returns the offset of a thing that leaves `spare` pixels free in each direction. Odd halves go to the far side.
    func offset(spare: PictureSize) -> (x: Int, y: Int) {
        (Int(Double(spare.width) * x), Int(Double(spare.height) * y))
    }
}

/// The effect of a `resize` on a picture of a known size: scale, then cut or put on a canvas. Pure.
package struct FitGeometry: Sendable, Hashable {
    package let scaled: PictureSize
    /// The part of the scaled picture that is kept; nil for all of it.
    package let window: PictureWindow?
    /// The canvas and the place of the scaled picture on it; nil for none.
    package let canvas: PictureWindow?

    /// - Parameters:
    ///   - width: the wanted width, or nil to follow the other side.
    ///   - enlarge: false limits the scale to 1: `fill` each side, `cover` the overlap; `contain` keeps its canvas.
    package init(_ source: PictureSize, width: Int?, height: Int?, fit: Resize.Fit, gravity: Gravity, enlarge: Bool) {
        let wide = Double(source.width)
        let high = Double(source.height)
        guard fit != .none, width != nil || height != nil else {
            let box = PictureSize(width ?? source.width, height ?? source.height)
            let kept = PictureSize(min(source.width, box.width), min(source.height, box.height))
            let at = gravity.offset(spare: PictureSize(box.width - kept.width, box.height - kept.height))
            scaled = source
            window = kept == source ? nil : gravity.window(kept, in: source)
            canvas = kept == box ? nil : PictureWindow(x: at.x, y: at.y, width: box.width, height: box.height)
            return
        }
        // With only one side given, every fit keeps the shape.
        let horizontal = width.map { Double($0) / wide } ?? Double(height ?? 0) / high
        let vertical = height.map { Double($0) / high } ?? horizontal
        let target = PictureSize(width ?? Self.side(wide * horizontal), height ?? Self.side(high * vertical))
        var scale: (Double, Double)
        switch fit {
        case .contain, .inside: scale = (min(horizontal, vertical), min(horizontal, vertical))
        case .cover, .outside: scale = (max(horizontal, vertical), max(horizontal, vertical))
        case .fill, .none: scale = (horizontal, vertical)
        }
        if !enlarge { scale = (min(scale.0, 1), min(scale.1, 1)) }
        var scaled = PictureSize(Self.side(wide * scale.0), Self.side(high * scale.1))
        switch fit {
        case .contain:
            scaled = PictureSize(min(scaled.width, target.width), min(scaled.height, target.height))
            self.scaled = scaled
            window = nil
            let at = gravity.offset(spare: PictureSize(target.width - scaled.width, target.height - scaled.height))
            canvas = scaled == target ? nil : PictureWindow(x: at.x, y: at.y, width: target.width, height: target.height)
        case .cover:
            self.scaled = scaled
            canvas = nil
            let kept = PictureSize(min(scaled.width, target.width), min(scaled.height, target.height))
            window = kept == scaled ? nil : gravity.window(kept, in: scaled)
        case .fill, .inside, .outside, .none:
            self.scaled = scaled
            (window, canvas) = (nil, nil)
        }
    }

    private static func side(_ length: Double) -> Int { max(1, Int(length.rounded())) }
}
