import ImageHeads
package import TintypeCore
package import TintypeImages

/// A warm-up that lets every codec process a small picture once. Modules, tables, profiles and threads are then loaded before the sandbox closes, and
/// the first real picture is as quick as the others.
package enum CodecWarmUp {
    /// - Parameters:
    ///   - fonts: the font families for text.
    ///   - formats: the formats that are decoded.
    ///   - isWritten: whether to try to write a format; tests return false to imitate a build that cannot write it.
    /// - Returns: the codecs of this build: `{"vips": …, "decode": [formats], "encode": [formats], "lossless": [formats with that option],
    ///   "fonts": [installed families]}`.
    package static func run(
        _ graphs: PlanarGraphs, fonts: [String] = Text.usualFonts, formats: Set<ImageFormat> = Set(ImageFormat.decodable),
        isWritten: (ImageFormat) -> Bool = { $0.codec.saver.map(VipsOperation.exists) ?? false }
    ) -> JSON {
        let clock = PictureClock(deadline: .now + .seconds(30))
        var written: [ImageFormat] = []
        var read: [ImageFormat] = []
        for format in ImageFormat.encodable {
            if isWritten(format), let bytes = try? sample(format) {
                written.append(format)
                if bytes.withBytes({ reads($0, format, graphs, clock) }) { read.append(format) }
            } else if format.codec.isReadHere || CodecSamples.bytes(format)?.withUnsafeBytes({ reads($0, format, graphs, clock) }) ?? false {
                read.append(format)
            }
        }
        for format in ImageFormat.openable where formats.contains(format) && !ImageFormat.encodable.contains(format) {
            if format.codec.isReadHere || CodecSamples.bytes(format)?.withUnsafeBytes({ reads($0, format, graphs, clock) }) ?? false { read.append(format) }
        }
        if read.contains(.jpeg) { read.append(.raw) }
        read.removeAll { !formats.contains($0) }
        // A lossy AVIF is written without libheif, which may lack its encoder.
        let plain = written.filter { $0 != .avif || (try? sample($0, isLossless: true)) != nil }
        // For the built-in profiles of the color engine.
        _ = try? VipsRuntime.solid(width: 8, height: 8, [10, 20, 30, 40], .cmyk).converted(to: .sRGB).computed()
        Fonts.open(fonts)
        return [
            "vips": .string(VipsRuntime.version), "decode": .array(read.map { .string($0.rawValue) }),
            "encode": .array(written.map { .string($0.rawValue) }),
            "lossless": .array(plain.filter { OutputOptions.losslessFormats.contains($0) && $0.codec.isExactWithoutLoss }.map { .string($0.rawValue) }),
            "fonts": .array(Fonts.names.map { .string($0) }),
        ]
    }

    /// Opens the sample and makes it smaller; a JPEG or a WebP by planes too.
    private static func reads(_ bytes: UnsafeRawBufferPointer, _ format: ImageFormat, _ graphs: PlanarGraphs, _ clock: PictureClock) -> Bool {
        guard format.codec.isReadHere || format.codec.loader.map(VipsOperation.exists) ?? false else { return false }
        let shrunk = Rendition(operations: [AnyOperation(Resize(width: 20, height: 20))], output: OutputOptions(format: .png))
        guard let run = try? PictureRun(bytes, format: format, limits: ImageLimits(), clock: clock), (try? run.render(shrunk)) != nil else { return false }
        if format == .jpeg || format == .webp, let planar = try? PictureRun(bytes, format: format, limits: ImageLimits(), clock: clock, graphs: graphs) {
            _ = try? planar.render(Rendition(operations: shrunk.operations))
        }
        return true
    }

    private static func sample(_ format: ImageFormat, isLossless: Bool = false) throws(VipsError) -> VipsBytes {
        let color: [Double] = format.holdsAlpha ? [200, 100, 50, 128] : [200, 100, 50]
        let image = try VipsRuntime.solid(width: 64, height: 64, color)
        var options = OutputOptions(format: format)
        options.isLossless = isLossless
        return try PictureEncoder(output: PictureOutput(format: format, options: options)).encode(image)
    }
}
