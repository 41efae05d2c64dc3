package import Shared

/// Carries out plans on one source: decode, steps, encode. Blocks; belongs to one thread.
package final class PictureRun {
    let loader: PictureLoader
    let limits: ImageLimits
    let clock: PictureClock
    private let encoders: Set<ImageFormat>
    let header: VipsImage
    private let source: UnsafeRawBufferPointer
    private let graphs: PlanarGraphs?
    private var isHeaderSpent = false
    /// Of the other pictures that the rendition in work needs.
    private(set) var layers: PictureLayers?
    /// Where the first frame of what is being made was cut by its content, by step.
    private var placed: [Int: PictureWindow] = [:]
    /// Texts that were drawn for it, by step; nil where there is nothing to be seen.
    var drawn: [Int: VipsImage?] = [:]
    package let facts: SourceFacts
    /// Seconds spent so far: reading the source with the steps that ride on it, steps over pixels in memory, encoding.
    package private(set) var timings = PictureTimings()

    /// Reads the header.
    /// - Parameters:
    ///   - source: must stay valid and unchanged as long as this object and all images made by it.
    ///   - graphs: for results that can be made by planes; nil: everything goes through libvips.
    ///   - encoders: the formats that can be written here.
    /// - Throws: `PictureFailure` of phase decode.
    package init(
        _ source: UnsafeRawBufferPointer, format: ImageFormat, limits: ImageLimits, clock: PictureClock, graphs: PlanarGraphs? = nil,
        encoders: Set<ImageFormat> = Set(ImageFormat.encodable)
    ) throws(PictureFailure) {
        let started = ContinuousClock.now
        try clock.check(.decode)
        loader = PictureLoader(source: source, format: format)
        header = try loader.header()
        var facts = PictureLoader.facts(of: header, format)
        // A file's first page is not always the one it wants shown; that one's size counts.
        if facts.primaryPage > 0 {
            let plan = LoadPlan(format: format, page: facts.primaryPage, frames: 1, size: facts.size)
            let primary = try loader.open(plan)
            facts.size = PictureSize(primary.width, primary.height)
            facts.hasAlpha = primary.hasAlpha
        }
        if graphs != nil, format == .jpeg, ColourStep.isKnown(header) { facts.sampling = JPEGPlanes.sampling(of: source) }
        self.facts = facts
        (self.source, self.graphs) = (source, graphs)
        self.limits = limits
        self.clock = clock
        self.encoders = encoders
        try limits.check(ImageHeader(format: format, width: facts.size.width, height: facts.size.height))
        timings.decode += ContinuousClock.now - started
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
        var exact = try PicturePlanner.exact(facts, settled(rendition), limits, encoders: encoders)
        if blur > 0 { exact.steps.append(.filter(.blur(Blur(sigma: blur)))) }
        if let graphs, let planes = PlanarPlan(exact, facts, speed: speed) {
            let run = PlanarRun(source: source, plan: planes, graphs: graphs, clock: clock)
            if let bytes = try run.render(share, &timings) {
                let quality = planes.output.options.quality(in: planes.output.format)
                return EncodedPicture(bytes: bytes, format: planes.output.format, size: planes.size, frames: 1, quality: quality)
            }
        }
        let plan = LoadShrink.apply(to: exact, speed: speed)
        let encoder = PictureEncoder(output: plan.output)
        var image = try pixels(plan, encoder, share)
        if isSlow(plan.output.format) || clockWatches(image) { clock.expectWork() }
        try clock.check(.encode, share.lowerBound)
        let frames = plan.frameCount
        let started = ContinuousClock.now
        defer { timings.encode += ContinuousClock.now - started }
        do throws(VipsError) { image = try frameHeader(image, plan, isUpright: rendition.isUpright) } catch {
            throw failure(error, .encodeFailed, .encode)
        }
        let (bytes, quality) = try encode(image, plan.output, share)
        return EncodedPicture(bytes: bytes, format: plan.output.format, size: plan.size, frames: frames, quality: quality)
    }

    /// Encodes within the limit of bytes, if there is one.
    /// - Returns: the file and its quality, if that means anything.
    private func encode(_ image: VipsImage, _ output: PictureOutput, _ share: ClosedRange<Double>) throws(PictureFailure) -> (VipsBytes, quality: Int?) {
        let isLossy = output.options.isLossy(in: output.format)
        let asked = output.options.quality(in: output.format)
        guard let most = output.options.maxBytes else { return (try encoded(image, output, share), isLossy ? asked : nil) }
        guard isLossy, let asked else {
            let bytes = try encoded(image, output, share)
            if bytes.count > most { throw .limit("output.maxBytes", bytes.count, most, .encode) }
            return (bytes, nil)
        }
        let search = QualitySearch<VipsBytes>(mostBytes: most, asked: asked)
        let result = try search.find { quality throws(PictureFailure) in
            try clock.check(.encode, share.lowerBound)
            var output = output
            output.options.quality = quality
            let bytes = try encoded(image, output, share)
            return (bytes, bytes.count)
        }
        switch result {
        case .found(let bytes, let quality): return (bytes, quality)
        case .tooLarge(let smallest): throw .limit("output.maxBytes", smallest, most, .encode)
        }
    }

    private func encoded(_ image: VipsImage, _ output: PictureOutput, _ share: ClosedRange<Double>) throws(PictureFailure) -> VipsBytes {
        let encoder = PictureEncoder(output: output)
        do throws(VipsError) {
            guard clockWatches(image) else { return try encoder.encode(image) }
            let watched = try VipsOperation("copy").set("in", image).image()
            watched.watch(clock.watcher(.encode, share))
            return try encoder.encode(watched)
        } catch {
            throw failure(error, .encodeFailed, .encode)
        }
    }

    /// The picture as a viewer sees it, in memory: upright, in sRGB or grey, one frame.
    /// - Parameter operations: that are done to it.
    /// - Throws: `PictureFailure`.
    func picture(_ operations: [Shared.Operation] = []) throws(PictureFailure) -> VipsImage {
        try pixels(PicturePlanner.plan(facts, Rendition(operations: operations, output: OutputOptions(format: .png)), limits), nil, 0...0)
    }

    /// The same with every trim replaced by the crop that it comes to, so that a plan can be made from sizes alone.
    private func settled(_ rendition: Rendition) throws(PictureFailure) -> Rendition {
        var rendition = rendition
        while let index = rendition.operations.firstIndex(where: { if case .trim = $0 { true } else { false } }) {
            guard case .trim(let trim) = rendition.operations[index] else { break }
            var before = rendition
            // What follows does not count, but for the word that the picture lies as it is stored.
            let rest = rendition.operations[index...].filter { if case .autorotate = $0 { true } else { false } }
            before.operations.replaceSubrange(index..., with: rest)
            let plan = try PicturePlanner.plan(facts, before, limits, encoders: encoders)
            let image = try pixels(plan, nil, 0...0)
            let window: PictureWindow
            do throws(VipsError) { window = try TrimFinder(trim).window(in: image, size: plan.size, frames: plan.frameCount) } catch {
                throw failure(error, .transformFailed, .transform)
            }
            rendition.operations[index] = .crop(Crop(x: window.x, y: window.y, width: window.width, height: window.height))
        }
        return rendition
    }

    /// Encoders that take long even for small pictures.
    private func isSlow(_ format: ImageFormat) -> Bool { [.avif, .heif, .jxl].contains(format) }

    /// Small pictures are encoded in less time than asking the clock takes.
    private func clockWatches(_ image: VipsImage) -> Bool { image.byteCount > 1 << 20 }

    func pixels(_ plan: PicturePlan, _ encoder: PictureEncoder?, _ share: ClosedRange<Double>) throws(PictureFailure) -> VipsImage {
        // The header's image is read in sequence, so it serves one result only; the next one opens the source again.
        let isFirst = !isHeaderSpent && plan.load.isPlain && facts.primaryPage == 0
        isHeaderSpent = isHeaderSpent || isFirst
        let source = isFirst ? header : try loader.open(plan.load)
        (placed, drawn) = ([:], [:])
        if let animation = plan.animation {
            return try animated(frame(source, plan, 0..<animation.start, nil, share), plan, animation, encoder, share)
        }
        guard plan.load.frames > 1 || plan.frames.count > 1 else { return try frame(source, plan, plan.steps.indices, encoder, share) }
        // Frames that come in another order than they are read have to be there when they are wanted.
        let isInOrder = zip(plan.frames, plan.frames.dropFirst()).allSatisfy { $0 < $1 }
        let strip = isInOrder ? source : try compute(source, .decode, share)
        var frames: [VipsImage] = []
        for (index, number) in plan.frames.enumerated() {
            let window = PictureWindow(x: 0, y: number * plan.load.size.height, width: strip.width, height: plan.load.size.height)
            let part = try transform { () throws(VipsError) in try CropStep.apply(window, to: strip) }
            let width = (share.upperBound - share.lowerBound) / Double(plan.frames.count)
            let from = share.lowerBound + width * Double(index)
            frames.append(try frame(part, plan, plan.steps.indices, encoder, from...(from + width)))
        }
        if frames.count == 1 { return frames[0] }
        return try transform { () throws(VipsError) in
            try VipsOperation("arrayjoin").set("in", frames).set("across", 1).image()
        }
    }

    /// One frame through some of the steps, computed into memory unless it is large.
    /// - Parameter streams: whether its pixels are still to be read from the source.
    func frame(
        _ image: VipsImage, _ plan: PicturePlan, _ steps: Range<Int>, _ encoder: PictureEncoder?, _ share: ClosedRange<Double>, streams: Bool = true
    ) throws(PictureFailure) -> VipsImage {
        var image = image
        var streams = streams
        for index in steps {
            let step = plan.steps[index]
            try clock.check(.transform, share.lowerBound)
            if streams, step.needsMemory {
                image = try compute(image, .decode, share)
                streams = false
            }
            if case .filter(.text(let text)) = step {
                image = try draw(text, step: index, on: image)
                continue
            }
            let input = image
            if case .filter(let operation) = step, let needed = operation.layer, let filter = operation.layerFilter {
                guard let layer = try layers?.image(needed) else { throw PictureFailure(.transformFailed, .transform, "another picture has not come") }
                image = try transform { () throws(VipsError) in try filter.apply(layer, to: input) }
                continue
            }
            image = try transform { () throws(VipsError) in
                guard case .smartCrop(let crop) = step else { return try step.apply(to: input) }
                if let window = placed[index] { return try CropStep.apply(window, to: input) }
                let window = try crop.window(in: input)
                placed[index] = window
                return try CropStep.apply(window, to: input)
            }
        }
        let input = image
        if let encoder { image = try transform { () throws(VipsError) in try encoder.prepare(input) } }
        // Large results are never whole in memory: the encoder pulls their lines through the steps.
        // One that is searched for is encoded more than once.
        let isLarge = image.byteCount > 64 << 20 && plan.frameCount == 1 && encoder != nil && plan.output.options.maxBytes == nil
        return isLarge ? image : try compute(image, streams ? .decode : .transform, share)
    }

    /// Computes pixels now: in phase decode while the source is read, in phase transform once it was.
    private func compute(_ image: VipsImage, _ phase: PictureFailure.Phase, _ share: ClosedRange<Double>) throws(PictureFailure)
        -> VipsImage
    {
        let started = ContinuousClock.now
        defer {
            let spent = ContinuousClock.now - started
            if phase == .decode { timings.decode += spent } else { timings.transform += spent }
        }
        do throws(VipsError) { return try image.computed(watcher: clock.watcher(phase, share)) } catch {
            throw failure(error, phase == .decode ? .badImageData : .transformFailed, phase)
        }
    }

    func transform<Made>(_ body: () throws(VipsError) -> Made) throws(PictureFailure) -> Made {
        do throws(VipsError) { return try body() } catch { throw failure(error, .transformFailed, .transform) }
    }

    private func failure(_ error: VipsError, _ reason: PictureFailure.Reason, _ phase: PictureFailure.Phase) -> PictureFailure {
        clock.stopped == nil ? PictureFailure(reason, phase, error.description) : clock.failure(phase)
    }

    private static let animation = ["page-height", "n-pages", "delay", "loop", "gif-delay", "gif-loop"]

    /// The header an encoder needs: frames below each other with their delays, or none of that; and of what the source says
    /// of itself only what is to be carried along.
    private func frameHeader(_ image: VipsImage, _ plan: PicturePlan, isUpright: Bool) throws(VipsError) -> VipsImage {
        let isAnimated = plan.frameCount > 1
        let carried = CarriedHeader(output: plan.output.options, format: plan.output.format, isUpright: isUpright)
        let image = try image.withHeader { header in
            carried.apply(to: header)
            if !isAnimated { header.removeAll { name in Self.animation.contains { name.hasPrefix($0) } } }
        }
        guard isAnimated else { return image }
        let all = header.ints("delay") ?? []
        let delays = plan.delays(of: all)
        let loop = plan.animation?.animate.loop ?? header.int("loop")
        return try image.withHeader { header in
            header.set("page-height", plan.size.height)
            header.set("n-pages", plan.frameCount)
            if !delays.isEmpty { header.set("delay", delays) }
            if let loop { header.set("loop", loop) }
        }
    }
}

