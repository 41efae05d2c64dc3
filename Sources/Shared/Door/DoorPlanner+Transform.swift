import TintypeCore
import TintypeImages

extension DoorPlanner {
    /// The operations: trim, turns, crop, resize, background, filters, canvases, watermark, and the largest size last.
    func transform() throws(DoorRefusal) -> [JSON] {
        var steps: [JSON] = []
        if options.maxFrames > 1 { steps.append(["op": "frames", "first": JSON(options.maxFrames)]) }
        if !options.autoRotates { steps.append(["op": "autorotate", "enabled": false]) }
        steps += geometry()
        if let background { steps.append(["op": "background", "color": background]) }
        steps += filters() + canvases()
        if options.hasWatermark { steps.append(try watermark()) }
        if options.maxResultSide > 0 { steps.append(["op": "resize", "width": JSON(options.maxResultSide), "height": JSON(options.maxResultSide)]) }
        return steps
    }

    private func geometry() -> [JSON] {
        var steps: [JSON] = []
        if let trim = options.trim {
            var step: JSONObject = ["op": "trim", "threshold": JSON(trim.threshold)]
            // imgproxy sees magenta where the picture is transparent.
            if let color = trim.color { step["color"] = .string(color.text == "#ff00ff" ? "transparent" : color.text) }
            switch (trim.isEqualAcross, trim.isEqualDown) {
            case (true, true): step["symmetric"] = "both"
            case (true, false): step["symmetric"] = "horizontal"
            case (false, true): step["symmetric"] = "vertical"
            case (false, false): break
            }
            steps.append(.object(step))
        }
        if options.angle % 360 != 0 { steps.append(["op": "rotate", "angle": JSON(options.angle)]) }
        if options.flipsAcross || options.flipsDown {
            steps.append(["op": "flip", "horizontal": .bool(options.flipsAcross), "vertical": .bool(options.flipsDown)])
        }
        if let placement = options.cropPlacement { steps += crop(placement) }
        if options.isResized { steps.append(resize()) }
        return steps
    }

    private func crop(_ placement: PictureOptions.Placement) -> [JSON] {
        let (width, height) = options.correctedCrop ?? (options.crop.width, options.crop.height)
        var step: JSONObject = ["op": "crop"]
        if width >= 1 || height >= 1 {
            if width > 0 { step["width"] = JSON(Int(width)) }
            if height > 0 { step["height"] = JSON(Int(height)) }
        } else {
            // A whole side has the number 0.
            (step["width"], step["height"], step["unit"]) = (JSON(width == 0 ? 1 : width), JSON(height == 0 ? 1 : height), "fraction")
        }
        // The crop comes before the size, so its offsets do not follow the density.
        step["gravity"] = placement.moved(times: 1).json
        return [.object(step)] + (options.isCropCorrected ? [correction(placement)] : [])
    }

    /// Cuts what is left of the crop to its shape. The box is never smaller than a picture, so nothing is scaled.
    private func correction(_ placement: PictureOptions.Placement) -> JSON {
        let (ratio, most) = (options.cropAspect.ratio, Double(PictureOptions.mostSide))
        let (width, height) = ratio > 1 ? (most, (most / ratio).rounded()) : ((most * ratio).rounded(), most)
        // The offsets have moved the crop, and a point is its middle.
        let place = Gravity.anchors.contains(placement.gravity) ? placement.gravity : .center
        return ["op": "resize", "width": JSON(Int(width)), "height": JSON(Int(height)), "fit": "coverDown", "gravity": place.json]
    }

    private func resize() -> JSON {
        var step: JSONObject = ["op": "resize"]
        func side(_ plain: Int, _ box: Int?) -> JSON? { (options.density == nil ? box : plain > 0 ? plain : nil).map { JSON($0) } }
        step["width"] = side(options.width, options.boxWidth)
        step["height"] = side(options.height, options.boxHeight)
        if options.minWidth > 0 { step["minWidth"] = JSON(options.minWidth) }
        if options.minHeight > 0 { step["minHeight"] = JSON(options.minHeight) }
        if let zoom = options.zoomAsScale { step["scale"] = zoom.x == zoom.y ? JSON(zoom.x) : ["width": JSON(zoom.x), "height": JSON(zoom.y)] }
        step["density"] = options.density.map { JSON($0) }
        if options.hasBothSides {
            switch options.resizingType {
            case .fit: break
            case .fill: step["fit"] = "cover"
            case .fillDown: step["fit"] = "coverDown"
            case .auto: step["fit"] = "auto"
            case .force: step["fit"] = "fill"
            }
        }
        if options.isCut { step["gravity"] = options.gravity.moved(times: options.dpr).json }
        if options.enlarges { step["enlarge"] = true }
        if options.kernel != .lanczos3 { step["kernel"] = .string(options.kernel.rawValue) }
        return .object(step)
    }

