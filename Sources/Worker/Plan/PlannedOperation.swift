import ImageHeads
import TintypeImages

/// An operation that changes the size of a picture, or how it lies: the planner does it on numbers first. One file each.
protocol PlannedOperation: ImageOperation {
    /// Puts its steps behind those of the planner.
    /// - Throws: `PictureFailure` for a result that cannot be.
    func add(to planner: inout PicturePlanner) throws(PictureFailure)
}

// Done elsewhere: the EXIF orientation before all other steps, frames when the source is opened, trim by `TrimFinder` before the plan,
// animate by the planner itself, which must see what follows it.
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
