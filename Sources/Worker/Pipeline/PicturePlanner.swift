package import Shared

/// Turns facts about a source and a request into a plan. Pure: tables of tests say what it decides.
package struct PicturePlanner {
    private var steps: [PlanStep] = []
    /// The picture as it lies, after the steps so far.
    private var size: PictureSize
    /// What is still to be done to it before a person looks at it.
    private var pending: Orientation
    private var isColoured = false

    private init(_ facts: SourceFacts, _ rendition: Rendition) {
        size = facts.size
        pending = rendition.isUpright ? Orientation(exif: facts.orientation) : .upright
    }

    /// - Throws: `PictureFailure`: a limit of the source's frames or of the result, or a crop outside the picture.
    package static func plan(_ facts: SourceFacts, _ rendition: Rendition, _ limits: ImageLimits) throws(PictureFailure)
        -> PicturePlan
    {
        let output = PictureOutput(format: format(facts, rendition.output), options: rendition.output)
        let load = try loading(facts, rendition, output.format, limits)
        var planner = PicturePlanner(facts, rendition)
        for operation in rendition.operations {
            try planner.add(operation)
            try limits.check(width: planner.size.width, height: planner.size.height, frames: load.frames, phase: .transform)
        }
        planner.flush()
        planner.colour()
        let side = max(planner.size.width, planner.size.height)
        let most = output.format.maxEncodedSide
        if side > most { throw .limit("\(output.format.rawValue) side", side, most, .encode) }
        let plan = PicturePlan(load: load, steps: planner.steps, size: planner.size, output: output)
        return LoadShrink.apply(to: plan, speed: rendition.decode.speed)
    }

    /// The source's own format if it can be written, else one that keeps its transparency.
    private static func format(_ facts: SourceFacts, _ output: OutputOptions) -> ImageFormat {
        if let format = output.format { return format }
        if ImageFormat.encodable.contains(facts.format) { return facts.format }
        return facts.hasAlpha ? .png : .jpeg
    }

    private static func loading(_ facts: SourceFacts, _ rendition: Rendition, _ output: ImageFormat, _ limits: ImageLimits)
        throws(PictureFailure) -> LoadPlan
    {
        let wantsAll = rendition.decode.frames == .all && facts.format.isAnimatable && output.isAnimatable
        let frames = wantsAll ? facts.frames : 1
        try limits.check(width: facts.size.width, height: facts.size.height, frames: frames)
        let bytes = facts.size.width * facts.size.height * frames * 4
        if let most = rendition.decode.limitBytes, bytes > most { throw .limit("limitBytes", bytes, most) }
        let failOn = DecodeOptions.FailOn.allCases.firstIndex(of: rendition.decode.failOn) ?? 1
        return LoadPlan(format: facts.format, page: facts.primaryPage, frames: frames, size: facts.size, failOn: failOn)
    }

    private mutating func add(_ operation: Shared.Operation) throws(PictureFailure) {
        switch operation {
        case .autorotate: break
        case .flip(let flip):
            if flip.horizontal { pending = pending.then(.mirror) }
            if flip.vertical { pending = pending.then(.upsideDown) }
        case .rotate(let rotate): pending = pending.then(Orientation(quarters: rotate.angle / 90))
        case .crop(let crop): try add(crop)
        case .resize(let resize): add(resize)
        }
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
            (wanted.x, wanted.y) = gravity.offset(spare: PictureSize(seen.width - wanted.width, seen.height - wanted.height))
        } else if crop.unit == .fraction {
            // Both edges are rounded, not the distance: neighbouring crops neither overlap nor leave a gap.
            wanted.width = max(1, edge(crop.x + crop.width, unit.0) - wanted.x)
            wanted.height = max(1, edge(crop.y + crop.height, unit.1) - wanted.y)
        }
        guard let window = wanted.clamped(to: seen) else {
            throw PictureFailure(.transformFailed, .transform, "the crop \(wanted) lies outside the picture of \(seen)")
        }
        keep(window, of: seen)
    }

    private mutating func add(_ resize: Resize) {
        let geometry = FitGeometry(
            pending.applied(to: size), width: resize.width, height: resize.height, fit: resize.fit, gravity: resize.gravity,
            enlarge: resize.enlarge)
        let scaled = pending.inverse.applied(to: geometry.scaled)
        if scaled != size {
            steps.append(.resize(ResizeStep(from: size, to: scaled)))
            size = scaled
        }
        if let window = geometry.window { keep(window, of: geometry.scaled) }
        guard let canvas = geometry.canvas else { return }
        colour()
        let inner = PictureWindow(x: canvas.x, y: canvas.y, width: geometry.scaled.width, height: geometry.scaled.height)
        let at = pending.inverse.applied(to: inner, in: canvas.size)
        size = pending.inverse.applied(to: canvas.size)
        steps.append(.canvas(CanvasStep(size: size, x: at.x, y: at.y, background: resize.background)))
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
        steps.insert(.colour, at: at)
    }
}
