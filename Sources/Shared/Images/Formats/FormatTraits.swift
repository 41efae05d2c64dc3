import TintypeCore

/// The facts about a format that hold for readers and writers: one row each.
///
/// A new format is a case of `ImageFormat` and three rows. Beside this one, the guard has a row of `FormatHead`, and the decoder and the encoder have one
/// of `FormatCodec`. Hardly anything else switches over the formats: scripts/lint counts.
package struct FormatTraits: Sendable {
    /// The media type (IANA).
    let contentType: String
    /// The extension of file names; nil: the word.
    var fileExtension: String?
    /// The name in a sentence; nil: the word in capitals.
    var name: String?
    /// Whether the format is decoded: its typed loader is trusted and enabled, or our own reader decodes it.
    var isDecoded = false
    /// Whether the format is decoded only if the operator names it (`--formats`).
    var isDecodedByName = false
    /// Whether the format is a drawing without pixels of its own, which can be rendered at any size.
    var isDrawing = false
    /// The options of the encoder; nil: the format is never written.
    var encoding: EncodingTraits?
    /// Whether files have several frames, read and written.
    var isAnimated = false
    var holdsAlpha = true
    var holdsSixteenBits = false
    /// The longest side of a file, in pixels.
    var maxSide = 65535
    /// Whether the format is lossless. Such a source is better kept lossless.
    var isExact = false
    /// Whether every client shows the format.
    var isShownByAll = false
    /// The rank among the formats of `auto`, 0 for the best; nil: `auto` never chooses the format.
    var autoRank: Int?
}

/// The options that the encoder of a format has, and their defaults.
struct EncodingTraits: Sendable {
    var quality: Int?
    /// Whether the quality can be searched by the likeness of the result.
    var usesLikeness = false
    var effort: Int?
    /// The part of 0…9 that the encoder supports.
    var efforts = 0...9
    var usesLossless = false
    /// Whether only the effort matters in a lossless file.
    var isPlainWithoutLoss = false
    var usesProgressive = false
    var usesPalette = false
    /// Whether an animated result needs the option `animated`.
    var usesAnimated = false
    var usesSubsampling = false
    var usesMetadata = false
    var usesBitDepth = false
    var usesThumbnail = false
    /// The use of a gain map that the format has beside `drop`; nil: none.
    var gainMap: GainMapUse?
    /// Whether files state PQ and HLG by code points.
    var usesHDR = false
    var usesProfile = true
    var usesBackground = false
    /// The time for a pixel, relative to JPEG: a rough guess.
    var cost = 1.0
    var usesQuality: Bool { quality != nil }
    var usesEffort: Bool { effort != nil }
}

