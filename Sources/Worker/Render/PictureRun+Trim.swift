import ImageHeads
import TintypeImages

extension PictureRun {
    /// The same with every trim replaced by the crop that it comes to, so that a plan can be made from sizes alone.
    func settled(_ rendition: Rendition, _ facts: SourceFacts) throws(PictureFailure) -> Rendition {
        var rendition = rendition
        while let index = rendition.operations.firstIndex(where: { if case .trim = $0 { true } else { false } }) {
            guard case .trim(let trim) = rendition.operations[index] else { break }
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
            rendition.operations[index] = .crop(Crop(x: window.x, y: window.y, width: window.width, height: window.height))
        }
        return rendition
    }

    /// What of the operations behind a trim counts for it: that the picture lies as it is stored, and which frames there will be.
    private static func counting(_ rest: ArraySlice<TintypeImages.Operation>) -> [TintypeImages.Operation] {
        var counting: [TintypeImages.Operation] = []
        var isAnimated = false
        for operation in rest {
            switch operation {
            case .autorotate: counting.append(operation)
            case .frames where !isAnimated: counting.append(operation)
            case .animate:
                // It begins with one frame; what is chosen behind it is of its own.
                isAnimated = true
                counting.append(.frames(Frames(first: 1)))
            default: break
            }
        }
        return counting
    }
}
