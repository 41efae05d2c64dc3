import ImageHeads
import TintypeImages

extension PictureRun {
    /// Encodes a picture, with the quality that its likeness needs if that is asked for, but within the byte limit if there is one.
    /// - Returns: the file and, for lossy formats, its quality.
    func encode(_ image: VipsImage, _ encoder: PictureEncoder, _ progress: ClosedRange<Double>) throws(PictureFailure) -> (VipsBytes, quality: Int?) {
        let options = encoder.output.options
        // An animation has the default quality.
        guard let likeness = options.likeness(in: encoder.output.format), image.pages == 1,
            let alike = try alike(image, encoder, likeness: likeness, options.maxBytes == nil ? progress : progress.firstHalf)
        else { return try limited(image, encoder, progress) }
        guard let most = options.maxBytes, alike.file.count > most else { return (alike.file, alike.quality) }
        guard alike.quality > 1 else { throw .limit("output.maxBytes", alike.file.count, most, .encode) }
        var encoder = encoder
        encoder.output.options.quality = alike.quality - 1
        return try limited(image, encoder, progress.secondHalf)
    }

    /// Encodes a picture within the byte limit, if there is one.
    private func limited(_ image: VipsImage, _ encoder: PictureEncoder, _ progress: ClosedRange<Double>) throws(PictureFailure) -> (VipsBytes, quality: Int?) {
        let output = encoder.output
        let isLossy = output.options.isLossy(in: output.format)
        let asked = output.options.quality(in: output.format)
        guard let most = output.options.maxBytes else { return (try encoded(image, encoder, progress), isLossy ? asked : nil) }
        guard isLossy, let asked else {
            let bytes = try encoded(image, encoder, progress)
            if bytes.count > most { throw .limit("output.maxBytes", bytes.count, most, .encode) }
            return (bytes, nil)
        }
        let search = QualitySearch<VipsBytes>(mostBytes: most, asked: asked)
        var tries = 0
        let result = try search.find { quality throws(PictureFailure) in
            defer { tries += 1 }
            let bytes = try encoded(image, encoder, quality, progress.part(tries, of: QualitySearch<VipsBytes>.maxTries))
            return (bytes, bytes.count)
        }
        switch result {
        case .found(let bytes, let quality): return (bytes, quality)
        case .tooLarge(let smallest): throw .limit("output.maxBytes", smallest, most, .encode)
        }
    }

    /// Encodes a picture as one try of a search.
    func encoded(_ image: VipsImage, _ encoder: PictureEncoder, _ quality: Int, _ progress: ClosedRange<Double>) throws(PictureFailure) -> VipsBytes {
        try clock.check(.encode, progress.lowerBound)
        var encoder = encoder
        encoder.output.options.quality = quality
        return try encoded(image, encoder, progress)
    }

    private func encoded(_ image: VipsImage, _ encoder: PictureEncoder, _ progress: ClosedRange<Double>) throws(PictureFailure) -> VipsBytes {
        var encoder = encoder
        encoder.goesOn = { [clock] in clock.goesOn(.encode, progress, $0) }
        do throws(VipsError) {
            guard clockWatches(image) else { return try encoder.encode(image) }
            let watched = try VipsOperation("copy").set("in", image).image()
            watched.watch(clock.watcher(.encode, progress))
            return try encoder.encode(watched)
        } catch {
            // The encoder was the first to read the source, so the source may have caused the failure.
            if let streamed, clock.stopped == nil { try read(streamed, progress) }
            throw failure(error, .encodeFailed, .encode)
        }
    }

    /// Whether the clock watches the work on a picture. Small pictures are encoded faster than the clock is read.
    func clockWatches(_ image: VipsImage) -> Bool { image.byteCount > 1 << 20 }

    private static let animation = ["page-height", "n-pages", "delay", "loop", "gif-delay", "gif-loop"]

    /// Sets the header for the encoder: the delays of frames that lie below each other, or none for a still picture. Keeps only the
    /// metadata of the source that the options ask for.
    func frameHeader(_ image: VipsImage, _ plan: PicturePlan, isUpright: Bool, hasGainMap: Bool = false) throws(VipsError) -> VipsImage {
        let isAnimated = plan.frameCount > 1
        let carried = CarriedMetadata(output: plan.output.options, format: plan.output.format, isUpright: isUpright)
        let image = try image.withHeader { header in
            carried.apply(to: header)
            // A JPEG has one XMP packet, and that of the source may describe the parts of the source's file.
            if hasGainMap { header.remove("xmp-data") }
            if !isAnimated { header.removeAll { name in Self.animation.contains { name.hasPrefix($0) } } }
        }
        guard isAnimated else { return image }
        let all = animation?.frames.map(\.delay) ?? header.ints("delay") ?? []
        let delays = plan.delays(of: all)
        let loop = plan.animation?.animate.loop ?? animation?.plays ?? header.int("loop")
        return try image.withHeader { header in
            header.set("page-height", plan.size.height)
            header.set("n-pages", plan.frameCount)
            header.set("delay", delays)
            if let loop { header.set("loop", loop) }
        }
    }
}
