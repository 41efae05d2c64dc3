import ImageHeads

/// The origin of a source's frames.
enum FrameSource {
    /// Frames below each other in one picture, which is still to be read or is in memory.
    case strip(VipsImage, streams: Bool)
    /// Frames that are drawn when they are needed.
    case drawn(DrawnFrames)

    /// Whether the pixels are still to be read, in the order of the lines.
    fileprivate var streams: Bool {
        switch self {
        case .strip(_, let streams): streams
        case .drawn: false
        }
    }
}

extension PictureRun {
    /// Returns the wanted frames below each other, in their order.
    func moving(
        _ source: FrameSource, _ plan: PicturePlan, _ encoder: PictureEncoder?, _ progress: ClosedRange<Double>
    ) throws(PictureFailure) -> VipsImage {
        // Frames in another order than the source's have to be in memory. Frames between them never are.
        let isInOrder = zip(plan.frames, plan.frames.dropFirst()).allSatisfy { $0 < $1 }
        let held = isInOrder ? [:] : try self.held(plan, of: source, progress.firstHalf)
        let rest = isInOrder ? progress : progress.secondHalf
        var frames: [VipsImage] = []
        var next = 0
        for (index, number) in plan.frames.enumerated() {
            let progress = rest.part(index, of: plan.frames.count)
            if isInOrder { try passOver(next..<number, of: source, plan.load, progress) }
            next = number + 1
            let part = if let held = held[number] { held } else { try part(number, of: source, plan.load, progress) }
            frames.append(try frame(part, plan, plan.steps.indices, encoder, progress, streams: isInOrder && source.streams))
        }
        return try stacked(frames)
    }

    /// Lays frames below each other.
    func stacked(_ frames: [VipsImage]) throws(PictureFailure) -> VipsImage {
        if frames.count == 1 { return frames[0] }
        return try transform { () throws(VipsError) in try VipsOperation("arrayjoin").set("in", frames).set("across", 1).image() }
    }

    private func part(_ number: Int, of source: FrameSource, _ load: LoadPlan, _ progress: ClosedRange<Double>) throws(PictureFailure) -> VipsImage {
        switch source {
        case .strip(let strip, _):
            let window = PictureWindow(x: 0, y: number * load.size.height, width: strip.width, height: load.size.height)
            return try transform { () throws(VipsError) in try CropStep.apply(window, to: strip) }
        case .drawn(let drawn): return try frame(load.page + number, of: drawn, progress)
        }
    }

    /// Returns the wanted frames in memory, by their number among the frames that are read.
    private func held(
        _ plan: PicturePlan, of source: FrameSource, _ progress: ClosedRange<Double>
    ) throws(PictureFailure) -> [Int: VipsImage] {
        var held: [Int: VipsImage] = [:]
        var next = 0
        let wanted = Set(plan.frames).sorted()
        for (index, number) in wanted.enumerated() {
            let progress = progress.part(index, of: wanted.count)
            try passOver(next..<number, of: source, plan.load, progress)
            next = number + 1
            held[number] = try compute(part(number, of: source, plan.load, progress), .decode, progress)
        }
        return held
    }

    /// Reads and drops unwanted frames. libvips before 8.16 would hold all of them in memory on the way to the next wanted frame.
    private func passOver(
        _ frames: Range<Int>, of source: FrameSource, _ load: LoadPlan, _ progress: ClosedRange<Double>
    ) throws(PictureFailure) {
        guard case .strip(let strip, streams: true) = source else { return }
        try clock.check(.decode, progress.lowerBound)
        guard !frames.isEmpty else { return }
        clock.begin(readsFirst ? .transform : .decode)
        let started = ContinuousClock.now
        defer { timings.decode += ContinuousClock.now - started }
        let height = load.size.height
        let window = PictureWindow(x: 0, y: frames.lowerBound * height, width: strip.width, height: frames.count * height)
        do throws(VipsError) { try run(throughAllOf: CropStep.apply(window, to: strip), progress.lowerBound...progress.lowerBound) } catch {
            throw failure(error, .badImageData, .decode)
        }
    }
}
