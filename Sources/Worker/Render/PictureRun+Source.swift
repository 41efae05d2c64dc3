import ImageHeads
import PNG
import TintypeImages

extension PictureRun {
    /// Has all pixels computed, and keeps none.
    func run(throughAllOf image: VipsImage, _ share: ClosedRange<Double>) throws(VipsError) {
        let watched = try VipsOperation("copy").set("in", image).image()
        watched.watch(clock.watcher(.decode, share))
        var average = try VipsOperation("avg").set("in", watched)
        try average.run()
    }

    /// - Returns: the source as it was decoded, and whether its pixels are still to be read, in the order of its lines. Another rendition may have left
    ///   pixels that are not what this one opens.
    func source(_ load: LoadPlan, _ share: ClosedRange<Double>) throws(PictureFailure) -> (image: VipsImage, streams: Bool) {
        clock.begin(.decode)
        if let animation, !load.isFirstPage || !animation.beginsWithPicture { return (try frame(load.page, of: draw(animation, load), share), false) }
        // It is not read the way its header was, whatever damage is borne.
        let isGrey = load.isFirstPage && loader.isNarrowGrey(header)
        if whole == nil, isGrey, let grey = grey() {
            if grey.byteCount > PNGPixels.mostBytes { return (grey, false) }
            whole = grey
        }
        if whole == nil, !isHeaderSpent, load.isPlain { whole = try readWhole(share) }
        if let whole, load.isPlain || isGrey { return (whole, false) }
        if readsFirst {
            // Damage is no end yet: what is wanted of it may be whole.
            do throws(PictureFailure) { try read(load, share) } catch { if clock.stopped != nil { throw error } }
        }
        // The header's image is read in sequence, so it serves one result only; the next one opens the source again.
        let isFirst = !isHeaderSpent && load.isPlain && facts.primaryPage == 0
        isHeaderSpent = isHeaderSpent || isFirst
        return (isFirst ? header : try loader.open(load), true)
    }

    /// - Throws: `badImageData` where frames are missing.
    func draw(_ animation: PNGAnimation, _ load: LoadPlan) throws(PictureFailure) -> AnimatedPNG {
        try AnimatedPNG(loader.source, animation, header, failOn: load.failOn, clock: clock)
    }

    func frame(_ number: Int, of drawn: AnimatedPNG, _ share: ClosedRange<Double>) throws(PictureFailure) -> VipsImage {
        clock.begin(.decode)
        let started = ContinuousClock.now
        defer { timings.decode += ContinuousClock.now - started }
        return try drawn.frame(number, share)
    }

    /// Reads the source to its end and keeps nothing of it.
    /// - Throws: `badImageData` where it is damaged.
    func read(_ load: LoadPlan, _ share: ClosedRange<Double>) throws(PictureFailure) {
        clock.begin(.decode)
        let image = try loader.open(load)
        do throws(VipsError) { try run(throughAllOf: image, share) } catch { throw failure(error, .badImageData, .decode) }
    }

    /// Whether to decode it once is cheaper than to decode it for each result: nothing of it can be left to its decoder, as with JPEG and WebP.
    private var isDear: Bool {
        facts.format.codec.isReadWhole && facts.primaryPage == 0 && header.byteCount <= PNGPixels.mostBytes
    }

    private func grey() -> VipsImage? {
        let started = ContinuousClock.now
        defer { timings.decode += ContinuousClock.now - started }
        return loader.grey(header)
    }

    private func readWhole(_ share: ClosedRange<Double>) throws(PictureFailure) -> VipsImage? {
        let started = ContinuousClock.now
        defer { timings.decode += ContinuousClock.now - started }
        if !isLibpngUsed, let whole = loader.whole(header, goesOn: { clock.goesOn(.decode, share, $0) }) { return whole }
        try clock.check(.decode, share.lowerBound)
        guard isMoreToCome, isDear else { return nil }
        isHeaderSpent = true
        do throws(VipsError) {
            let pixels = try header.computed(watcher: clock.watcher(.decode, share))
            // Pixels in memory come in any order.
            return try pixels.withHeader { $0.remove("vips-sequential") }
        } catch { throw failure(error, .badImageData, .decode) }
    }
}
