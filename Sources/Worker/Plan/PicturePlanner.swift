package import ImageHeads
package import TintypeImages

/// Turns facts about a source and a request into a plan. Pure: tables of tests say what it decides.
package struct PicturePlanner {
    private var steps: [PlanStep] = []
    /// The picture as it lies, after the steps so far.
    private var size: PictureSize
    /// What is still to be done to it before a person looks at it.
    private var pending: Orientation
    private var isColoured = false
    /// Whether something may show through it.
    private(set) var hasAlpha: Bool
    private let limits: ImageLimits
    private let keepsProfile: Bool
    /// Of those that the output can show.
    private let isAnimated: Bool
    private var animation: AnimationPlan?

    private init(_ facts: SourceFacts, _ rendition: Rendition, _ output: ImageFormat, _ limits: ImageLimits) {
        self.limits = limits
        keepsProfile = rendition.output.keepsProfile(in: output)
        isAnimated = output.isAnimatable
        (size, hasAlpha) = (facts.size, facts.hasAlpha)
        pending = rendition.isUpright ? Orientation(exif: facts.orientation) : .upright
    }

    /// - Throws: `PictureFailure`: a limit of the source's frames or of the result, or a crop outside the picture.
    /// - Parameter encoders: the formats that can be written here.
    package static func plan(
        _ facts: SourceFacts, _ rendition: Rendition, _ limits: ImageLimits, encoders: Set<ImageFormat> = Set(ImageFormat.encodable)
    ) throws(PictureFailure) -> PicturePlan {
        LoadShrink.apply(to: try exact(facts, rendition, limits, encoders: encoders), facts, speed: rendition.decode.speed)
    }

    /// The same with nothing left to the decoder: all pixels of the source are there, and every coordinate counts them.
    static func exact(
        _ facts: SourceFacts, _ rendition: Rendition, _ limits: ImageLimits, encoders: Set<ImageFormat> = Set(ImageFormat.encodable)
    ) throws(PictureFailure) -> PicturePlan {
        let output = PictureOutput(format: try format(facts, rendition, limits, encoders), options: rendition.output)
        let choice = try FrameChoice(facts, rendition, isAnimated: output.format.isAnimatable, limits)
        let load = loading(facts, rendition, choice)
        let planner = try planned(facts, rendition, choice, output.format, limits)
        let side = max(planner.size.width, planner.size.height)
        let most = output.format.maxEncodedSide
        if side > most { throw .limit("\(output.format.rawValue) side", side, most, .encode) }
        return PicturePlan(
            load: load, steps: planner.steps, frames: choice.frames, pace: choice.pace, animation: planner.animation, size: planner.size, output: output)
    }

    /// With all of its steps.
    static func planned(
        _ facts: SourceFacts, _ rendition: Rendition, _ choice: FrameChoice, _ output: ImageFormat, _ limits: ImageLimits
    ) throws(PictureFailure) -> PicturePlanner {
        var planner = PicturePlanner(facts, rendition, output, limits)
        if let most = rendition.decode.limitBytes, let less = facts.size.scaled(toBytes: most / Set(choice.frames).count) { try planner.shrink(to: less) }
        for (index, operation) in rendition.operations.enumerated() {
            if case .animate(let animate) = operation {
                try planner.add(animate, rendition.operations[(index + 1)...])
            } else {
                try planner.add(operation)
            }
            let frames = planner.animation?.frames.count ?? choice.frames.count
            try limits.check(width: planner.size.width, height: planner.size.height, frames: frames, phase: .transform)
        }
        planner.flush()
        planner.colour()
        return planner
    }

    private static func loading(_ facts: SourceFacts, _ rendition: Rendition, _ choice: FrameChoice) -> LoadPlan {
        let failOn = DecodeOptions.FailOn.allCases.firstIndex(of: rendition.decode.failOn) ?? 1
        return LoadPlan(format: facts.format, page: choice.page, frames: choice.loaded, size: facts.size, failOn: failOn)
    }

    /// Comes before all that was asked for, so that a codec may decode less.
    /// - Parameter less: as the picture lies.
    private mutating func shrink(to less: PictureSize) throws(PictureFailure) {
        let seen = pending.quarters % 2 == 0 ? less : less.transposed
        try add(.resize(Resize(width: seen.width, height: seen.height, fit: .fill)))
    }

    private mutating func add(_ operation: TintypeImages.Operation) throws(PictureFailure) {
        switch operation {
        case .autorotate: break
        case .flip(let flip):
            if flip.horizontal { pending = pending.then(.mirror) }
            if flip.vertical { pending = pending.then(.upsideDown) }
        case .rotate(let rotate): try add(rotate)
        case .crop(let crop): try add(crop)
        case .resize(let resize): try add(resize)
        case .extend(let extend): try add(extend)
        case .pad(let pad): add(pad)
        // What is left of these is decided elsewhere: frames when the source is opened, trim by `TrimFinder` before the plan.
        case .animate, .frames, .trim: break
        case .text:
            flush()
            colour()
            steps.append(.filter(operation))
        case .background, .blur, .composite, .duotone, .grayscale, .invert, .mask, .modulate, .pixelate, .roundCorners, .sepia, .sharpen, .tint:
            hasAlpha = operation.leavesAlpha(of: hasAlpha)
            if operation.layer != nil || operation.filter.map({ type(of: $0).dependsOnPlace }) ?? false { flush() }
            colour()
            steps.append(.filter(operation))
        }
    }

    /// - Parameter rest: what follows it, which may choose among its frames.
    private mutating func add(_ animate: Animate, _ rest: ArraySlice<TintypeImages.Operation>) throws(PictureFailure) {
        flush()
        colour()
        hasAlpha = hasAlpha || animate.sheet == nil && animate.fit == .contain && !animate.background.isOpaque
        if let sheet = animate.sheet {
            let cell = PictureSize(size.width / sheet.columns, size.height / sheet.rows)
            guard cell.width > 0, cell.height > 0 else {
                throw PictureFailure(.transformFailed, .transform, "a sheet of \(size) leaves nothing for \(sheet.columns) columns and \(sheet.rows) rows")
            }
            size = cell
        }
        let kept = try FrameChoice.kept(of: Array(0..<animate.count), rest, isAnimated: isAnimated)
        animation = AnimationPlan(animate: animate, start: steps.count, size: size, frames: kept.numbers, pace: kept.pace)
    }

    private mutating func add(_ crop: Crop) throws(PictureFailure) {
        let seen = pending.applied(to: size)
        let unit = crop.unit == .px ? (1.0, 1.0) : (Double(seen.width), Double(seen.height))
        func edge(_ value: Double, _ unit: Double) -> Int { Int((value * unit).rounded()) }
        var wanted = PictureWindow(
            x: edge(crop.x, unit.0), y: edge(crop.y, unit.1), width: max(1, edge(crop.width, unit.0)),
            height: max(1, edge(crop.height, unit.1)))
        if let gravity = crop.gravity {
            wanted.width = min(wanted.width, seen.width)
            wanted.height = min(wanted.height, seen.height)
            if gravity.looksAtPixels { return keep(wanted.size, of: seen, gravity) }
            wanted = gravity.window(wanted.size, in: seen)
        } else if crop.unit == .fraction {
            // The last half of a pixel is that pixel.
            if crop.x < 1 { wanted.x = min(wanted.x, seen.width - 1) }
            if crop.y < 1 { wanted.y = min(wanted.y, seen.height - 1) }
            // Both edges are rounded, not the distance: neighbouring crops neither overlap nor leave a gap.
            wanted.width = max(1, edge(crop.x + crop.width, unit.0) - wanted.x)
            wanted.height = max(1, edge(crop.y + crop.height, unit.1) - wanted.y)
        }
        guard let window = wanted.clamped(to: seen) else {
            throw PictureFailure(.transformFailed, .transform, "the crop \(wanted) lies outside the picture of \(seen)")
        }
        keep(window, of: seen)
    }

    private mutating func add(_ resize: Resize) throws(PictureFailure) {
        let geometry = FitGeometry(
            pending.applied(to: size), width: resize.width, height: resize.height, fit: resize.fit, gravity: resize.gravity,
            enlarge: resize.enlarge)
        try check(geometry, looksAtPixels: resize.gravity.looksAtPixels)
        let scaled = pending.inverse.applied(to: geometry.scaled)
        if scaled != size {
            if resize.isLinear { colour() }
            steps.append(.resize(ResizeStep(from: size, to: scaled, kernel: resize.kernel, isLinear: resize.isLinear)))
            size = scaled
        }
        if let window = geometry.window {
            if resize.gravity.looksAtPixels { keep(window.size, of: geometry.scaled, resize.gravity) } else { keep(window, of: geometry.scaled) }
        }
        if let canvas = geometry.canvas { put(on: canvas.size, x: canvas.x, y: canvas.y, resize.background) }
    }

    /// What is cut off again is not part of the result, but it is not nothing either.
    private func check(_ geometry: FitGeometry, looksAtPixels: Bool) throws(PictureFailure) {
        guard geometry.window != nil else { return }
        let side = max(geometry.scaled.width, geometry.scaled.height)
        if side > Self.mostScaledSide { throw .limit("scaledSide", side, Self.mostScaledSide, .transform) }
        // Only a gravity that says where leaves most of it undone.
        if looksAtPixels { try limits.check(width: geometry.scaled.width, height: geometry.scaled.height, frames: 1, phase: .transform) }
    }

    /// libvips takes nothing longer.
    private static let mostScaledSide = 10_000_000

    private mutating func add(_ rotate: Rotate) throws(PictureFailure) {
        guard let quarters = rotate.quarters else {
            flush()
            colour()
            hasAlpha = hasAlpha || !rotate.background.isOpaque
            let canvas = rotate.expands ? Turn(rotate.angle).box(of: size) : size
            steps.append(.rotate(RotateStep(angle: rotate.angle, size: canvas, background: rotate.background)))
            size = canvas
            return
        }
        let before = pending.applied(to: size)
        pending = pending.then(Orientation(quarters: quarters))
        if !rotate.expands { try add(Resize(width: before.width, height: before.height, fit: .none, background: rotate.background)) }
    }

    private mutating func add(_ extend: Extend) throws(PictureFailure) {
        let seen = pending.applied(to: size)
        let (left, top) = (max(0, -extend.left), max(0, -extend.top))
        let kept = PictureWindow(
            x: left, y: top, width: seen.width - left - max(0, -extend.right), height: seen.height - top - max(0, -extend.bottom))
        guard kept.width > 0, kept.height > 0 else {
            throw PictureFailure(.transformFailed, .transform, "the inset leaves nothing of a picture of \(seen)")
        }
        keep(kept, of: seen)
        let canvas = PictureSize(
            kept.width + max(0, extend.left) + max(0, extend.right), kept.height + max(0, extend.top) + max(0, extend.bottom))
        put(on: canvas, x: max(0, extend.left), y: max(0, extend.top), extend.color)
    }

    private mutating func add(_ pad: Pad) {
        let seen = pending.applied(to: size)
        var canvas = PictureSize(max(seen.width, pad.width ?? 0), max(seen.height, pad.height ?? 0))
        if let aspect = pad.aspect {
            canvas.width = max(canvas.width, Int((Double(canvas.height) * aspect).rounded()))
            canvas.height = max(canvas.height, Int((Double(canvas.width) / aspect).rounded()))
        }
        let at = pad.gravity.offset(spare: PictureSize(canvas.width - seen.width, canvas.height - seen.height))
        put(on: canvas, x: at.x, y: at.y, pad.color)
    }

    /// Puts the picture, as it is seen, on a canvas.
    private mutating func put(on canvas: PictureSize, x: Int, y: Int, _ background: Color) {
        let seen = pending.applied(to: size)
        guard canvas != seen else { return }
        hasAlpha = hasAlpha || !background.isOpaque && (canvas.width > seen.width || canvas.height > seen.height)
        colour()
        let at = pending.inverse.applied(to: PictureWindow(x: x, y: y, width: seen.width, height: seen.height), in: canvas)
        size = pending.inverse.applied(to: canvas)
        steps.append(.canvas(CanvasStep(size: size, x: at.x, y: at.y, background: background)))
    }

    /// Keeps a window that the pixels will place: upright ones, for what draws the eye in a picture on its side is something else.
    private mutating func keep(_ wanted: PictureSize, of seen: PictureSize, _ gravity: Gravity) {
        guard wanted != seen else { return }
        flush()
        colour()
        size = wanted
        steps.append(.smartCrop(SmartCropStep(size: size, byAttention: gravity == .attention)))
    }

    private mutating func keep(_ window: PictureWindow, of seen: PictureSize) {
        let lying = pending.inverse.applied(to: window, in: seen)
        guard lying.size != size else { return }
        steps.append(.crop(lying))
        size = lying.size
    }

    private mutating func flush() {
        guard pending != .upright else { return }
        steps.append(.turn(pending))
        size = pending.applied(to: size)
        pending = .upright
    }

    private mutating func colour() {
        guard !isColoured else { return }
        isColoured = true
        // A turn only moves pixels: colours may change before it as well, while lines still stream.
        let at = steps.last.map { if case .turn = $0 { steps.count - 1 } else { steps.count } } ?? 0
        steps.insert(keepsProfile ? .ownColour : .colour, at: at)
    }
}

extension TintypeImages.Operation {
    /// Whether something may show through what a filter leaves.
    fileprivate func leavesAlpha(of hasAlpha: Bool) -> Bool {
        switch self {
        case .background(let step): hasAlpha && !step.color.isOpaque
        case .roundCorners(let step): hasAlpha || step.radius > 0 || step.borderWidth > 0 && step.join != .miter
        case .mask: true
        case .tint(let step): hasAlpha || step.blend == nil && !step.color.isOpaque
        default: hasAlpha
        }
    }
}
