import TintypeImages

/// Lets the decoder do the coarse part of the first resize: a JPEG at 1/8 costs a small part of the whole one.
enum LoadShrink {
    /// The way of one format.
    /// - Parameter first: the index of the resize.
    typealias Way = @Sendable (_ plan: PicturePlan, _ first: Int, _ resize: ResizeStep, _ facts: ImageProperties, _ speed: DecodeOptions.Speed) -> PicturePlan

    /// Moves a part of the resize into the load if the format, the steps and `speed` allow it.
    static func apply(to plan: PicturePlan, _ facts: ImageProperties, speed: DecodeOptions.Speed) -> PicturePlan {
        if plan.load.format.isDrawing { return drawing(plan) }
        guard speed != .best, plan.animation == nil, let first = plan.steps.firstIndex(where: { if case .resize = $0 { true } else { false } }),
            case .resize(let resize) = plan.steps[first], resize.kernel != .nearest, !resize.isLinear,
            plan.steps[..<first].allSatisfy(\.isScalable)
        else { return plan }
        return plan.load.format.codec.shrink(plan, first, resize, facts, speed)
    }

    /// Renders a drawing at the size of its first resize, also a larger one, if the resize keeps the shape of the whole drawing.
    private static func drawing(_ plan: PicturePlan) -> PicturePlan {
        guard plan.animation == nil, case .resize(let resize)? = plan.steps.first(where: { !$0.isColor }),
            let first = plan.steps.firstIndex(of: .resize(resize)),
            abs(resize.shrinkHorizontal / resize.shrinkVertical - 1) < 0.05
        else { return plan }
        var plan = plan
        plan.load.scale = 1 / min(resize.shrinkHorizontal, resize.shrinkVertical)
        plan.load.size = resize.to
        plan.steps.remove(at: first)
        return plan
    }

    /// Uses the largest of the factors 8, 4 and 2 that still leaves something to resize.
    static func jpeg(_ plan: PicturePlan, _ first: Int, _ resize: ResizeStep, _: ImageProperties, _ speed: DecodeOptions.Speed) -> PicturePlan {
        let factor = min(resize.shrinkHorizontal, resize.shrinkVertical)
        for shrink in [8, 4, 2] where factor >= Double(shrink) {
            guard let steps = shrunk(plan, first, resize, shrink) else { continue }
            // libjpeg rounds up. A resize of less than two percent would only blur, so a larger decode is worth its time.
            if speed != .fast, case .resize(let rest) = steps[first], min(rest.shrinkHorizontal, rest.shrinkVertical) < 1.02 { continue }
            var plan = plan
            plan.load.shrink = shrink
            plan.load.size = PictureSize((plan.load.size.width + shrink - 1) / shrink, (plan.load.size.height + shrink - 1) / shrink)
            plan.steps = steps
            if case .resize(let rest) = steps[first], rest.isNothing { plan.steps.remove(at: first) }
            return plan
        }
        return plan
    }

    /// Returns the steps for a picture loaded at 1/shrink, or nil if a window before the resize would fall between its pixels.
    private static func shrunk(_ plan: PicturePlan, _ first: Int, _ resize: ResizeStep, _ shrink: Int) -> [PlanStep]? {
        var steps = plan.steps
        for index in 0..<first {
            guard case .crop(let window) = steps[index] else { continue }
            guard let smaller = window.divided(by: shrink) else { return nil }
            steps[index] = .crop(smaller)
        }
        steps[first] = .resize(resize.after(shrink: shrink))
        return steps
    }

    /// Returns the size at which libwebp should decode; nil: all pixels. libwebp averages pixels. `fast` uses its picture as it is; `balanced` decodes at
    /// twice the wanted size.
    /// - Parameter factor: the pixels of the source for one of the result, in the direction that has fewer.
    static func averaged(_ size: PictureSize, by factor: Double, _ speed: DecodeOptions.Speed) -> PictureSize? {
        guard speed != .best, factor > rest(speed) * 1.02 else { return nil }
        let scale = rest(speed) / factor
        return PictureSize(max(1, Int((Double(size.width) * scale).rounded())), max(1, Int((Double(size.height) * scale).rounded())))
    }

    /// The factor that libwebp leaves to the resize.
    private static func rest(_ speed: DecodeOptions.Speed) -> Double { speed == .fast ? 1 : 2 }

    /// Scales one opaque picture. libwebp mixes invisible colors into those beside them.
    static func webp(_ plan: PicturePlan, _ first: Int, _ resize: ResizeStep, _ facts: ImageProperties, _ speed: DecodeOptions.Speed) -> PicturePlan {
        let factor = min(resize.shrinkHorizontal, resize.shrinkVertical)
        guard first == 0, plan.load.frames == 1, plan.frames.count == 1, !facts.hasAlpha else { return plan }
        guard let size = averaged(resize.from, by: factor, speed) else { return plan }
        var plan = plan
        plan.load.scale = rest(speed) / factor
        plan.load.size = size
        plan.steps[0] = .resize(ResizeStep(from: plan.load.size, to: resize.to, kernel: resize.kernel))
        return plan
    }
}

extension PlanStep {
    fileprivate var isColor: Bool {
        switch self {
        case .color, .ownColor: true
        case .crop, .resize, .turn, .canvas, .rotate, .smartCrop, .filter: false
        }
    }

    /// Whether the step means the same on a smaller decode. Steps that count pixels do not.
    fileprivate var isScalable: Bool {
        switch self {
        case .crop, .color, .ownColor: true
        case .resize, .turn, .canvas, .rotate, .smartCrop, .filter: false
        }
    }
}
