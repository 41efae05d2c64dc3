import Shared

/// Has every codec do a small picture once, so that what it loads lazily (modules, tables, profiles, threads) is there before the
/// process may open nothing more, and the first real picture is as quick as the others.
enum CodecWarmUp {
    /// - Parameter fonts: families that text may be drawn with.
    /// - Returns: what this build can do: `{"vips": …, "decode": [formats], "encode": [formats], "fonts": [those that are there]}`.
    static func run(_ graphs: PlanarGraphs, fonts: [String] = SharedSettings().fonts) -> JSON {
        let clock = PictureClock(deadline: .now + .seconds(30))
        var written: [ImageFormat] = []
        var read: [ImageFormat] = []
        let formats = ImageFormat.encodable.filter { $0.saver.map(VipsOperation.exists) ?? false }
        for format in formats {
            guard let bytes = try? sample(format) else { continue }
            written.append(format)
            bytes.withBytes { raw in
                guard let run = try? PictureRun(raw, format: format, limits: ImageLimits(), clock: clock) else { return }
                let shrunk = Rendition(operations: [.resize(Resize(width: 20, height: 20))], output: OutputOptions(format: .png))
                if (try? run.render(shrunk)) != nil { read.append(format) }
                guard format == .jpeg, let planar = try? PictureRun(raw, format: format, limits: ImageLimits(), clock: clock, graphs: graphs)
                else { return }
                _ = try? planar.render(Rendition(operations: shrunk.operations))
            }
        }
        // The colour engine's built-in profiles.
        _ = try? VipsOperation("colourspace").set("in", VipsRuntime.solid(width: 8, height: 8, [10, 20, 30, 40], .cmyk))
            .set("space", Int(VipsColours.sRGB.rawValue)).image().computed()
        Fonts.open(fonts)
        return [
            "vips": .string(VipsRuntime.version), "decode": .array(read.map { .string($0.rawValue) }),
            "encode": .array(written.map { .string($0.rawValue) }), "fonts": .array(Fonts.names.map { .string($0) }),
        ]
    }

    private static func sample(_ format: ImageFormat) throws(VipsError) -> VipsBytes {
        let colour: [Double] = format.holdsAlpha ? [200, 100, 50, 128] : [200, 100, 50]
        let image = try VipsRuntime.solid(width: 64, height: 64, colour)
        return try PictureEncoder(output: PictureOutput(format: format, options: OutputOptions(format: format))).encode(image)
    }
}