extension LoadPlan {
    /// Opened the way the header was.
    var isPlain: Bool { shrink == 1 && scale == 1 && page == 0 && frames == 1 && failOn == 1 }
}

extension PlanStep {
    func apply(to image: VipsImage) throws(VipsError) -> VipsImage {
        switch self {
        case .crop(let window): try CropStep.apply(window, to: image)
        case .resize(let step): try step.apply(to: image)
        case .colour: try ColourStep.apply(to: image)
        case .ownColour: try ColourStep.keep(image)
        case .turn(let orientation): try TurnStep.apply(orientation, to: image)
        case .canvas(let step): try step.apply(to: image)
        case .smartCrop(let step): try CropStep.apply(step.window(in: image), to: image)
        case .rotate(let step): try step.apply(to: image)
        case .filter(let operation): try operation.filter?.apply(to: image) ?? image
        }
    }
}

/// A finished result, still in libvips' memory.
package struct EncodedPicture {
    package let bytes: VipsBytes
    package let format: ImageFormat
    package let size: PictureSize
    package let frames: Int
    /// What a lossy encoder was given.
    package let quality: Int?
}

/// Where the time of a picture went.
package struct PictureTimings: Sendable, Hashable {
    /// Reading the source, with the steps that are done line by line while it is read.
    package var decode = Duration.zero
    package var transform = Duration.zero
    package var encode = Duration.zero
    package init() {}
}
