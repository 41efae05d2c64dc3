package import ImageHeads
package import TintypeCore
package import TintypeImages

extension PictureRun {
    /// The longer side of the small picture that is examined.
    private static let side = 100

    /// Returns the requested traits of the source, as a viewer shows it. Colors and hashes are those of the wanted picture (`decode.thumbnail`), the other
    /// traits those of the file.
    /// - Throws: `PictureFailure`, as `render` does.
    package func describe(_ rendition: Rendition) throws(PictureFailure) -> JSONObject {
        var object = JSONObject()
        let traits = rendition.traits
        if traits.contains(.exif) { object["exif"] = .object(try exif(rendition.decode)) }
        let isSeen = traits.contains { ![.exif, .colors, .animation, .gainMap, .hdr].contains($0) }
        var raster: PixelRaster?
        if rendition.samples != nil || isSeen {
            (object["colors"], raster) = try wanted(by: rendition) { run, own throws(PictureFailure) in
                var colors: JSON?
                if let samples = own.samples { colors = try run.colors(samples, own.decode) }
                return (colors, isSeen ? try run.raster(own) : nil)
            }
        }
        if traits.contains(.animation) { object["animation"] = movement }
        if traits.contains(.gainMap) { object["gainMap"] = .bool(foundMap != nil) }
        if traits.contains(.hdr) { object["hdr"] = facts.highRange.flatMap { ToneMap(transfer: $0.transfer) }.map { .string($0.rawValue) } ?? .null }
        guard let raster else { return object }
        lazy var colors = ColorSummary(of: raster)
        for trait in traits {
            switch trait {
            case .blurhash: object["blurhash"] = .string(BlurHash(of: raster).text)
            case .thumbhash: object["thumbhash"] = .string(Base64.text(of: ThumbHash(of: raster).bytes))
            case .dominantColor: object["dominantColor"] = colors.dominant.map { .string($0.text) } ?? .null
            case .averageColor: object["averageColor"] = colors.average.map { .string($0.text) } ?? .null
            case .palette:
                object["palette"] = .array(colors.palette(6).map { ["color": .string($0.color.text), "share": JSON(($0.share * 1000).rounded() / 1000)] })
            case .phash: object["phash"] = .string(PerceptualHash(of: raster).text)
            case .exif, .colors, .animation, .gainMap, .hdr: break
            }
            try clock.check(.transform)
        }
        return object
    }

    /// Returns the loop count and the delays of an animation; null for a still picture.
    private var movement: JSON {
        guard facts.mayMove, facts.frames > 1 else { return .null }
        let said = animation?.frames.map(\.delay) ?? header.ints("delay") ?? []
        let delays = (0..<min(facts.frames, PictureTrait.maxDelays)).map { said.indices.contains($0) ? PicturePlan.shown(said[$0]) : PicturePlan.usualDelay }
        return ["loop": JSON(animation?.plays ?? header.int("loop") ?? 0), "delays": .array(delays.map { JSON($0) })]
    }

    /// Returns the first frame or the wanted page, upright, made small while it is read.
    private func raster(_ rendition: Rendition) throws(PictureFailure) -> PixelRaster {
        var small = Rendition(
            operations: [AnyOperation(Resize(width: Self.side, height: Self.side))], output: OutputOptions(format: .png), decode: rendition.decode)
        (small.decode.frames, small.decode.speed) = (.first, .fast)
        let plan = try PicturePlanner.plan(facts(for: small.decode), small, limits, encoders: [.png])
        let image = try pixels(plan, nil, 0...1)
        return try transform { () throws(VipsError) in try PixelRaster(image) }
    }

    /// Returns the colors of single pixels of the first frame or the wanted page, upright, at its own size.
    private func colors(_ samples: ColorSamples, _ decode: DecodeOptions) throws(PictureFailure) -> JSON {
        var whole = Rendition(output: OutputOptions(format: .png), decode: decode)
        whole.decode.frames = .first
        let plan = try PicturePlanner.plan(facts(for: whole.decode), whole, limits, encoders: [.png])
        let image = try pixels(plan, nil, 0...1)
        let size = image.size
        let points = samples.points + samples.rectangles.flatMap(\.points)
        let inside = points.filter { $0.x < size.width && $0.y < size.height }
        guard let left = inside.map(\.x).min(), let right = inside.map(\.x).max(), let top = inside.map(\.y).min(), let bottom = inside.map(\.y).max() else {
            return samples.described { _ in nil }
        }
        // The picture comes row by row, so the box around all pixels is read once.
        let window = PictureWindow(x: left, y: top, width: right - left + 1, height: bottom - top + 1)
        let raster = try transform { () throws(VipsError) in try PixelRaster(CropStep.apply(window, to: image)) }
        return samples.described { point in
            guard point.x < size.width, point.y < size.height else { return nil }
            return raster.color((point.y - top) * raster.width + point.x - left)
        }
    }

    private func exif(_ options: DecodeOptions) throws(PictureFailure) -> JSONObject {
        guard facts.format == .tiff else {
            return header.bytes("exif-data")?.withUnsafeBytes { EXIFBlock(ByteReader(bytes: $0), at: 0) }.map { EXIFSummary($0).json } ?? [:]
        }
        // A TIFF is such a block itself, with a directory for each page.
        let page = try facts.number(of: options.page ?? 0)
        guard let reader = TagReader(ByteReader(bytes: loader.source), at: 0), let directory = reader.directory(ofPage: page) else { return [:] }
        return EXIFSummary(EXIFBlock(reader, at: directory)).json
    }
}
