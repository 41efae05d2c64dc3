import ImageHeads
import TintypeImages

extension PictureRun {
    /// Encodes a picture in memory with the lowest quality that is alike enough.
    /// - Returns: nil if this build cannot decode the format, and so cannot compare.
    func alike(_ image: VipsImage, _ encoder: PictureEncoder, likeness: Double, _ progress: ClosedRange<Double>) throws(PictureFailure)
        -> LikenessSearch<VipsBytes>.Try?
    {
        let output = encoder.output
        guard let loader = output.format.codec.loader, VipsOperation.exists(loader), let usual = output.options.quality(in: output.format),
            let wanted = try compared({ () throws(VipsError) in try Brightness(image) })
        else { return nil }
        let search = LikenessSearch<VipsBytes>(wanted: likeness, usual: usual)
        var tries = 0
        return try search.find { quality throws(PictureFailure) in
            defer { tries += 1 }
            let file = try encoded(image, encoder, quality, progress.part(tries, of: LikenessSearch<VipsBytes>.maxTries))
            return try brightness(of: file, output.format).map { (file, wanted.likeness(to: $0) ?? 0) }
        }
    }

    /// Returns nil if this build cannot decode its own file.
    private func brightness(of file: VipsBytes, _ format: ImageFormat) throws(PictureFailure) -> Brightness? {
        do throws(PictureFailure) {
            return try file.withBytes { raw throws(PictureFailure) in
                let decoded = try PictureLoader(opening: raw, format).open(LoadPlan(format: format, page: 0, frames: 1, size: PictureSize(0, 0)))
                return try compared { () throws(VipsError) in try Brightness(decoded.computed()) }
            }
        } catch {
            if clock.stopped != nil { throw error }
            return nil
        }
    }

    private func compared(_ body: () throws(VipsError) -> Brightness?) throws(PictureFailure) -> Brightness? {
        do throws(VipsError) { return try body() } catch { throw failure(error, .encodeFailed, .encode) }
    }
}

extension Brightness {
    /// Reads a picture in memory; nil unless its numbers have 8 or 16 bits.
    fileprivate init?(_ image: VipsImage) throws(VipsError) {
        guard image.format == .uint8 || image.format == .uint16 else { return nil }
        guard let read = try image.withSamples({ Brightness(image.size, $0, bands: image.bands, bytes: image.format.bytes) }) else { return nil }
        self = read
    }
}
