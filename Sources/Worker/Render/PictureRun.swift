package import ImageHeads
import PNG
import TintypeCore
package import TintypeImages

/// Carries out plans on one source: decode, steps, encode. Blocks; belongs to one thread.
package final class PictureRun {
    let loader: PictureLoader
    let limits: ImageLimits
    let clock: PictureClock
    let encoders: Set<ImageFormat>
    let header: VipsImage
    private let source: UnsafeRawBufferPointer
    private let graphs: PlanarGraphs?
    let isLibpngUsed: Bool
    var isHeaderSpent = false
    /// Whether the source is read to its end before anything is done to it, for once: what kills the process then is the source's fault, and what
    /// kills it afterwards is not, though lines are decoded, changed and encoded by turns.
    package var readsFirst = false
    /// How the image that is encoded still reads from the source, if it does.
    private(set) var streamed: LoadPlan?
    /// How often pixels were computed into memory.
    private(set) var computations = 0
    /// The pixels of a source that was read whole.
    var whole: VipsImage?
    /// The planes of an AVIF that was decoded.
    private(set) var planes: AV1Picture?
    private(set) var isMoreToCome = false
    /// Of the other pictures that the rendition in work needs.
    private(set) var layers: PictureLayers?
    /// Whether it stays in the colours of its source's profile.
    private var keepsProfile = false
    /// Where the first frame of what is being made was cut by its content, by step.
    private var placed: [Int: PictureWindow] = [:]
    /// Texts that were drawn for it, by step; nil where there is nothing to be seen.
    var drawn: [Int: VipsImage?] = [:]
    /// Other pictures as it needs them.
    var fitted = FittedLayers()
    package let facts: SourceFacts
    /// What the frames of an animated PNG are.
    let animation: PNGAnimation?
    /// Seconds spent so far: reading the source with the steps that ride on it, steps over pixels in memory, encoding.
    package internal(set) var timings = PictureTimings()

    /// Reads the header.
    /// - Parameters:
    ///   - source: must stay valid and unchanged as long as this object and all images made by it.
    ///   - graphs: for results that can be made by planes; nil: everything goes through libvips.
    ///   - isLibpngUsed: for every PNG; else only for those that `PNG` leaves to it.
    ///   - encoders: the formats that can be written here.
    /// - Throws: `PictureFailure` of phase decode.
    package init(
        _ source: UnsafeRawBufferPointer, format: ImageFormat, limits: ImageLimits, clock: PictureClock, graphs: PlanarGraphs? = nil,
        isLibpngUsed: Bool = false, encoders: Set<ImageFormat> = Set(ImageFormat.encodable)
    ) throws(PictureFailure) {
        let started = ContinuousClock.now
        clock.begin(.decode)
        try clock.check(.decode)
        loader = PictureLoader(source: source, format: format)
        header = try loader.header()
        // It says nothing of the pixels, or bears all damage.
        isHeaderSpent = format.codec.isReadHere
        var facts = PictureLoader.facts(of: header, format)
        // A file's first page is not always the one it wants shown.
        if facts.primaryPage > 0 { facts = try loader.facts(facts, showing: facts.primaryPage) }
        // As the guard has seen it.
        let reader = ByteReader(bytes: source)
        let animation = format == .png && PNGHeader.mayMove(reader) ? PNGAnimation(reader) : nil
        self.animation = animation.flatMap { $0.isMoving ? $0 : nil }
        if let animation = self.animation { (facts.frames, facts.hasAlpha) = (animation.count, facts.hasAlpha || animation.showsThrough) }
        if graphs != nil, ColourStep.isKnown(header) { facts.sampling = Self.sampling(of: source, facts) }
        self.facts = facts
        (self.source, self.graphs, self.isLibpngUsed) = (source, graphs, isLibpngUsed)
        self.limits = limits
        self.clock = clock
        self.encoders = encoders
        try limits.check(facts)
        timings.decode += ContinuousClock.now - started
    }

    private static func sampling(of source: UnsafeRawBufferPointer, _ facts: SourceFacts) -> PlaneSampling? {
        switch facts.format {
        case .jpeg: JPEGPlanes.sampling(of: source)
        case .avif: facts.frames == 1 && !facts.hasAlpha ? AVIFCoding(ByteReader(bytes: source))?.sampling : nil
        case .png, .webp, .gif, .tiff, .heif, .jxl, .svg, .pdf, .bmp, .ico, .jp2, .psd: nil
        }
    }

    /// Goes by pixels that were decoded before, and decodes for others too.
    /// - Parameters:
    ///   - pixels: `whole` of a run on the same source; nil: there are none.
    ///   - planes: its `planes`.
    ///   - isMoreToCome: whether they will be given to another run.
    func share(_ pixels: VipsImage?, _ planes: AV1Picture? = nil, isMoreToCome: Bool) {
        (whole, self.planes, self.isMoreToCome) = (pixels, planes, isMoreToCome)
    }

    /// Makes one result.
    /// - Parameters:
    ///   - share: which part of all the work this is, for progress.
    ///   - blur: blurs it at the end, by so many pixels of the result.
    ///   - layers: the bytes of the other pictures it needs, in the order of `Rendition.layers`; valid until this returns.
    /// - Throws: `PictureFailure`.
    package func render(
        _ rendition: Rendition, share: ClosedRange<Double> = 0...1, blur: Double = 0, layers bytes: [UnsafeRawBufferPointer] = []
    ) throws(PictureFailure) -> EncodedPicture {
        layers = PictureLayers(rendition.layers, bytes, limits: limits, clock: clock)
        defer { layers = nil }
        let speed = rendition.decode.speed
        let facts = try facts(for: rendition.decode)
        let settled = try settled(rendition, facts)
        clock.begin(.transform)
        var exact = try PicturePlanner.exact(facts, settled, limits, encoders: encoders)
        if blur > 0 { exact.steps.append(.filter(AnyOperation(Blur(sigma: blur)))) }
        if let graphs, let plan = PlanarPlan(exact, facts, speed: speed) {
            var run = PlanarRun(source: source, plan: plan, graphs: graphs, clock: clock, density: JPEGDensity(header), picture: planes)
            defer { planes = run.picture }
            if let bytes = try run.render(share, &timings) {
                let quality = plan.output.options.quality(in: plan.output.format)
                return EncodedPicture(bytes: bytes, format: plan.output.format, size: plan.size, frames: 1, quality: quality)
            }
        }
        let plan = LoadShrink.apply(to: exact, facts, speed: speed)
        let encoder = PictureEncoder(output: plan.output, isLibpngUsed: isLibpngUsed)
        var image = try pixels(plan, encoder, share.firstHalf)
        let share = share.secondHalf
        if isSlow(plan.output.format) || clockWatches(image) { clock.expectWork() }
        clock.begin(.encode)
        try clock.check(.encode, share.lowerBound)
        let started = ContinuousClock.now
        defer { timings.encode += ContinuousClock.now - started }
        do throws(VipsError) { image = try frameHeader(image, plan, isUpright: rendition.isUpright) } catch {
            throw failure(error, .encodeFailed, .encode)
        }
        let (bytes, quality) = try encode(image, plan.output, share)
        // Encoders show a frame that is like the one before it as one with that.
        let frames = plan.frameCount > 1 ? bytes.withBytes { ImageHeader.read($0, as: plan.output.format)?.frames } ?? plan.frameCount : 1
        return EncodedPicture(bytes: bytes, format: plan.output.format, size: plan.size, frames: frames, quality: quality)
    }

    /// The picture as a viewer sees it, in memory: upright, in sRGB or grey, one frame.
    /// - Parameters:
    ///   - operations: that are done to it.
    ///   - profile: whose colours it is to have instead.
    /// - Throws: `PictureFailure`.
    func picture(_ operations: [AnyOperation] = [], in profile: [UInt8]? = nil) throws(PictureFailure) -> VipsImage {
        var rendition = Rendition(operations: operations, output: OutputOptions(format: .png))
        rendition.decode.frames = .first
        if profile != nil { rendition.output.profile = .keep }
        let plan = try PicturePlanner.plan(facts, rendition, limits)
        guard let profile else { return try pixels(plan, nil, 0...0) }
        // The colour of a canvas is one of that space already.
        let moving = plan.steps.firstIndex { if case .canvas = $0 { true } else { false } } ?? plan.steps.count
        var before = plan
        before.steps.removeSubrange(moving...)
        let image = try pixels(before, nil, 0...0)
        let moved = try transform { () throws(VipsError) in try LayerColours.moved(image, to: profile) }
        return moved === image && moving == plan.steps.count ? image : try frame(moved, plan, moving..<plan.steps.count, nil, 0...0, streams: false)
    }

    /// What another picture's colours have to be in to be laid on this one; nil: sRGB.
    func ownProfile(of image: VipsImage) -> [UInt8]? { keepsProfile ? ColourStep.profile(of: image) : nil }

    /// Of the page that is wanted; of what moves, the planner chooses the frame.
    func facts(for options: DecodeOptions) throws(PictureFailure) -> SourceFacts {
        guard let page = options.page, !facts.mayMove else { return facts }
        let number = try facts.number(of: page)
        let shown = try loader.facts(facts, showing: number)
        try limits.check(shown)
        return shown
    }

    func pixels(_ plan: PicturePlan, _ encoder: PictureEncoder?, _ share: ClosedRange<Double>) throws(PictureFailure) -> VipsImage {
        (placed, drawn, fitted, streamed) = ([:], [:], FittedLayers(), nil)
        keepsProfile = plan.output.options.keepsProfile(in: plan.output.format)
        if let animation, plan.animation == nil, plan.frames.count > 1 {
            return try moving(.drawn(draw(animation, plan.load)), plan, encoder, share)
        }
        let (source, streams) = try source(plan.load, share.firstHalf)
        // What was read to its end has had its half.
        let share = streams && !readsFirst ? share : share.secondHalf
        if let animation = plan.animation {
            return try animated(
                frame(source, plan, 0..<animation.start, nil, share.firstHalf, streams: streams), plan, animation, encoder, share.secondHalf)
        }
        guard plan.load.frames > 1 || plan.frames.count > 1 else {
            return try frame(source, plan, plan.steps.indices, encoder, share, streams: streams)
        }
        return try moving(.strip(source, streams: streams), plan, encoder, share)
    }

    /// One frame through some of the steps, computed into memory unless it is large.
    /// - Parameter streams: whether its pixels are still to be read from the source; else they are in memory.
    func frame(
        _ image: VipsImage, _ plan: PicturePlan, _ steps: Range<Int>, _ encoder: PictureEncoder?, _ share: ClosedRange<Double>, streams: Bool
    ) throws(PictureFailure) -> VipsImage {
        var image = image
        var streams = streams
        // Whether there are steps that no pixel has gone through yet.
        var isPending = streams
        // Each time that pixels are computed is a part of the share, and the last one is behind the steps.
        let passes = 1 + steps.count { plan.steps[$0].needsMemory }
        var pass = 0
        for index in steps {
            let step = plan.steps[index]
            try clock.check(.transform, share.part(pass, of: passes).lowerBound)
            // What looks at a neighbourhood would have all pending steps done anew for each tile that it overlaps, and they theirs.
            if step.needsMemory, streams || isPending && image.byteCount <= Self.mostTwice {
                image = try compute(image, streams ? .decode : .transform, share.part(pass, of: passes))
                (streams, isPending) = (false, false)
            }
            if step.needsMemory { pass += 1 }
            let input = image
            image = try applied(step, index, to: input)
            // A part of what is in memory is there as well.
            if case .crop = step {} else { isPending = isPending || image !== input }
        }
        let input = image
        if let encoder { image = try transform { () throws(VipsError) in try encoder.prepare(input, isMoving: plan.frameCount > 1) } }
        // Large results are never whole in memory: the encoder pulls their lines through the steps.
        // One that is searched for is encoded more than once.
        let isLarge = image.byteCount > 64 << 20 && plan.frameCount == 1 && encoder != nil && plan.output.options.maxBytes == nil
        if isLarge, streams { streamed = plan.load }
        return isLarge ? image : try compute(image, streams ? .decode : .transform, share.part(pass, of: passes))
    }

    /// - Parameter index: its number in the plan: what was found out for the first frame serves the others.
    private func applied(_ step: PlanStep, _ index: Int, to input: VipsImage) throws(PictureFailure) -> VipsImage {
        if case .filter(let operation) = step, let text = operation.as(Text.self) { return try draw(text, step: index, on: input) }
        if case .filter(let operation) = step, let needed = operation.layer, let filter = operation.layerFilter {
            let layer = try fitted(filter, needed, to: input)
            return try transform { () throws(VipsError) in try filter.apply(layer, to: input) }
        }
        return try transform { () throws(VipsError) in
            guard case .smartCrop(let crop) = step else { return try step.apply(to: input) }
            if let window = placed[index] { return try CropStep.apply(window, to: input) }
            let window = try crop.window(in: input)
            placed[index] = window
            return try CropStep.apply(window, to: input)
        }
    }

    /// Of this size a picture may be in memory before a step and after it, in bytes; of a larger one the steps are done by tiles.
    private static let mostTwice = 192 << 20

    /// Computes pixels now: in phase decode while the source is read, in phase transform once it was.
    func compute(_ image: VipsImage, _ phase: PictureFailure.Phase, _ share: ClosedRange<Double>) throws(PictureFailure)
        -> VipsImage
    {
        let started = ContinuousClock.now
        clock.begin(readsFirst ? .transform : phase)
        computations += 1
        defer {
            let spent = ContinuousClock.now - started
            if phase == .decode { timings.decode += spent } else { timings.transform += spent }
        }
        do throws(VipsError) { return try image.computed(watcher: clock.watcher(phase, share)) } catch {
            throw failure(error, phase == .decode ? .badImageData : .transformFailed, phase)
        }
    }

    func transform<Made>(_ body: () throws(VipsError) -> Made) throws(PictureFailure) -> Made {
        clock.begin(.transform)
        do throws(VipsError) { return try body() } catch { throw failure(error, .transformFailed, .transform) }
    }

    func failure(_ error: VipsError, _ reason: PictureFailure.Reason, _ phase: PictureFailure.Phase) -> PictureFailure {
        clock.stopped == nil ? PictureFailure(reason, phase, error.description) : clock.failure(phase)
    }
}
