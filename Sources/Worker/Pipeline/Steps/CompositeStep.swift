import Shared

extension Composite: LayerFilter {
    static var needsMemory: Bool { false }

    func apply(_ layer: VipsImage, to image: VipsImage) throws(VipsError) -> VipsImage {
        let whole = PictureSize(image.width, image.height)
        let base = try ColourBands(image, asRGB: true)
        var layer = try ColourStep.eightBit(layer)
        if let scale { layer = try Self.fitted(layer, into: whole, scale) }
        let place = offset(of: PictureSize(layer.width, layer.height), in: whole)
        let colours = try ColourBands(layer, asRGB: true)
        let alpha = try VipsOperation("linear").set("in", colours.transparency()).set("a", [opacity]).set("b", [0]).image()
        layer = try colours.joined(alpha: alpha, to: base)
        if isTiled { layer = try Self.tiled(layer, over: whole, from: place) }
        let space = base.isDeep ? VipsColours.rgb16 : .sRGB
        let result = try VipsOperation("composite2").set("base", base.joinedAgain()).set("overlay", layer).set("mode", blend.number)
            .set("x", isTiled ? 0 : place.x).set("y", isTiled ? 0 : place.y).set("compositing-space", Int(space.rawValue)).image()
        let mixed = try ColourBands(base.whole(result))
        return base.alpha == nil ? try ColourBands.join(mixed.colours, nil, isDeep: base.isDeep) : try mixed.joinedAgain()
    }

    /// Where its upper left corner lies.
    func offset(of layer: PictureSize, in whole: PictureSize) -> (x: Int, y: Int) {
        if let place { return (place.x, place.y) }
        let spare = PictureSize(whole.width - layer.width, whole.height - layer.height)
        guard case .point(let x, let y) = gravity else {
            return (Int((Double(spare.width) * gravity.x).rounded(.down)), Int((Double(spare.height) * gravity.y).rounded(.down)))
        }
        /// Its middle lies there, as far as it stays within the picture.
        func start(_ fraction: Double, _ length: Int, _ own: Int) -> Int {
            let wanted = Int((fraction * Double(length) - Double(own) / 2).rounded())
            return own > length ? wanted : min(max(wanted, 0), length - own)
        }
        return (start(x, whole.width, layer.width), start(y, whole.height, layer.height))
    }

    private static func fitted(_ layer: VipsImage, into whole: PictureSize, _ scale: Double) throws(VipsError) -> VipsImage {
        let own = PictureSize(layer.width, layer.height)
        let factor = min(Double(whole.width) * scale / Double(own.width), Double(whole.height) * scale / Double(own.height))
        let size = PictureSize(max(1, Int((Double(own.width) * factor).rounded())), max(1, Int((Double(own.height) * factor).rounded())))
        return size == own ? layer : try ResizeStep(from: own, to: size).apply(to: layer)
    }

    /// Repeated over the whole picture, so that one of them lies at its place.
    private static func tiled(_ layer: VipsImage, over whole: PictureSize, from place: (x: Int, y: Int)) throws(VipsError) -> VipsImage {
        func phase(_ at: Int, _ length: Int) -> Int { ((-at % length) + length) % length }
        let (x, y) = (phase(place.x, layer.width), phase(place.y, layer.height))
        let many = try VipsOperation("replicate").set("in", layer).set("across", (whole.width + x + layer.width - 1) / layer.width)
            .set("down", (whole.height + y + layer.height - 1) / layer.height).image()
        return try CropStep.apply(PictureWindow(x: x, y: y, width: whole.width, height: whole.height), to: many)
    }
}

extension ColourBands {
    /// These colours with another transparency, in the numbers of `other`.
    fileprivate func joined(alpha: VipsImage, to other: ColourBands) throws(VipsError) -> VipsImage {
        let image = try joined(alpha: alpha)
        guard other.isDeep else { return image }
        let wide = try VipsOperation("linear").set("in", image).set("a", [257]).set("b", [0]).image()
        let whole = try VipsOperation("cast").set("in", wide).set("format", Int(VipsBandFormat.uint16.rawValue)).image()
        return try VipsOperation("copy").set("in", whole).set("interpretation", Int(VipsColours.rgb16.rawValue)).image()
    }
}

extension Blend {
    /// libvips' own number, of VipsBlendMode.
    var number: Int {
        switch self {
        case .normal: 2
        case .multiply: 14
        case .screen: 15
        case .overlay: 16
        case .darken: 17
        case .lighten: 18
        case .colorDodge: 19
        case .colorBurn: 20
        case .hardLight: 21
        case .softLight: 22
        case .difference: 23
        case .exclusion: 24
        }
    }
}