extension ImageFormat {
    var traits: FormatTraits {
        switch self {
        case .jpeg:
            FormatTraits(
                contentType: "image/jpeg", fileExtension: "jpg", isDecoded: true,
                encoding: EncodingTraits(
                    quality: 80, usesLikeness: true, usesProgressive: true, usesSubsampling: true, usesMetadata: true, usesThumbnail: true, gainMap: .keep,
                    usesBackground: true),
                holdsAlpha: false, isShownByAll: true, autoRank: 3)
        case .png:
            FormatTraits(
                contentType: "image/png", isDecoded: true,
                encoding: EncodingTraits(
                    effort: 6, usesProgressive: true, usesPalette: true, usesAnimated: true, usesMetadata: true, gainMap: .apply, usesHDR: true, cost: 3),
                isAnimated: true, holdsSixteenBits: true, isExact: true, isShownByAll: true, autoRank: 4)
        case .webp:
            // In a lossless WebP, the quality is the effort.
            FormatTraits(
                contentType: "image/webp", name: "WebP", isDecoded: true,
                encoding: EncodingTraits(quality: 80, usesLikeness: true, effort: 4, efforts: 0...6, usesLossless: true, usesMetadata: true, cost: 5),
                isAnimated: true, maxSide: 16383, autoRank: 1)
        case .avif:
            FormatTraits(
                contentType: "image/avif", isDecoded: true,
                encoding: EncodingTraits(
                    quality: 50, usesLikeness: true, effort: 3, usesLossless: true, isPlainWithoutLoss: true, usesAnimated: true, usesSubsampling: true,
                    usesMetadata: true, usesBitDepth: true, usesHDR: true, cost: 40),
                isAnimated: true, maxSide: 16384, autoRank: 0)
        case .gif:
            // Effort 7, the default of libvips, takes twice the time of 4 for palettes that are hardly better (SSIM 0.9814 beside 0.9810).
            FormatTraits(
                contentType: "image/gif", isDecoded: true, encoding: EncodingTraits(effort: 4, efforts: 1...9, usesProfile: false, cost: 8),
                isAnimated: true, isExact: true, isShownByAll: true, autoRank: 5)
        case .tiff: FormatTraits(contentType: "image/tiff", isDecoded: true, encoding: EncodingTraits(cost: 2), holdsSixteenBits: true, isExact: true)
        case .heif:
            FormatTraits(
                contentType: "image/heif", isDecoded: true,
                encoding: EncodingTraits(
                    quality: 50, effort: 3, usesLossless: true, isPlainWithoutLoss: true, usesSubsampling: true, usesMetadata: true, cost: 40),
                maxSide: 16384)
        case .jxl:
            // libjxl 0.7 ends its process at effort 8 with some plain pictures (enc_ans.cc, `n <= 255`).
            FormatTraits(
                contentType: "image/jxl", name: "JPEG XL", isDecoded: true,
                encoding: EncodingTraits(
                    quality: 75, effort: 4, efforts: 3...7, usesLossless: true, isPlainWithoutLoss: true, usesProfile: false, cost: 10),
                autoRank: 2)
        case .svg: FormatTraits(contentType: "image/svg+xml", isDecodedByName: true, isDrawing: true, isExact: true)
        case .pdf: FormatTraits(contentType: "application/pdf", isDecodedByName: true, isDrawing: true, isExact: true)
        case .bmp: FormatTraits(contentType: "image/bmp", isDecoded: true, isExact: true)
        case .ico: FormatTraits(contentType: "image/vnd.microsoft.icon", isDecoded: true, isExact: true)
        case .icns: FormatTraits(contentType: "image/x-icns", isDecoded: true, isExact: true)
        case .xbm: FormatTraits(contentType: "image/x-xbitmap", isDecoded: true, holdsAlpha: false, isExact: true)
        case .jp2: FormatTraits(contentType: "image/jp2", name: "JPEG 2000", isDecoded: true)
        case .psd: FormatTraits(contentType: "image/vnd.adobe.photoshop")
        // RAW files of cameras, decoded by their embedded JPEG. Each maker has its own media type.
        case .raw: FormatTraits(contentType: "image/x-raw", isDecoded: true, holdsAlpha: false)
        }
    }
}

/// The limits of a source's size: the defaults of workers, and the values that settings allow (`--max-pixels`, `--max-side`,
/// `--max-frames`). A larger source fails with `limitExceeded`, which names the limit.
package struct PictureBounds: Sendable, Hashable {
    package let usual: Int
    package let allowed: ClosedRange<Int>

    /// Width × height, summed over the wanted frames.
    package static let pixels = PictureBounds(usual: 50_000_000, allowed: 1_000_000...500_000_000)
    /// The longer side.
    package static let side = PictureBounds(usual: 16384, allowed: 256...65535)
    /// The wanted frames of an animation.
    package static let frames = PictureBounds(usual: 256, allowed: 1...65535)
}

/// The use of a JPEG's gain map for a result: `output.gainMap`.
package enum GainMapUse: String, Sendable, CaseIterable, Hashable {
    /// The result is the SDR base picture.
    case drop
    /// The result carries the map, on the same place of the picture.
    case keep
    /// The result is the HDR picture that the map describes.
    case apply
}
