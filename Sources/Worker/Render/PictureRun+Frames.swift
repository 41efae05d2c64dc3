import ImageHeads

/// The origin of a source's frames.
enum FrameSource {
    /// Frames below each other in one picture, which is still to be read or is in memory.
    case strip(VipsImage, streams: Bool)
    /// Frames that are drawn when they are needed.
    case drawn(AnimatedPNG)

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
        _ source: FrameSource, _ plan: PicturePlan, _ encoder: PictureEncoder?, _ share: ClosedRange<Double>
    ) throws(PictureFailure) -> VipsImage {
        // Frames in another order than the source's have to be in memory. Frames between them never are.
        let isInOrder = zip(plan.frames, plan.frames.dropFirst()).allSatisfy { $0 < $1 }
        let held = isInOrder ? [:] : try self.held(plan, of: source, share.firstHalf)
        let rest = isInOrder ? share : share.secondHalf
        var frames: [VipsImage] = []
        var next = 0
        for (index, number) in plan.frames.enumerated() {
            let share = rest.part(index, of: plan.frames.count)
            if isInOrder { try passOver(next..<number, of: source, plan.load, share) }
            next = number + 1
            let part = if let held = held[number] { held } else { try part(number, of: source, plan.load, share) }
            frames.append(try frame(part, plan, plan.steps.indices, encoder, share, streams: isInOrder && source.streams))
        }
        if frames.count == 1 { return frames[0] }
        return try transform { () throws(VipsError) in
            try VipsOperation("arrayjoin").set("in", frames).set("across", 1).image()
        }
    }

    private func part(_ number: Int, of source: FrameSource, _ load: LoadPlan, _ share: ClosedRange<Double>) throws(PictureFailure) -> VipsImage {
        switch source {
        case .strip(let strip, _):
            let window = PictureWindow(x: 0, y: number * load.size.height, width: strip.width, height: load.size.height)
            return try transform { () throws(VipsError) in try CropStep.apply(window, to: strip) }
        case .drawn(let drawn): return try frame(load.page + number, of: drawn, share)
        }
    }

    /// Returns the wanted frames in memory, by their number among the frames that are read.
    private func held(
        _ plan: PicturePlan, of source: FrameSource, _ share: ClosedRange<Double>
    ) throws(PictureFailure) -> [Int: VipsImage] {
        var held: [Int: VipsImage] = [:]
        var next = 0
        let wanted = Set(plan.frames).sorted()
        for (index, number) in wanted.enumerated() {
            let share = share.part(index, of: wanted.count)
            try passOver(next..<number, of: source, plan.load, share)
            next = number + 1
            held[number] = try compute(part(number, of: source, plan.load, share), .decode, share)
        }
        return held
    }

    /// Reads and drops unwanted frames. libvips before 8.16 would hold all of them in memory on the way to the next wanted frame.
    private func passOver(
        _ frames: Range<Int>, of source: FrameSource, _ load: LoadPlan, _ share: ClosedRange<Double>
    ) throws(PictureFailure) {
        guard case .strip(let strip, streams: true) = source else { return }
        try clock.check(.decode, share.lowerBound)
        guard !frames.isEmpty else { return }
        clock.begin(readsFirst ? .transform : .decode)
        let started = ContinuousClock.now
        defer { timings.decode += ContinuousClock.now - started }
        let height = load.size.height
        let window = PictureWindow(x: 0, y: frames.lowerBound * height, width: strip.width, height: frames.count * height)
        do throws(VipsError) { try run(throughAllOf: CropStep.apply(window, to: strip), share.lowerBound...share.lowerBound) } catch {
            throw failure(error, .badImageData, .decode)
        }
    }
}
