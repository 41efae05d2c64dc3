package import ImageHeads
import PNG
import TintypeCore
package import TintypeImages

/// A run of plans on one source: decode, steps, encode. Blocks; belongs to one thread.
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
    /// Whether the source is read to its end before any other work. A crash of the process in this part is then the source's fault, and a later
    /// one is not. Otherwise lines are decoded, changed and encoded by turns.
    package var readsFirst = false
    /// The formats that other pictures may have.
    package var formats = Set(ImageFormat.decodable)
    /// The load plan, if the encoder's image still reads from the source.
    private(set) var streamed: LoadPlan?
    /// The number of times that pixels were computed into memory.
    private(set) var computations = 0
    /// The pixels of a source that was read whole.
    package internal(set) var whole: VipsImage?
    /// The planes of a decoded AVIF.
    package private(set) var planes: AV1Picture?
    private(set) var isMoreToCome = false
    /// The other pictures of the present rendition.
    private(set) var layers: PictureLayers?
    /// Whether the rendition stays in the color space of its source's profile.
    private var keepsProfile = false
    /// The crop windows that the first frame's content has determined, by step.
    private var placed: [Int: PictureWindow] = [:]
    /// Those windows in the order of their steps.
    var smartWindows: [PictureWindow] { placed.sorted { $0.key < $1.key }.map(\.value) }
    /// The drawn texts of the rendition, by step; nil if nothing is visible.
    var drawn: [Int: TextDrawing.Drawn?] = [:]
    /// The other pictures, fitted for the rendition.
    var fitted = FittedLayers()
    package let facts: ImageProperties
    /// The format of the file. A RAW file differs from its picture, a JPEG.
    package let container: ImageFormat
    /// The frames of an animated PNG.
    let animation: PNGAnimation?
    let gif: AnimatedGIF?
    /// The frames of an AVIF that moves.
    let sequence: AVIFSequence?
    /// The seconds spent so far: reading the source with the steps that run meanwhile, steps over pixels in memory, encoding.
    package internal(set) var timings = PictureTimings()

    /// Reads the header.
    /// - Parameters:
    ///   - source: must stay valid and unchanged as long as this object and all images made by it.
    ///   - graphs: for results that can be made by planes; nil: everything goes through libvips.
    ///   - isLibpngUsed: whether libpng reads and writes every PNG; otherwise only those that the module `PNG` leaves to it.
    ///   - encoders: the formats that this build writes.
    /// - Throws: `PictureFailure` of phase decode.
    package convenience init(
        _ source: UnsafeRawBufferPointer, format: ImageFormat, limits: ImageLimits, clock: PictureClock, graphs: PlanarGraphs? = nil,
        isLibpngUsed: Bool = false, encoders: Set<ImageFormat> = Set(ImageFormat.encodable)
    ) throws(PictureFailure) {
        try self.init(
            PictureLoader(opening: source, format), format, limits: limits, clock: clock, graphs: graphs, isLibpngUsed: isLibpngUsed, encoders: encoders)
    }

    /// Reads the header that a loader opens.
    /// - Parameter container: the format of the file.
    init(
        _ loader: PictureLoader, _ container: ImageFormat, limits: ImageLimits, clock: PictureClock, graphs: PlanarGraphs? = nil, isLibpngUsed: Bool,
        encoders: Set<ImageFormat>
    ) throws(PictureFailure) {
        let started = ContinuousClock.now
        clock.begin(.decode)
        try clock.check(.decode)
        var loader = loader
        gif = loader.format == .gif ? try AnimatedGIF(loader.source, limits: limits, clock: clock) : nil
        sequence = loader.format == .avif && !loader.showsThumbnail ? AVIFSequence(ByteReader(bytes: loader.source)) : nil
        if let sequence { try limits.check(sequence.header) }
        header =
            if let gif { gif.template } else if let sequence { try AnimatedAVIF.template(sequence, loader) } else { try loader.header(within: limits) }
        self.loader = loader
        let (source, format) = (loader.source, loader.format)
        // Such a header says nothing about the pixels, or allows all damage.
        isHeaderSpent = format.codec.isReadHere || sequence != nil || loader.isOpaqueByDamage(header)
        var facts = PictureLoader.facts(of: header, format)
        facts.isSequence = sequence != nil
        // A file's first page is not always the one that it wants shown.
        if facts.primaryPage > 0 { facts = try loader.facts(facts, showing: facts.primaryPage) }
        // The same values as the header guard has read.
        let reader = ByteReader(bytes: source)
        let animation = format == .png && PNGHeader.mayMove(reader) ? PNGAnimation(reader) : nil
        self.animation = animation.flatMap { $0.isMoving ? $0 : nil }
        if let animation = self.animation { (facts.frames, facts.hasAlpha) = (animation.count, facts.hasAlpha || animation.showsThrough) }
        facts.highRange = loader.highRange(header)
        if graphs != nil, facts.frames == 1, !facts.hasAlpha, ColorStep.isKnown(header) { facts.sampling = format.codec.sampling(source) }
        (self.facts, self.container) = (facts, container)
        (self.source, self.graphs, self.isLibpngUsed) = (source, graphs, isLibpngUsed)
        self.limits = limits
        self.clock = clock
        self.encoders = encoders
        try limits.check(facts)
        timings.decode += ContinuousClock.now - started
    }

    /// Uses pixels that were decoded before, and keeps decoded pixels for other runs.
    /// - Parameters:
    ///   - pixels: `whole` of a run on the same source; nil if there are none.
    ///   - planes: `planes` of that run.
    ///   - isMoreToCome: whether another run will use the pixels.
    package func adoptDecoded(_ pixels: VipsImage?, _ planes: AV1Picture? = nil, isMoreToCome: Bool) {
        (whole, self.planes, self.isMoreToCome) = (pixels, planes, isMoreToCome)
    }

    /// Makes one result.
    /// - Parameters:
    ///   - progress: the part of the whole work, for progress.
    ///   - blur: a blur at the end, as a radius in pixels of the result.
    ///   - layers: the bytes of the other pictures, in the order of `Rendition.layers`; valid until this method returns.
    /// - Throws: `PictureFailure`.
    package func render(
        _ rendition: Rendition, progress: ClosedRange<Double> = 0...1, blur: Double = 0, layers bytes: [UnsafeRawBufferPointer] = []
    ) throws(PictureFailure) -> EncodedPicture {
        if rendition.decode.isThumbnail {
            return try wanted(by: rendition) { run, rendition throws(PictureFailure) in
                try run.render(rendition, progress: progress, blur: blur, layers: bytes)
            }
        }
        layers = PictureLayers(rendition.layers, bytes, limits: limits, formats: formats, clock: clock)
        defer { layers = nil }
        let speed = rendition.decode.speed
        let facts = try facts(for: rendition.decode)
        let settled = try settled(rendition, facts)
        clock.begin(.transform)
        var exact = try PicturePlanner.exact(facts, settled, limits, encoders: encoders)
        let gainMap = try blur > 0 ? nil : gainMap(for: exact, progress)
        if gainMap != nil, exact.output.options.gainMap(in: exact.output.format) == .apply {
            // The map fits the colors that it was made for.
            var own = settled
            own.output.profile = .keep
            exact = try PicturePlanner.exact(facts, own, limits, encoders: encoders)
        }
        if blur > 0 { exact.steps.append(.filter(AnyOperation(Blur(sigma: blur)))) }
        if let graphs, let plan = PlanarPlan(exact, facts, speed: speed) {
            var run = PlanarRun(source: source, plan: plan, graphs: graphs, clock: clock, density: JPEGDensity(header), picture: planes)
            defer { planes = run.picture }
            if let pixels = try run.render(progress, &timings) {
                let quality = plan.output.options.quality(in: plan.output.format)
                let rights = plan.output.options.metadata(in: plan.output.format) == .copyright ? CopyrightEXIF(of: header) : nil
                let picture = rights?.join(to: pixels, plan.output.format, size: plan.size) ?? pixels
                let bytes = try kept(gainMap, exact)?.join(to: picture) ?? picture
                return EncodedPicture(bytes: bytes, format: plan.output.format, size: plan.size, frames: 1, quality: quality)
            }
        }
        let plan = LoadShrink.apply(to: exact, facts, speed: speed)
        var encoder = PictureEncoder(output: plan.output, isLibpngUsed: isLibpngUsed)
        let picture = try pixels(plan, encoder, progress.firstHalf)
        var image = try applied(gainMap, exact, to: picture)
        let isApplied = image !== picture
        (encoder.gainMap, encoder.colors) = (try kept(gainMap, exact), isApplied ? HDRComposition.colors : plan.output.colors)
        let progress = progress.secondHalf
        if plan.output.format.codec.isSlow || clockWatches(image) { clock.expectWork() }
        clock.begin(.encode)
        try clock.check(.encode, progress.lowerBound)
        let started = ContinuousClock.now
        defer { timings.encode += ContinuousClock.now - started }
        do throws(VipsError) {
            image = try frameHeader(image, plan, isUpright: rendition.isUpright, hasGainMap: encoder.gainMap != nil || isApplied)
        } catch {
            throw failure(error, .encodeFailed, .encode)
        }
        let (bytes, quality) = try encode(image, encoder, progress)
        // Encoders merge a frame with an equal frame before it.
        let frames = plan.frameCount > 1 ? bytes.withBytes { ImageHeader.read($0, as: plan.output.format)?.frames } ?? plan.frameCount : 1
        return EncodedPicture(bytes: bytes, format: plan.output.format, size: plan.size, frames: frames, quality: quality)
    }

    /// Returns the picture as a viewer shows it, in memory: upright, in sRGB or gray, one frame.
    /// - Parameters:
    ///   - operations: the operations to apply.
    ///   - profile: the color space to convert to instead.
    /// - Throws: `PictureFailure`.
    func picture(_ operations: [AnyOperation] = [], in profile: [UInt8]? = nil) throws(PictureFailure) -> VipsImage {
        var rendition = Rendition(operations: operations, output: OutputOptions(format: .png))
        rendition.decode.frames = .first
        if profile != nil { rendition.output.profile = .keep }
        let plan = try PicturePlanner.plan(facts, rendition, limits)
        guard let profile else { return try pixels(plan, nil, 0...0) }
        // The color of a canvas is already one of that color space.
        let moving = plan.steps.firstIndex { if case .canvas = $0 { true } else { false } } ?? plan.steps.count
        var before = plan
        before.steps.removeSubrange(moving...)
        let image = try pixels(before, nil, 0...0)
        let moved = try transform { () throws(VipsError) in try LayerColors.moved(image, to: profile) }
        return moved === image && moving == plan.steps.count ? image : try frame(moved, plan, moving..<plan.steps.count, nil, 0...0, streams: false)
    }

    /// Returns the color space for other pictures that are laid on this one; nil: sRGB.
    func ownProfile(of image: VipsImage) -> [UInt8]? { keepsProfile ? ColorStep.profile(of: image) : nil }

    /// Returns the facts of the wanted page. For an animation the planner chooses the frame.
    func facts(for options: DecodeOptions) throws(PictureFailure) -> ImageProperties {
        guard let page = options.page, !facts.mayMove else { return facts }
        let number = try facts.number(of: page)
        let shown = try loader.facts(facts, showing: number)
        try limits.check(shown)
        return shown
    }

    func pixels(_ plan: PicturePlan, _ encoder: PictureEncoder?, _ progress: ClosedRange<Double>) throws(PictureFailure) -> VipsImage {
        (placed, drawn, fitted, streamed) = ([:], [:], FittedLayers(), nil)
        keepsProfile = plan.output.options.keepsProfile(in: plan.output.format)
        if plan.animation == nil, plan.frames.count > 1, let drawn = try draw(plan.load) {
            return try moving(.drawn(drawn), plan, encoder, progress)
        }
        let (opened, streams) = try self.source(plan.load, progress.firstHalf)
        let source = plan.output.colors == nil ? opened : try transform { () throws(VipsError) in try loader.encoded(opened) }
        // A source that was read to its end has used the first half.
        let progress = streams && !readsFirst ? progress : progress.secondHalf
        if let animation = plan.animation {
            return try animated(
                frame(source, plan, 0..<animation.start, nil, progress.firstHalf, streams: streams), plan, animation, encoder, progress.secondHalf)
        }
        guard plan.load.frames > 1 || plan.frames.count > 1 else {
            return try frame(source, plan, plan.steps.indices, encoder, progress, streams: streams)
        }
        return try moving(.strip(source, streams: streams), plan, encoder, progress)
    }

    /// Runs one frame through some of the steps. The result is computed into memory unless it is large.
    /// - Parameter streams: whether the pixels are still to be read from the source; otherwise they are in memory.
    func frame(
        _ image: VipsImage, _ plan: PicturePlan, _ steps: Range<Int>, _ encoder: PictureEncoder?, _ progress: ClosedRange<Double>, streams: Bool
    ) throws(PictureFailure) -> VipsImage {
        var image = image
        var streams = streams
        // Whether there are steps that have not been computed yet.
        var isPending = streams
        // Each computation is a part of the progress. The last one follows the steps.
        let passes = 1 + steps.count { plan.steps[$0].needsMemory }
        var pass = 0
        for index in steps {
            let step = plan.steps[index]
            try clock.check(.transform, progress.part(pass, of: passes).lowerBound)
            // A step over neighborhoods would run all pending steps again for each overlapping tile, and those steps theirs.
            if step.needsMemory, streams || isPending && image.byteCount <= Self.maxTwice {
                image = try compute(image, streams ? .decode : .transform, progress.part(pass, of: passes))
                (streams, isPending) = (false, false)
            }
            if step.needsMemory { pass += 1 }
            let input = image
            image = try applied(step, index, to: input)
            // A part of a picture in memory is in memory as well.
            if case .crop = step {} else { isPending = isPending || image !== input }
        }
        let input = image
        if let encoder { image = try transform { () throws(VipsError) in try encoder.prepare(input, isMoving: plan.frameCount > 1) } }
        // Large results are never whole in memory: the encoder pulls their lines through the steps.
        // With a byte limit or a likeness the picture is encoded more than once, so it is computed.
        let isEncodedOnce = plan.output.options.maxBytes == nil && plan.output.options.likeness(in: plan.output.format) == nil
        let isLarge = image.byteCount > Self.mostInMemory && plan.frameCount == 1 && encoder != nil && isEncodedOnce
        if isLarge, streams { streamed = plan.load }
        return isLarge ? image : try compute(image, streams ? .decode : .transform, progress.part(pass, of: passes))
    }

    /// - Parameter index: the index of the step. Windows and drawings of the first frame serve the others.
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

    /// The most bytes of a picture that may be in memory before and after a step. For a larger one the steps run by tiles.
    private static let maxTwice = 192 << 20

    /// The most bytes of a result that is computed before it is encoded.
    static let mostInMemory = 64 << 20

    /// Computes pixels now: in phase decode while the source is read, in phase transform afterwards.
    func compute(_ image: VipsImage, _ phase: PictureFailure.Phase, _ progress: ClosedRange<Double>) throws(PictureFailure)
        -> VipsImage
    {
        clock.begin(readsFirst ? .transform : phase)
        computations += 1
        return try timed(phase == .decode ? \.decode : \.transform) { () throws(PictureFailure) in
            do throws(VipsError) { return try image.computed(watcher: clock.watcher(phase, progress)) } catch {
                throw failure(error, phase == .decode ? .badImageData : .transformFailed, phase)
            }
        }
    }

    /// Does a part of the work, and counts its time.
    func timed<Made, Failed>(_ part: WritableKeyPath<PictureTimings, Duration>, _ work: () throws(Failed) -> Made) throws(Failed) -> Made {
        let started = ContinuousClock.now
        defer { timings[keyPath: part] += ContinuousClock.now - started }
        return try work()
    }

    func transform<Made>(_ body: () throws(VipsError) -> Made) throws(PictureFailure) -> Made {
        clock.begin(.transform)
        do throws(VipsError) { return try body() } catch { throw failure(error, .transformFailed, .transform) }
    }

    func failure(_ error: VipsError, _ reason: PictureFailure.Reason, _ phase: PictureFailure.Phase) -> PictureFailure {
        if clock.stopped != nil { return clock.failure(phase) }
        return reason == .badImageData ? loader.damage(error) : PictureFailure(reason, phase, error.description)
    }
}
