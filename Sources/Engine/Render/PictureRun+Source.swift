import ImageHeads
import PNG
import TintypeImages

extension PictureRun {
    /// Computes all pixels and keeps none.
    func run(throughAllOf image: VipsImage, _ progress: ClosedRange<Double>) throws(VipsError) {
        let watched = try VipsOperation("copy").set("in", image).image()
        watched.watch(clock.watcher(.decode, progress))
        var average = try VipsOperation("avg").set("in", watched)
        try average.run()
    }

    /// - Returns: the decoded source, and whether its pixels are still to be read in the order of the lines. Pixels from another rendition are used
    ///   only if this rendition opens the source in the same way.
    func source(_ load: LoadPlan, _ progress: ClosedRange<Double>) throws(PictureFailure) -> (image: VipsImage, streams: Bool) {
        clock.begin(.decode)
        if !load.isFirstPage || animation?.beginsWithPicture != true, let drawn = try draw(load) { return (try frame(load.page, of: drawn, progress), false) }
        // Such a picture is not read like its header, however much damage is allowed.
        let isByPlanes = load.isFirstPage && loader.isReadByPlanes(header)
        if whole == nil, isByPlanes, let read = timed(\.decode, { loader.readPlanes(header) }) {
            if read.byteCount > PNGPixels.mostBytes { return (read, false) }
            whole = read
        }
        if whole == nil, !isHeaderSpent, load.isPlain { whole = try readWhole(progress) }
        if let whole, load.isPlain || isByPlanes { return (whole, false) }
        if readsFirst {
            // Damage is no failure yet: the wanted part may be whole.
            do throws(PictureFailure) { try read(load, progress) } catch { if clock.stopped != nil { throw error } }
        }
        // The header's image is read in sequence, so it serves one result only; the next one opens the source again.
        let isFirst = !isHeaderSpent && load.isPlain && facts.primaryPage == 0
        isHeaderSpent = isHeaderSpent || isFirst
        return (isFirst ? header : try loader.open(load), true)
    }

    /// Returns the frames of a source whose frames are drawn here; nil for others.
    /// - Throws: `badImageData` if frames are missing.
    func draw(_ load: LoadPlan) throws(PictureFailure) -> DrawnFrames? {
        try gif?.check(failOn: load.failOn)
        var painter: (any FramePainter)? = gif
        if let animation { painter = try AnimatedPNG(loader.source, animation, header, failOn: load.failOn, clock: clock) }
        if let sequence { painter = try AnimatedAVIF(loader.source, sequence, header, failOn: load.failOn, clock: clock) }
        return painter.map { DrawnFrames($0, failOn: load.failOn, clock: clock) }
    }

    func frame(_ number: Int, of drawn: DrawnFrames, _ progress: ClosedRange<Double>) throws(PictureFailure) -> VipsImage {
        clock.begin(.decode)
        return try timed(\.decode) { () throws(PictureFailure) in try drawn.frame(number, progress) }
    }

    /// Reads the source to its end and keeps nothing of it.
    /// - Throws: `badImageData` if the source is damaged.
    func read(_ load: LoadPlan, _ progress: ClosedRange<Double>) throws(PictureFailure) {
        clock.begin(.decode)
        let image = try loader.open(load)
        do throws(VipsError) { try run(throughAllOf: image, progress) } catch { throw failure(error, .badImageData, .decode) }
    }

    /// Whether decoding once is cheaper than decoding for each result. JPEG and WebP are not: their decoders can do a part of the work.
    private var isDear: Bool {
        facts.format.codec.isReadWhole && facts.primaryPage == 0 && header.byteCount <= PNGPixels.mostBytes
    }

    private func readWhole(_ progress: ClosedRange<Double>) throws(PictureFailure) -> VipsImage? {
        let started = ContinuousClock.now
        defer { timings.decode += ContinuousClock.now - started }
        if !isLibpngUsed, let whole = loader.whole(header, goesOn: { clock.goesOn(.decode, progress, $0) }) { return whole }
        try clock.check(.decode, progress.lowerBound)
        guard isMoreToCome, isDear else { return nil }
        isHeaderSpent = true
        do throws(VipsError) {
            let pixels = try header.computed(watcher: clock.watcher(.decode, progress))
            // Pixels in memory can be read in any order.
            return try pixels.withHeader { $0.remove("vips-sequential") }
        } catch { throw failure(error, .badImageData, .decode) }
    }
}
