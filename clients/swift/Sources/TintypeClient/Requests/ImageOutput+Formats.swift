extension ImageOutput {
    /// The best format of `accept`, or of what every client shows.
    public static let auto = ImageOutput(.auto)
    /// The source's format if it can be encoded, else png with alpha or from a lossless source, else jpeg.
    public static let original = ImageOutput(.original)
    /// JPEG of quality 80.
    public static let jpeg = ImageOutput(.jpeg)
    public static let png = ImageOutput(.png)
    /// WebP of quality 80.
    public static let webp = ImageOutput(.webp)
    /// AVIF of quality 50.
    public static let avif = ImageOutput(.avif)
    public static let gif = ImageOutput(.gif)
    public static let tiff = ImageOutput(.tiff)
    /// HEIF of quality 50.
    public static let heif = ImageOutput(.heif)
    /// JPEG XL of quality 75.
    public static let jxl = ImageOutput(.jxl)

    /// The best format of a list: an Accept header, or media types and formats.
    /// - Parameter qualities: The quality by the format that the result gets.
    public static func auto(accept: Accept? = nil, qualities: Qualities? = nil, maxBytes: Int? = nil) -> ImageOutput {
        ImageOutput(.auto, accept: accept, qualities: qualities, maxBytes: maxBytes)
    }

    /// JPEG.
    /// - Parameter quality: 1 to 100, or `.auto` for the lowest that keeps `likeness`. Default: 80.
    /// - Parameter likeness: The least likeness of `.auto`, 0.8 to 0.999. Default: 0.98.
    /// - Parameter progressive: Whether a first impression is shown early. Default: false.
    /// - Parameter maxBytes: The most bytes of the file: the highest quality that fits is used.
    /// - Parameter background: The color behind transparent parts. Default: white.
    public static func jpeg(
        quality: Quality? = nil, likeness: Double? = nil, progressive: Bool? = nil, subsampling: Subsampling? = nil, metadata: Metadata? = nil,
        gainMap: GainMap? = nil, thumbnail: Int? = nil, maxBytes: Int? = nil, background: String? = nil
    ) -> ImageOutput {
        ImageOutput(
            .jpeg, quality: quality, likeness: likeness, progressive: progressive, subsampling: subsampling, thumbnail: thumbnail, maxBytes: maxBytes,
            metadata: metadata, gainMap: gainMap, background: background)
    }

    /// PNG.
    /// - Parameter palette: Whether the file has at most 256 colors; `quality` says how close they are. Default: false.
    /// - Parameter animated: Whether an animation stays one. Default: false, the first frame alone.
    /// - Parameter effort: From 0, the fastest, to 9, the smallest. Default: 6.
    public static func png(
        palette: Bool? = nil, quality: Quality? = nil, animated: Bool? = nil, effort: Int? = nil, progressive: Bool? = nil, metadata: Metadata? = nil,
        gainMap: GainMap? = nil, hdr: HDR? = nil
    ) -> ImageOutput {
        ImageOutput(
            .png, quality: quality, effort: effort, progressive: progressive, palette: palette, animated: animated, metadata: metadata, gainMap: gainMap,
            hdr: hdr)
    }

    /// WebP.
    /// - Parameter quality: 1 to 100, or `.auto` for the lowest that keeps `likeness`. Default: 80.
    /// - Parameter effort: From 0, the fastest, to 9, the smallest. Default: 4.
    public static func webp(
        quality: Quality? = nil, likeness: Double? = nil, lossless: Bool? = nil, effort: Int? = nil, metadata: Metadata? = nil, maxBytes: Int? = nil
    ) -> ImageOutput {
        ImageOutput(.webp, quality: quality, likeness: likeness, lossless: lossless, effort: effort, maxBytes: maxBytes, metadata: metadata)
    }

    /// AVIF.
    /// - Parameter quality: 1 to 100, or `.auto` for the lowest that keeps `likeness`. Default: 50.
    /// - Parameter effort: From 0, the fastest, to 9, the smallest. Default: 3.
    /// - Parameter bitDepth: The bits of each number: 8, 10 or 12. Default: 8.
    public static func avif(
        quality: Quality? = nil, likeness: Double? = nil, lossless: Bool? = nil, effort: Int? = nil, subsampling: Subsampling? = nil, bitDepth: Int? = nil,
        metadata: Metadata? = nil, hdr: HDR? = nil, maxBytes: Int? = nil
    ) -> ImageOutput {
        ImageOutput(
            .avif, quality: quality, likeness: likeness, lossless: lossless, effort: effort, subsampling: subsampling, bitDepth: bitDepth, maxBytes: maxBytes,
            metadata: metadata, hdr: hdr)
    }

    /// HEIF, where the service has an encoder.
    /// - Parameter quality: 1 to 100. Default: 50.
    public static func heif(
        quality: Quality? = nil, lossless: Bool? = nil, effort: Int? = nil, subsampling: Subsampling? = nil, metadata: Metadata? = nil, maxBytes: Int? = nil
    ) -> ImageOutput {
        ImageOutput(.heif, quality: quality, lossless: lossless, effort: effort, subsampling: subsampling, maxBytes: maxBytes, metadata: metadata)
    }

    /// JPEG XL, where the service has an encoder.
    /// - Parameter quality: 1 to 100. Default: 75.
    public static func jxl(quality: Quality? = nil, lossless: Bool? = nil, effort: Int? = nil, maxBytes: Int? = nil) -> ImageOutput {
        ImageOutput(.jxl, quality: quality, lossless: lossless, effort: effort, maxBytes: maxBytes)
    }

    /// GIF.
    /// - Parameter effort: From 0, the fastest, to 9, the smallest. Default: 4.
    public static func gif(effort: Int? = nil) -> ImageOutput {
        ImageOutput(.gif, effort: effort)
    }
}
