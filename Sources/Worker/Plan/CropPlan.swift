import ImageHeads
import TintypeImages

extension Crop: PlannedOperation {
    func add(to planner: inout PicturePlanner) throws(PictureFailure) {
        let seen = planner.seen
        let (across, down) = unit == .px ? (1.0, 1.0) : (Double(seen.width), Double(seen.height))
        func edge(_ value: Double, _ unit: Double) -> Int { Int((value * unit).rounded()) }
        var wanted = PictureWindow(x: edge(x, across), y: edge(y, down), width: max(1, edge(width, across)), height: max(1, edge(height, down)))
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
            wanted.width = max(1, edge(x + width, across) - wanted.x)
            wanted.height = max(1, edge(y + height, down) - wanted.y)
        }
        guard let window = wanted.clamped(to: seen) else {
            throw PictureFailure(.transformFailed, .transform, "the crop \(wanted) lies outside the picture of \(seen)")
        }
        planner.keep(window, of: seen)
    }
}
