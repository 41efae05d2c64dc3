package import ImageHeads
package import TintypeImages

/// Turns the facts about a source and a request into a plan. Pure: tables of tests list its decisions.
package struct PicturePlanner {
    var steps: [PlanStep] = []
    /// The size of the picture as it is stored, after the steps so far.
    var size: PictureSize
    /// The orientation that is still to be applied before the picture is shown.
    var pending: Orientation
    private var isColored = false
    /// Whether the picture may be transparent.
    var hasAlpha: Bool
    /// The size as a viewer shows the picture.
    var seen: PictureSize { pending.applied(to: size) }
    let limits: ImageLimits
    private let keepsProfile: Bool
    /// Whether the output can be animated.
    private let isAnimated: Bool
    private var animation: AnimationPlan?

    private init(_ facts: ImageProperties, _ rendition: Rendition, _ output: ImageFormat, _ limits: ImageLimits) {
        self.limits = limits
        keepsProfile = rendition.output.keepsProfile(in: output)
        isAnimated = rendition.moves(as: output, facts)
        (size, hasAlpha) = (facts.size, facts.hasAlpha)
        pending = rendition.isUpright ? Orientation(exif: facts.orientation) : .upright
    }

    /// - Throws: `PictureFailure`: a limit of the source's frames or of the result, or a crop outside the picture.
    /// - Parameter encoders: the formats that this build writes.
    package static func plan(
        _ facts: ImageProperties, _ rendition: Rendition, _ limits: ImageLimits, encoders: Set<ImageFormat> = Set(ImageFormat.encodable)
    ) throws(PictureFailure) -> PicturePlan {
        LoadShrink.apply(to: try exact(facts, rendition, limits, encoders: encoders), facts, speed: rendition.decode.speed)
    }

    /// Makes a plan that leaves nothing to the decoder: all pixels of the source are there, and every coordinate counts them.
    static func exact(
        _ facts: ImageProperties, _ rendition: Rendition, _ limits: ImageLimits, encoders: Set<ImageFormat> = Set(ImageFormat.encodable)
    ) throws(PictureFailure) -> PicturePlan {
        var rendition = rendition
        var output = PictureOutput(format: try format(facts, rendition, limits, encoders), options: rendition.output)
        let choice = try FrameChoice(facts, rendition, isAnimated: rendition.moves(as: output.format, facts), limits)
        if let colors = facts.highRange, choice.frames.count == 1, rendition.output.keepsHDR(in: output.format) {
            output.colors = colors
            (output.options.profile, output.options.bitDepth) = (.srgb, output.options.bitDepth ?? 10)
            rendition.output = output.options
        }
        let options = output.options
        if output.format == .avif && output.colors != nil || options.bitDepth(in: output.format) == 10 && !output.format.writesAllOfTenBits,
            options.isLossless || options.metadata(in: output.format) != .none || options.keepsProfile(in: output.format)
        {
            throw PictureFailure(
                .unsupportedFormat, .encode,
                output.colors == nil
                    ? "\(output.format.rawValue) of 10 bits cannot be written here without loss, or with metadata or a color profile; 8 and 12 bits can"
                    : "an avif with output.hdr keep cannot be written without loss or with metadata; png can")
        }
        let load = loading(facts, rendition, choice)
        let planner = try planned(facts, rendition, choice, output.format, limits)
        let isMoving = (planner.animation?.frames ?? choice.frames).count > 1
        if output.format == .avif, isMoving, options.isLossless {
            throw PictureFailure(.unsupportedFormat, .encode, "an animated avif cannot be written without loss; webp and png can")
        }
        let side = max(planner.size.width, planner.size.height)
        let most = output.format.maxEncodedSide
        if side > most { throw .limit("\(output.format.rawValue) side", side, most, .encode) }
        let (pixels, mostPixels) = (planner.size.width * planner.size.height, output.maxPixels(limits, hasAlpha: planner.hasAlpha, isMoving: isMoving))
        // Refused before the picture is decoded: the encoder would fail after seconds of work. The pixels of frames were checked above.
        if pixels > mostPixels { throw .limit("\(output.format.rawValue) maxPixels", pixels, mostPixels, .encode) }
        return PicturePlan(
            load: load, steps: planner.steps, frames: choice.frames, pace: choice.pace, animation: planner.animation, size: planner.size, output: output)
    }

    /// Returns a planner with all of its steps.
    static func planned(
        _ facts: ImageProperties, _ rendition: Rendition, _ choice: FrameChoice, _ output: ImageFormat, _ limits: ImageLimits
    ) throws(PictureFailure) -> PicturePlanner {
        var planner = PicturePlanner(facts, rendition, output, limits)
        if let most = rendition.decode.limitBytes, let less = limits.smaller(facts.size, toBytes: most / Set(choice.frames).count) {
            try planner.shrink(to: less)
        }
        for (index, operation) in rendition.operations.enumerated() {
            if let animate = operation.as(Animate.self) {
                try planner.add(animate, rendition.operations[(index + 1)...])
            } else {
                try planner.add(operation)
            }
            let frames = planner.animation?.frames.count ?? choice.frames.count
            try limits.check(width: planner.size.width, height: planner.size.height, frames: frames, phase: .transform)
        }
        planner.flush()
        planner.color()
        return planner
    }

    private static func loading(_ facts: ImageProperties, _ rendition: Rendition, _ choice: FrameChoice) -> LoadPlan {
        let failOn = DecodeOptions.FailOn.allCases.firstIndex(of: rendition.decode.failOn) ?? 1
        return LoadPlan(format: facts.format, page: choice.page, frames: choice.loaded, size: facts.size, failOn: failOn)
    }

    /// Adds a resize before all requested operations, so that a codec may decode less.
    /// - Parameter less: the size as the picture is stored.
    private mutating func shrink(to less: PictureSize) throws(PictureFailure) {
        let seen = pending.quarters % 2 == 0 ? less : less.transposed
        try Resize(width: seen.width, height: seen.height, fit: .fill).add(to: &self)
    }

    private mutating func add(_ operation: AnyOperation) throws(PictureFailure) {
        if let planned = operation.base as? any PlannedOperation { return try planned.add(to: &self) }
        guard let filter = operation.base as? any Filter else {
            throw PictureFailure(.transformFailed, .transform, "this worker has no step for the operation \(type(of: operation.base).description.name)")
        }
        hasAlpha = filter.leavesAlpha(of: hasAlpha)
        if !operation.layers.isEmpty || type(of: filter).dependsOnPlace { flush() }
        color()
        steps.append(.filter(operation))
    }

    /// - Parameter rest: the operations that follow, which may choose among the frames.
    private mutating func add(_ animate: Animate, _ rest: ArraySlice<AnyOperation>) throws(PictureFailure) {
        flush()
        color()
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

    /// Puts the picture, as a viewer shows it, on a canvas.
    mutating func put(on canvas: PictureSize, x: Int, y: Int, _ background: Color) {
        let seen = self.seen
        guard canvas != seen else { return }
        hasAlpha = hasAlpha || !background.isOpaque && (canvas.width > seen.width || canvas.height > seen.height)
        color()
        let at = pending.inverse.applied(to: PictureWindow(x: x, y: y, width: seen.width, height: seen.height), in: canvas)
        size = pending.inverse.applied(to: canvas)
        steps.append(.canvas(CanvasStep(size: size, x: at.x, y: at.y, background: background)))
    }

    /// Keeps a window that depends on the pixels. The picture is turned upright first, because on its side other parts draw the eye.
    mutating func keep(_ wanted: PictureSize, of seen: PictureSize, _ gravity: Gravity) {
        guard wanted != seen else { return }
        flush()
        color()
        size = wanted
        steps.append(.smartCrop(SmartCropStep(size: size, byAttention: gravity == .attention)))
    }

    mutating func keep(_ window: PictureWindow, of seen: PictureSize) {
        let lying = pending.inverse.applied(to: window, in: seen)
        guard lying.size != size else { return }
        steps.append(.crop(lying))
        size = lying.size
    }

    mutating func flush() {
        guard pending != .upright else { return }
        steps.append(.turn(pending))
        size = pending.applied(to: size)
        pending = .upright
    }

    mutating func color() {
        guard !isColored else { return }
        isColored = true
        // A turn only moves pixels. The colors are converted before it, while lines still stream.
        let at = steps.last.map { if case .turn = $0 { steps.count - 1 } else { steps.count } } ?? 0
        steps.insert(keepsProfile ? .ownColor : .color, at: at)
    }
}
