package import ImageHeads
package import TintypeCore
package import TintypeImages

extension PictureRun {
    /// The longer side of the small picture that is looked at.
    private static let side = 100

    /// What is asked to be told of the source, as it is seen.
    /// - Throws: `PictureFailure`, as `render` does.
    package func describe(_ rendition: Rendition) throws(PictureFailure) -> JSONObject {
        var object = JSONObject()
        let traits = rendition.traits
        if traits.contains(.exif) { object["exif"] = .object(try exif(rendition.decode)) }
        guard traits.contains(where: { $0 != .exif }) else { return object }
        let raster = try raster(rendition)
        lazy var colours = ColourSummary(of: raster)
        for trait in traits {
            switch trait {
            case .blurhash: object["blurhash"] = .string(BlurHash(of: raster).text)
            case .thumbhash: object["thumbhash"] = .string(Base64.text(of: ThumbHash(of: raster).bytes))
            case .dominantColor: object["dominantColor"] = colours.dominant.map { .string($0.text) } ?? .null
            case .averageColor: object["averageColor"] = colours.average.map { .string($0.text) } ?? .null
            case .palette:
                object["palette"] = .array(
                    colours.palette(6).map { ["color": .string($0.color.text), "share": JSON(($0.share * 1000).rounded() / 1000)] })
            case .phash: object["phash"] = .string(PerceptualHash(of: raster).text)
            case .exif: break
            }
            try clock.check(.transform)
        }
        return object
    }

    /// The first frame or the page that is wanted, upright, made small while it is read.
    private func raster(_ rendition: Rendition) throws(PictureFailure) -> PixelRaster {
        var small = Rendition(
            operations: [AnyOperation(Resize(width: Self.side, height: Self.side))], output: OutputOptions(format: .png), decode: rendition.decode)
        (small.decode.frames, small.decode.speed) = (.first, .fast)
        let plan = try PicturePlanner.plan(facts(for: small.decode), small, limits, encoders: [.png])
        let image = try pixels(plan, nil, 0...1)
        return try transform { () throws(VipsError) in try PixelRaster(image) }
    }

    private func exif(_ options: DecodeOptions) throws(PictureFailure) -> JSONObject {
        guard facts.format == .tiff else {
            return header.bytes("exif-data")?.withUnsafeBytes { EXIFBlock(ByteReader(bytes: $0), at: 0) }.map { EXIFSummary($0).json } ?? [:]
        }
        // It is such a block itself, with a directory for each page.
        let page = try facts.number(of: options.page ?? 0)
        guard let reader = TagReader(ByteReader(bytes: loader.source), at: 0), let directory = reader.directory(ofPage: page) else { return [:] }
        return EXIFSummary(EXIFBlock(reader, at: directory)).json
    }
}
