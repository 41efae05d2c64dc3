import ImageHeads
import TintypeImages

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