    private func filters() -> [JSON] {
        var steps: [JSON] = []
        if options.brightness != 0 { steps.append(brightness()) }
        if options.contrast != 1 || options.saturation != 1 {
            steps.append(["op": "modulate", "contrast": JSON(options.contrast), "saturation": JSON(options.saturation)])
        }
        if options.monochrome.intensity > 0 {
            let color = (options.monochrome.color ?? .gray(0xb3)).with(opacity: options.monochrome.intensity)
            steps.append(["op": "tint", "color": .string(color.canonical), "blend": "color"])
        }
        if options.duotone.intensity > 0 {
            var step: JSONObject = ["op": "duotone"]
            if options.duotone.intensity < 1 { step["amount"] = JSON(options.duotone.intensity) }
            step["shadow"] = options.duotone.shadow.map { .string($0.text) }
            step["highlight"] = options.duotone.highlight.map { .string($0.text) }
            steps.append(.object(step))
        }
        if options.blur > 0 { steps.append(["op": "blur", "sigma": JSON(options.blur)]) }
        if options.sharpen > 0 { steps.append(["op": "sharpen", "sigma": JSON(options.sharpen)]) }
        if options.pixelate > 1 { steps.append(["op": "pixelate", "size": JSON(options.pixelate)]) }
        if options.overlay.opacity > 0 { steps.append(overlay()) }
        return steps
    }

    /// Adds a number to all three colors, or takes it away.
    private func brightness() -> JSON {
        let value = options.brightness
        let color = Color.gray(UInt8(clamping: value > 0 ? value : 255 + value))
        return ["op": "tint", "color": .string(color.canonical), "blend": value > 0 ? "plusLighter" : "plusDarker"]
    }

    private func overlay() -> JSON {
        let color = options.overlay.color ?? .gray(0)
        if options.overlay.keepsAlpha { return ["op": "tint", "color": .string(color.with(opacity: options.overlay.opacity).canonical), "blend": "normal"] }
        // A layer covers transparent parts, too. Its tile is small enough to cost nothing, and large enough that few of them fill a picture.
        let url = "color:\(color.canonical.dropFirst()),64x64"
        return ["op": "composite", "url": .string(url), "opacity": JSON(options.overlay.opacity), "tile": true]
    }

    private func canvases() -> [JSON] {
        var steps: [JSON] = []
        if options.extend.isOn, options.hasSize {
            var step: JSONObject = ["op": "pad"]
            step["width"] = options.boxWidth.map { JSON($0) }
            step["height"] = options.boxHeight.map { JSON($0) }
            steps.append(pad(step, options.extend.placement))
        }
        if options.extendRatio.isOn, let aspect = options.aspect {
            steps.append(pad(["op": "pad", "aspect": JSON(aspect)], options.extendRatio.placement))
        }
        let sides = [options.padding.top, options.padding.right, options.padding.bottom, options.padding.left].map { options.pixels($0) }
        if sides.contains(where: { $0 > 0 }) {
            var step: JSONObject = ["op": "extend"]
            for (name, pixels) in zip(["top", "right", "bottom", "left"], sides) where pixels > 0 { step[name] = JSON(pixels) }
            step["color"] = background
            steps.append(.object(step))
        }
        return steps
    }

    private func pad(_ step: JSONObject, _ placement: PictureOptions.Placement) -> JSON {
        var step = step
        let place = PictureOptions.Placement(placement.gravity.place ?? .center, x: placement.x, y: placement.y)
        step["gravity"] = place.moved(times: options.dpr).json
        step["color"] = background
        return .object(step)
    }

    /// The background with its alpha; nil for none.
    private var background: JSON? {
        options.background.map { color in
            .string(color.with(opacity: options.backgroundAlpha).canonical)
        }
    }

    private func watermark() throws(DoorRefusal) -> JSON {
        let mark = options.watermark
        var step = JSONObject()
        if let text = options.watermarkText {
            step = ["op": "text", "text": .string(text), "size": 16]
            if options.watermarkAngle.truncatingRemainder(dividingBy: 360) != 0 { step["angle"] = JSON(options.watermarkAngle) }
        } else {
            guard let url = options.watermarkURL ?? policy.watermark else {
                throw DoorRefusal(.notSupported, option: "watermark", "the operator has set no picture for watermarks; leave the option out")
            }
            step = ["op": "composite", "url": .string(url)]
        }
        step["opacity"] = JSON(mark.opacity)
        if let anchor = mark.anchor {
            step["gravity"] = PictureOptions.Placement(anchor, x: mark.x, y: mark.y).moved(times: options.dpr).json
        } else {
            func gap(_ length: Double) -> Double { PictureOptions.Placement.length(length, times: options.dpr) }
            step["tile"] = Tiling(x: gap(mark.x), y: gap(mark.y)).canonical
        }
        if mark.scale > 0 { step["scale"] = JSON(mark.scale) }
        return .object(step)
    }
}

extension PictureOptions.Placement {
    /// The gravity of our operations, with offsets in pixels that are multiplied by a factor.
    fileprivate func moved(times factor: Double) -> Gravity {
        guard hasOffset else { return gravity }
        return Gravity.moved(gravity, x: Self.length(x, times: factor), y: Self.length(y, times: factor)).canonical
    }

    /// Multiplies whole pixels by a factor. A length between -1 and 1 is a part of the picture, which follows by itself.
    fileprivate static func length(_ offset: Double, times factor: Double) -> Double {
        let most = Double(PictureOptions.mostSide)
        return abs(offset) < 1 ? offset : min(max((offset * factor).rounded(), -most), most)
    }
}

extension Color {
    /// An opaque gray.
    fileprivate static func gray(_ value: UInt8) -> Color { Color(red: value, green: value, blue: value) }

    /// The color with another alpha, from 0 to 1.
    fileprivate func with(opacity: Double) -> Color { Color(red: red, green: green, blue: blue, alpha: UInt8((opacity * 255).rounded())) }
}
