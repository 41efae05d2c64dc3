import ImageHeads
package import TintypeImages

/// The frames that a plan makes from a still picture, or from several pictures.
package struct AnimationPlan: Sendable, Hashable {
    package let animate: Animate
    /// The number of steps before the animation. They make the first frame, or the sheet.
    package let start: Int
    /// The size of one new frame.
    package let size: PictureSize
    /// The frames of the result among all possible ones, in its order.
    package let frames: [Int]
    /// The factor by which the frames are faster than requested.
    package let pace: Double

    func window(of frame: Int, in sheet: Animate.Sheet) -> PictureWindow {
        PictureWindow(x: frame % sheet.columns * size.width, y: frame / sheet.columns * size.height, width: size.width, height: size.height)
    }
}

extension Extend: PlannedOperation {
    func add(to planner: inout PicturePlanner) throws(PictureFailure) {
        let seen = planner.seen
        let (cutLeft, cutTop) = (max(0, -left), max(0, -top))
        let kept = PictureWindow(x: cutLeft, y: cutTop, width: seen.width - cutLeft - max(0, -right), height: seen.height - cutTop - max(0, -bottom))
        guard kept.width > 0, kept.height > 0 else {
            throw PictureFailure(.transformFailed, .transform, "the inset leaves nothing of a picture of \(seen)")
        }
        planner.keep(kept, of: seen)
        let canvas = PictureSize(kept.width + max(0, left) + max(0, right), kept.height + max(0, top) + max(0, bottom))
        planner.put(on: canvas, x: max(0, left), y: max(0, top), color)
    }
}

extension Pad: PlannedOperation {
    func add(to planner: inout PicturePlanner) {
        let seen = planner.seen
        var canvas = PictureSize(max(seen.width, width ?? 0), max(seen.height, height ?? 0))
        if let aspect {
            canvas.width = max(canvas.width, Int((Double(canvas.height) * aspect).rounded()))
            canvas.height = max(canvas.height, Int((Double(canvas.width) / aspect).rounded()))
        }
        let at = gravity.offset(of: seen, in: canvas)
        planner.put(on: canvas, x: at.x, y: at.y, color)
    }
}

extension Crop: PlannedOperation {
    func add(to planner: inout PicturePlanner) throws(PictureFailure) {
        let seen = planner.seen
        let (across, down) = unit == .px ? (1.0, 1.0) : (Double(seen.width), Double(seen.height))
        func edge(_ value: Double, _ unit: Double) -> Int { Int((value * unit).rounded()) }
        var wanted = PictureWindow(
            x: edge(x, across), y: edge(y, down), width: width.map { max(1, edge($0, across)) } ?? seen.width,
            height: height.map { max(1, edge($0, down)) } ?? seen.height)
        if let gravity {
            wanted.width = min(wanted.width, seen.width)
            wanted.height = min(wanted.height, seen.height)
            if gravity.looksAtPixels { return planner.keep(wanted.size, of: seen, gravity) }
            wanted = gravity.window(wanted.size, in: seen)
        } else if unit == .fraction {
            // A start in the last half of a pixel counts as that pixel.
            if x < 1 { wanted.x = min(wanted.x, seen.width - 1) }
            if y < 1 { wanted.y = min(wanted.y, seen.height - 1) }
            // Both edges are rounded, not the distance, so that neighboring crops neither overlap nor leave a gap.
            wanted.width = width.map { max(1, edge(x + $0, across) - wanted.x) } ?? seen.width
            wanted.height = height.map { max(1, edge(y + $0, down) - wanted.y) } ?? seen.height
        }
        guard let window = wanted.clamped(to: seen) else {
            throw PictureFailure(.transformFailed, .transform, "the crop \(wanted) lies outside the picture of \(seen)")
        }
        planner.keep(window, of: seen)
    }
}

extension Resize: PlannedOperation {
    func add(to planner: inout PicturePlanner) throws(PictureFailure) {
        let geometry = FitGeometry(planner.seen, self)
        try check(geometry, planner.limits)
        let scaled = planner.pending.inverse.applied(to: geometry.scaled)
        if scaled != planner.size {
            if isLinear { planner.color() }
            planner.steps.append(.resize(ResizeStep(from: planner.size, to: scaled, kernel: kernel, isLinear: isLinear)))
            planner.size = scaled
        }
        if let window = geometry.window {
            if gravity.looksAtPixels { planner.keep(window.size, of: geometry.scaled, gravity) } else { planner.keep(window, of: geometry.scaled) }
        }
        if let canvas = geometry.canvas { planner.put(on: canvas.size, x: canvas.x, y: canvas.y, background) }
    }

    /// Checks the scaled size. Pixels that are cut off again are not part of the result, but have to be made.
    private func check(_ geometry: FitGeometry, _ limits: ImageLimits) throws(PictureFailure) {
        guard geometry.window != nil else { return }
        let side = max(geometry.scaled.width, geometry.scaled.height)
        if side > Self.maxScaledSide { throw .limit("scaledSide", side, Self.maxScaledSide, .transform) }
        // With any other gravity most of these pixels are never computed.
        if gravity.looksAtPixels { try limits.check(width: geometry.scaled.width, height: geometry.scaled.height, frames: 1, phase: .transform) }
    }

    /// The longest side that libvips accepts.
    private static let maxScaledSide = 10_000_000
}

extension Rotate: PlannedOperation {
    func add(to planner: inout PicturePlanner) throws(PictureFailure) {
        guard let quarters else {
            planner.flush()
            planner.color()
            planner.hasAlpha = planner.hasAlpha || !background.isOpaque
            let canvas = expands ? Turn(angle).box(of: planner.size) : planner.size
            planner.steps.append(.rotate(RotateStep(angle: angle, size: canvas, background: background)))
            planner.size = canvas
            return
        }
        let before = planner.seen
        planner.pending = planner.pending.then(Orientation(quarters: quarters))
        if !expands { try Resize(width: before.width, height: before.height, fit: .none, background: background).add(to: &planner) }
    }
}

extension Flip: PlannedOperation {
    func add(to planner: inout PicturePlanner) {
        if horizontal { planner.pending = planner.pending.then(.mirror) }
        if vertical { planner.pending = planner.pending.then(.upsideDown) }
    }
}
