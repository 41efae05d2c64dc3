import ImageHeads
import TintypeImages

/// An operation that changes the size or orientation of a picture. The planner applies it to numbers first.
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
        planner.color()
        planner.steps.append(.filter(AnyOperation(self)))
    }
}

extension PlanStep {
    func apply(to image: VipsImage) throws(VipsError) -> VipsImage {
        switch self {
        case .crop(let window): try CropStep.apply(window, to: image)
        case .resize(let step): try step.apply(to: image)
        case .color: try ColorStep.apply(to: image)
        case .ownColor: try ColorStep.keep(image)
        case .turn(let orientation): try TurnStep.apply(orientation, to: image)
        case .canvas(let step): try step.apply(to: image)
        case .smartCrop(let step): try CropStep.apply(step.window(in: image), to: image)
        case .rotate(let step): try step.apply(to: image)
        case .filter(let operation): try operation.filter?.apply(to: image) ?? image
        }
    }
}
