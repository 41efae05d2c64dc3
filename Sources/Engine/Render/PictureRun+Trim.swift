import ImageHeads
import TintypeImages

extension PictureRun {
    /// Replaces every trim by the crop that it amounts to, so that a plan can be made from sizes alone.
    func settled(_ rendition: Rendition, _ facts: ImageProperties) throws(PictureFailure) -> Rendition {
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
            rendition.operations[index] = AnyOperation(Crop(x: window.x, y: window.y, width: window.width, height: window.height))
        }
        return rendition
    }

    /// Returns the later operations that matter for a trim: autorotate and the choice of frames. A trim works on the picture as it is stored.
    private static func counting(_ rest: ArraySlice<AnyOperation>) -> [AnyOperation] {
        var counting: [AnyOperation] = []
        var isAnimated = false
        for operation in rest {
            if operation.is(Autorotate.self) || operation.is(Frames.self) && !isAnimated {
                counting.append(operation)
            } else if operation.is(Animate.self) {
                // An animation begins with one frame. A later choice of frames is about the animation's own frames.
                isAnimated = true
                counting.append(AnyOperation(Frames(first: 1)))
            }
        }
        return counting
    }
}
