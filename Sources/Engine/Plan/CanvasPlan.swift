import ImageHeads
import TintypeImages

extension Extend: PlannedOperation {
    func add(to planner: inout PicturePlanner) throws(PictureFailure) {
        let seen = planner.seen
        let (cutLeft, cutTop) = (max(0, -left), max(0, -top))
        let kept = PictureWindow(
            x: cutLeft, y: cutTop, width: seen.width - cutLeft - max(0, -right), height: seen.height - cutTop - max(0, -bottom))
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
