import ImageHeads
import TintypeImages

extension PictureRun {
    /// The same with every trim replaced by the crop that it comes to, so that a plan can be made from sizes alone.
    func settled(_ rendition: Rendition, _ facts: SourceFacts) throws(PictureFailure) -> Rendition {
        var rendition = rendition
        while let index = rendition.operations.firstIndex(where: { $0.is(Trim.self) }), let trim = rendition.operations[index].as(Trim.self) {
            var before = rendition
            before.operations.replaceSubrange(index..., with: Self.counting(rendition.operations[(index + 1)...]))
            let plan = try PicturePlanner.plan(facts, before, limits, encoders: encoders)
            let image = try pixels(plan, nil, 0...0)
            let window: PictureWindow
            clock.begin(.transform)
            do throws(VipsError) { window = try TrimFinder(trim, hasSpecks: loader.isLossy).window(in: image, size: plan.size, frames: plan.frameCount) } catch
            {
                throw failure(error, .transformFailed, .transform)
            }
            rendition.operations[index] = AnyOperation(
                Crop(x: window.x, y: window.y, width: window.width, height: window.height))
        }
        return rendition
    }

    /// What of the operations behind a trim counts for it: that the picture lies as it is stored, and which frames there will be.
    private static func counting(_ rest: ArraySlice<AnyOperation>) -> [AnyOperation] {
        var counting: [AnyOperation] = []
        var isAnimated = false
        for operation in rest {
            if operation.is(Autorotate.self) || operation.is(Frames.self) && !isAnimated {
                counting.append(operation)
            } else if operation.is(Animate.self) {
                // It begins with one frame; what is chosen behind it is of its own.
                isAnimated = true
                counting.append(AnyOperation(Frames(first: 1)))
            }
        }
        return counting
    }
}
