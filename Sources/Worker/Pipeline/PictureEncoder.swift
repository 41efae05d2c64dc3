import Shared

/// Writes a picture: one function a format, metadata left out.
struct PictureEncoder {
    let output: PictureOutput

    /// The picture as the format can hold it: bits, transparency.
    func prepare(_ image: VipsImage) throws(VipsError) -> VipsImage {
        var image = image
        if !output.format.holdsSixteenBits { image = try ColourStep.eightBit(image) }
        if !output.format.holdsAlpha { image = try ColourStep.flatten(image, output.options.background ?? .white) }
        return image
    }

    func encode(_ image: VipsImage) throws(VipsError) -> VipsBytes {
        guard let saver = output.format.saver else {
            throw VipsError(operation: "encode", text: "\(output.format.rawValue) is not written here")
        }
        var call = try VipsOperation(saver).set("in", image)
        // `strip` became `keep` in 8.15; a newer libvips may drop the old name.
        call = call.has("keep") ? call.set("keep", 0) : call.set("strip", true)
        switch output.format {
        case .jpeg: call = jpeg(call)
        case .png: call = png(call)
        case .webp: call = webp(call)
        case .avif: call = avif(call)
        case .gif: call = gif(call)
        default: break
        }
        return try call.bytes()
    }

    private func jpeg(_ call: consuming VipsOperation) -> VipsOperation {
        call.set("Q", quality).set("optimize-coding", true).set("interlace", output.options.isProgressive).set("subsample-mode", 1)
    }

    private func png(_ call: consuming VipsOperation) -> VipsOperation {
        call.set("compression", effort(0...9)).set("interlace", output.options.isProgressive)
    }

    private func webp(_ call: consuming VipsOperation) -> VipsOperation {
        call.set("Q", quality).set("lossless", output.options.isLossless).set("effort", effort(0...6))
    }

    private func avif(_ call: consuming VipsOperation) -> VipsOperation {
        // 4 is AV1; 8 bits, for 8.14 would choose 12 for some sources.
        call.set("compression", 4).set("bitdepth", 8).set("Q", quality).set("lossless", output.options.isLossless)
            .set("effort", effort(0...9)).set("subsample-mode", output.options.isLossless ? 2 : 1)
    }

    private func gif(_ call: consuming VipsOperation) -> VipsOperation { call.set("effort", effort(1...10)) }

    private var quality: Int { output.options.quality(in: output.format) ?? 0 }

    /// Within what the encoder knows.
    private func effort(_ range: ClosedRange<Int>) -> Int {
        min(max(output.options.effort(in: output.format) ?? 0, range.lowerBound), range.upperBound)
    }
}
