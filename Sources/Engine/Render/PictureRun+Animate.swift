import ImageHeads
import TintypeImages

extension PictureRun {
    /// Returns the frames of an animation below each other, each after the steps that follow.
    /// - Parameter first: the picture after the earlier steps, in memory.
    func animated(
        _ first: VipsImage, _ plan: PicturePlan, _ animation: AnimationPlan, _ encoder: PictureEncoder?, _ progress: ClosedRange<Double>
    ) throws(PictureFailure) -> VipsImage {
        var frames: [VipsImage] = []
        for (index, number) in animation.frames.enumerated() {
            let progress = progress.part(index, of: animation.frames.count)
            try clock.check(.transform, progress.lowerBound)
            let part = try one(number, of: first, animation)
            frames.append(try frame(part, plan, animation.start..<plan.steps.count, encoder, progress, streams: false))
        }
        return try stacked(frames)
    }

    private func one(_ number: Int, of first: VipsImage, _ animation: AnimationPlan) throws(PictureFailure) -> VipsImage {
        let animate = animation.animate
        if let sheet = animate.sheet {
            return try transform { () throws(VipsError) in try CropStep.apply(animation.window(of: number, in: sheet), to: ColorStep.eightBit(first)) }
        }
        // A single frame may stay as it is. Several frames need the same bands.
        if animation.frames == [0] { return first }
        let picture = number == 0 ? first : try layer(animate.layers[number - 1], fitting: animation, laidOn: first)
        return try transform { () throws(VipsError) in
            let bands = try ColorBands(ColorStep.eightBit(picture), asRGB: true)
            return try bands.joined(alpha: bands.transparency())
        }
    }

    private func layer(_ layer: Layer, fitting animation: AnimationPlan, laidOn first: VipsImage) throws(PictureFailure) -> VipsImage {
        let (size, animate) = (animation.size, animation.animate)
        let fit = Resize(width: size.width, height: size.height, fit: animate.fit, enlarge: true, background: animate.background)
        guard let layers else { throw PictureFailure(.transformFailed, .transform, "another picture is missing") }
        return try layers.image(layer, [AnyOperation(fit)], in: ownProfile(of: first))
    }
}
