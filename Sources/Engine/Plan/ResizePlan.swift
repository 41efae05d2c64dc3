import ImageHeads
import TintypeImages

extension Resize: PlannedOperation {
    func add(to planner: inout PicturePlanner) throws(PictureFailure) {
        let geometry = FitGeometry(planner.seen, self)
        try check(geometry, planner.limits)
        let scaled = planner.pending.inverse.applied(to: geometry.scaled)
        if scaled != planner.size {
            if isLinear { planner.colour() }
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
