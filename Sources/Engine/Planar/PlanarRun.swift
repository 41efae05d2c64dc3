import ImageHeads
import TintypeCore
import TintypeImages

/// A run of a planar plan: planes from the decoder, each resized alone, turned, and given to the encoder.
struct PlanarRun {
    let source: UnsafeRawBufferPointer
    let plan: PlanarPlan
    let graphs: PlanarGraphs
    let clock: PictureClock
    /// The pixel density of the source, which a JPEG result keeps.
    let density: JPEGDensity
    /// The AVIF's picture, decoded before or by this run.
    private(set) var picture: AV1Picture?

    /// - Parameter progress: the part of the whole work, for progress.
    /// - Returns: nil if the planes differ from the plan. libvips then reports the picture's fault, or repairs it.
    /// - Throws: `PictureFailure` if the time is up or the job was canceled.
    mutating func render(_ progress: ClosedRange<Double>, _ timings: inout PictureTimings) throws(PictureFailure) -> VipsBytes? {
        clock.begin(.decode)
        try clock.check(.decode, progress.lowerBound)
        guard
            let decoded = try timed(&timings.decode, .decode, { () throws(PlaneFailure) in try decoded(watch(.decode, progress.firstHalf)) })
        else { return nil }
        clock.begin(.transform)
        try clock.check(.transform, progress.secondHalf.lowerBound)
        guard let planes = try timed(&timings.transform, .transform, { () throws(PlaneFailure) in try transformed(decoded) }) else { return nil }
        if planes[0].size.width * planes[0].size.height * planes.count > 1 << 20 { clock.expectWork() }
        clock.begin(.encode)
        try clock.check(.encode, progress.secondHalf.lowerBound)
        return try timed(&timings.encode, .encode, { () throws(PlaneFailure) in VipsBytes(adopting: try encoded(planes, watch(.encode, progress.secondHalf))) })
    }

    private mutating func decoded(_ watch: PlanarWatch) throws(PlaneFailure) -> [Plane] {
        if plan.source == .webp { return try WebPPlanes.decode(source, plan, watch: watch) }
        guard plan.source == .avif else { return try JPEGPlanes.decode(source, plan, watch: watch) }
        let whole: AV1Picture
        if let picture { whole = picture } else { whole = try AV1Picture(source) }
        // A picture that differs from its boxes is not kept.
        let planes = try whole.planes(plan)
        picture = whole
        return planes
    }

    private func encoded(_ planes: [Plane], _ watch: PlanarWatch) throws(PlaneFailure) -> UnsafeMutableRawBufferPointer {
        let (format, options) = (plan.output.format, plan.output.options)
        let quality = options.quality(in: format) ?? 0
        if format == .webp { return try WebPPlanes.encode(planes, quality: quality, effort: options.effort(in: format) ?? 0, watch: watch) }
        return try JPEGPlanes.encode(planes, quality: quality, isProgressive: options.isProgressive, density: density, watch: watch)
    }

    private func transformed(_ decoded: [Plane]) throws(PlaneFailure) -> [Plane] {
        var planes: [Plane] = []
        for (plane, part) in zip(decoded, plan.planes) {
            // The numbers of the smaller range are rounded more. So a picture that becomes smaller is rounded in the larger one.
            if plan.range == .widened { plan.range.apply(to: plane, isColor: !planes.isEmpty) }
            guard let result = graphs.resize(plane, part, plan.filter)?.turned(plan.turn) else { throw .refused }
            if plan.range == .narrowed { plan.range.apply(to: result, isColor: !planes.isEmpty) }
            planes.append(result)
        }
        return planes
    }

    private func watch(_ phase: PictureFailure.Phase, _ progress: ClosedRange<Double>) -> PlanarWatch {
        PlanarWatch { clock.goesOn(phase, progress, $0) }
    }

    private func timed<Result>(_ spent: inout Duration, _ phase: PictureFailure.Phase, _ body: () throws(PlaneFailure) -> Result)
        throws(PictureFailure) -> Result?
    {
        let started = ContinuousClock.now
        defer { spent += ContinuousClock.now - started }
        do throws(PlaneFailure) { return try body() } catch {
            if error == .stopped { throw clock.failure(phase) }
            return nil
        }
    }
}
