import ImageHeads
import TintypeImages

/// An operation that changes the size or orientation of a picture. The planner applies it to numbers first. One file each.
protocol PlannedOperation: ImageOperation {
    /// Adds its steps after those of the planner.
    /// - Throws: `PictureFailure` for an impossible result.
    func add(to planner: inout PicturePlanner) throws(PictureFailure)
}

// Done elsewhere: the EXIF orientation before all other steps, frames when the source is opened, and trim by `TrimFinder` before the plan. The planner
// itself handles animate, because it has to see the operations that follow.
extension Autorotate: PlannedOperation { func add(to planner: inout PicturePlanner) {} }
extension Frames: PlannedOperation { func add(to planner: inout PicturePlanner) {} }
extension Trim: PlannedOperation { func add(to planner: inout PicturePlanner) {} }
extension Animate: PlannedOperation { func add(to planner: inout PicturePlanner) {} }

extension Text: PlannedOperation {
    func add(to planner: inout PicturePlanner) {
        planner.flush()
        planner.colour()
        planner.steps.append(.filter(AnyOperation(self)))
    }
}
