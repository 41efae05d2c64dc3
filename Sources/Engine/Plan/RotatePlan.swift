import ImageHeads
import TintypeImages

extension Rotate: PlannedOperation {
    func add(to planner: inout PicturePlanner) throws(PictureFailure) {
        guard let quarters else {
            planner.flush()
            planner.colour()
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
