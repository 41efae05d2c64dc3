import TintypeImages

/// The placing of a picture of 8 bits over another one. The other one keeps its size, its depth, and whether it has transparency.
struct LayerPlacing {
    /// The place of the upper left corner.
    var x: Int
    var y: Int
    /// The repetition over the whole picture; nil for none. One of the copies lies at the given place.
    var tiling: Tiling?
    var opacity: Double
    var blend: Blend

    func put(_ layer: VipsImage, on image: VipsImage) throws(VipsError) -> VipsImage {
        let base = try ColorBands(image, asRGB: true)
        let colors = try ColorBands(layer, asRGB: true)
        var layer = try colors.joined(alpha: colors.transparency().linear(opacity), to: base)
        let whole = image.size
        if let tiling { layer = try tiled(Self.apart(layer, tiling, over: whole), over: whole) }
        var place = tiling != nil ? (x: 0, y: 0) : (x: x, y: y)
        let below = try base.joinedAgain()
        if blend != .normal {
            let covered = PictureWindow(x: place.x, y: place.y, width: layer.width, height: layer.height).clamped(to: whole)
            guard let covered else { return below }
            let own = PictureWindow(x: covered.x - place.x, y: covered.y - place.y, width: covered.width, height: covered.height)
            layer = try mixed(CropStep.apply(own, to: layer), with: CropStep.apply(covered, to: below))
            place = (covered.x, covered.y)
        }
        let result = try ColorBands(base.whole(composite(layer, on: below, place.x, place.y, base)))
        return base.alpha == nil ? try ColorBands.join(result.colors, nil, isDeep: base.isDeep) : try result.joinedAgain()
    }

    private func composite(
        _ layer: VipsImage, on base: VipsImage, _ x: Int, _ y: Int, _ bands: ColorBands
    ) throws(VipsError) -> VipsImage {
        let space = bands.isDeep ? VipsColors.rgb16 : .sRGB
        return try VipsOperation("composite2").set("base", base).set("overlay", layer).set("mode", Blend.normal.number).set("x", x).set("y", y)
            .set("compositing-space", Int(space.rawValue)).image()
    }

    /// Mixes the colors of the layer with those below, as far as anything is below. The result is then laid over them with its transparency. libvips blends
    /// opaque pictures correctly, but counts the transparency of others twice.
    private func mixed(_ layer: VipsImage, with base: VipsImage) throws(VipsError) -> VipsImage {
        let (above, below) = try (ColorBands(layer, asRGB: true), ColorBands(base, asRGB: true))
        let opaque = try blend.apply(above.colors, on: below.colors, above)
        guard let alpha = below.alpha else { return try above.joined(opaque) }
        // In floats: the product of two numbers of 16 bits would not fit libvips' integers.
        return try above.joined(opaque.minus(above.colors).times(alpha.linear(1 / below.most)).plus(above.colors))
    }

    /// Adds the gaps: transparent pixels behind the right and the lower edge.
    private static func apart(_ layer: VipsImage, _ tiling: Tiling, over whole: PictureSize) throws(VipsError) -> VipsImage {
        func pixels(_ gap: Double, _ side: Int) -> Int { Int((gap < 1 ? gap * Double(side) : gap).rounded()) }
        let gap = (x: pixels(tiling.x, whole.width), y: pixels(tiling.y, whole.height))
        guard gap.x > 0 || gap.y > 0 else { return layer }
        return try VipsOperation("embed").set("in", layer).set("x", 0).set("y", 0).set("width", layer.width + gap.x).set("height", layer.height + gap.y).image()
    }

    private func tiled(_ layer: VipsImage, over whole: PictureSize) throws(VipsError) -> VipsImage {
        func phase(_ at: Int, _ length: Int) -> Int { ((-at % length) + length) % length }
        let (x, y) = (phase(x, layer.width), phase(y, layer.height))
        let many = try VipsOperation("replicate").set("in", layer).set("across", (whole.width + x + layer.width - 1) / layer.width)
            .set("down", (whole.height + y + layer.height - 1) / layer.height).image()
        return try CropStep.apply(PictureWindow(x: x, y: y, width: whole.width, height: whole.height), to: many)
    }
}

extension Gravity {
    /// Returns the place of a layer's upper left corner. The layer may be larger than the picture.
    func place(of layer: PictureSize, in whole: PictureSize) -> (x: Int, y: Int) {
        let spare = PictureSize(whole.width - layer.width, whole.height - layer.height)
        guard case .point(let x, let y) = self else {
            let distance = distance(in: whole)
            return (Int((Double(spare.width) * self.x).rounded(.down)) + distance.x, Int((Double(spare.height) * self.y).rounded(.down)) + distance.y)
        }
        /// Centers the layer at the point, as far as the layer stays within the picture.
        func start(_ fraction: Double, _ length: Int, _ own: Int) -> Int {
            let wanted = Int((fraction * Double(length) - Double(own) / 2).rounded())
            return own > length ? wanted : min(max(wanted, 0), length - own)
        }
        return (start(x, whole.width, layer.width), start(y, whole.height, layer.height))
    }
}

extension ColorBands {
    /// Joins these colors with another transparency, in the depth of `other`.
    fileprivate func joined(alpha: VipsImage, to other: ColorBands) throws(VipsError) -> VipsImage {
        let image = try joined(alpha: alpha)
        return other.isDeep ? try image.linear(257).cast(.uint16).tagged(.rgb16) : image
    }
}
