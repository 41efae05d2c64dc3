import ImageHeads

extension PictureRun {
    /// The frames that are wanted below each other, in their order.
    /// - Parameter streams: whether they are still to be read from the source.
    func moving(
        _ source: VipsImage, _ plan: PicturePlan, _ encoder: PictureEncoder?, _ share: ClosedRange<Double>, streams: Bool
    ) throws(PictureFailure) -> VipsImage {
        // Frames that come in another order than they are read have to be there when they are wanted; what lies between them never is.
        let isInOrder = zip(plan.frames, plan.frames.dropFirst()).allSatisfy { $0 < $1 }
        let held = isInOrder ? [:] : try self.held(plan, of: source, share.firstHalf, streams: streams)
        let rest = isInOrder ? share : share.secondHalf
        var frames: [VipsImage] = []
        var next = 0
        for (index, number) in plan.frames.enumerated() {
            let share = rest.part(index, of: plan.frames.count)
            if isInOrder, streams { try passOver(next..<number, of: source, plan.load, share) }
            next = number + 1
            let part = if let held = held[number] { held } else { try part(number, of: source, plan.load) }
            frames.append(try frame(part, plan, plan.steps.indices, encoder, share, streams: streams && isInOrder))
        }
        if frames.count == 1 { return frames[0] }
        return try transform { () throws(VipsError) in
            try VipsOperation("arrayjoin").set("in", frames).set("across", 1).image()
        }
    }

    private func part(_ number: Int, of source: VipsImage, _ load: LoadPlan) throws(PictureFailure) -> VipsImage {
        let window = PictureWindow(x: 0, y: number * load.size.height, width: source.width, height: load.size.height)
        return try transform { () throws(VipsError) in try CropStep.apply(window, to: source) }
    }

    /// The frames that are wanted, in memory, by their number among those that are read.
    private func held(
        _ plan: PicturePlan, of source: VipsImage, _ share: ClosedRange<Double>, streams: Bool
    ) throws(PictureFailure) -> [Int: VipsImage] {
        var held: [Int: VipsImage] = [:]
        var next = 0
        let wanted = Set(plan.frames).sorted()
        for (index, number) in wanted.enumerated() {
            let share = share.part(index, of: wanted.count)
            if streams { try passOver(next..<number, of: source, plan.load, share) }
            next = number + 1
            held[number] = try compute(part(number, of: source, plan.load), .decode, share)
        }
        return held
    }

    /// Reads frames that nobody wants. libvips before 8.16 would have all of them in memory at once on its way to the next that is wanted.
    private func passOver(
        _ frames: Range<Int>, of source: VipsImage, _ load: LoadPlan, _ share: ClosedRange<Double>
    ) throws(PictureFailure) {
        try clock.check(.decode, share.lowerBound)
        guard !frames.isEmpty else { return }
        clock.begin(readsFirst ? .transform : .decode)
        let started = ContinuousClock.now
        defer { timings.decode += ContinuousClock.now - started }
        let height = load.size.height
        let window = PictureWindow(x: 0, y: frames.lowerBound * height, width: source.width, height: frames.count * height)
        do throws(VipsError) { try run(throughAllOf: CropStep.apply(window, to: source), share.lowerBound...share.lowerBound) } catch {
            throw failure(error, .badImageData, .decode)
        }
    }
}
