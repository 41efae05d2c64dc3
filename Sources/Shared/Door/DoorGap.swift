import TintypeImages

/// A use of an option that has no operation here: this is the one list of them. A URL that asks for such a use is refused by its name.
///
/// When an operation learns such a use, its row goes, and `DoorPlanner` gets the line that asks for the use.
package struct DoorGap: Sendable {
    /// The whole name of the option.
    package let option: String
    /// The use, for documents and refusals.
    package let use: String
    let isAsked: @Sendable (PictureOptions) -> Bool

    private init(_ option: String, _ use: String, isAsked: @escaping @Sendable (PictureOptions) -> Bool) {
        (self.option, self.use, self.isAsked) = (option, use, isAsked)
    }

    var refusal: DoorRefusal { DoorRefusal(.notSupported, option: option, "\(option) is not supported here with \(use)") }

    package static let all = sizes + looks + outputs

    private static let sizes = [
        DoorGap("resizing_type", "`force` and one side only") { $0.resizingType == .force && $0.hasOneSide },
        DoorGap("width", "more than 16384 pixels, also times `dpr` and `zoom`") { max($0.width, $0.boxWidth ?? 0) > PictureOptions.mostSide },
        DoorGap("height", "more than 16384 pixels, also times `dpr` and `zoom`") { max($0.height, $0.boxHeight ?? 0) > PictureOptions.mostSide },
        DoorGap("min-width", "more than 16384 pixels, also times `dpr`") { max($0.minWidth, $0.pixels($0.minWidth)) > PictureOptions.mostSide },
        DoorGap("min-height", "more than 16384 pixels, also times `dpr`") { max($0.minHeight, $0.pixels($0.minHeight)) > PictureOptions.mostSide },
        DoorGap("zoom", "a factor below 0.01 or above 100, times `dpr` without width and height") { options in
            options.zoomAsScale.map { zoom in ![zoom.x, zoom.y].allSatisfy { (0.01...100).contains($0) } } ?? false
        },
        DoorGap("dpr", "a factor below 0.01 or above 100, where a side has a least size or is cut") {
            $0.density.map { !(0.01...100).contains($0) } ?? false
        },
        DoorGap("extend", "a point that is none of the nine places") { $0.extend.isOn && $0.hasSize && $0.extend.placement.gravity.place == nil },
        DoorGap("extend_aspect_ratio", "a point that is none of the nine places") {
            $0.extendRatio.isOn && $0.hasBothSides && $0.extendRatio.placement.gravity.place == nil
        },
        DoorGap("extend_aspect_ratio", "a side more than a hundred times as long as the other") {
            $0.extendRatio.isOn && $0.aspect.map { !(0.01...100).contains($0) } ?? false
        },
        DoorGap("crop", "a side in pixels, and the other as a part") {
            let sides = [$0.crop.width, $0.crop.height]
            return sides.contains { $0 >= 1 } && sides.contains { $0 > 0 && $0 < 1 }
        },
        DoorGap("crop", "parts of pixels, or more than 16384 pixels") { options in
            [options.crop.width, options.crop.height].contains { $0 >= 1 && ($0 != $0.rounded() || $0 > Double(PictureOptions.mostSide)) }
        },
        DoorGap("crop_aspect_ratio", "no `crop`") { $0.isCropCorrected && $0.cropPlacement == nil },
        DoorGap("crop_aspect_ratio", "a side more than a hundred times as long as the other") {
            $0.isCropCorrected && !(0.01...100).contains($0.cropAspect.ratio)
        },
        DoorGap("crop_aspect_ratio", "the gravity `sm`") { $0.isCropCorrected && $0.cropPlacement?.gravity == .attention },
        DoorGap("crop_aspect_ratio", "`enlarge` or the gravity `fp`, and a side of the crop that is not given in pixels") { options in
            guard options.isCropCorrected, let place = options.cropPlacement, options.crop.sides == nil else { return false }
            return options.cropAspect.enlarges || !Gravity.anchors.contains(place.gravity)
        },
        DoorGap("crop_aspect_ratio", "`enlarge` to more than 16384 pixels") { options in
            options.correctedCrop.map { max($0.width, $0.height) > Double(PictureOptions.mostSide) } ?? false
        },
        DoorGap("padding", "more than 16384 pixels, times `dpr`") { options in
            [options.padding.top, options.padding.right, options.padding.bottom, options.padding.left].contains { options.pixels($0) > PictureOptions.mostSide }
        },
    ]

    private static let looks = [
        DoorGap("blur", "a sigma below 0.3 or above 250, except 0") { $0.blur != 0 && !(0.3...250).contains($0.blur) },
        DoorGap("sharpen", "a sigma below 0.3 or above 10, except 0") { $0.sharpen != 0 && !(0.3...10).contains($0.sharpen) },
        DoorGap("watermark", "`ch`") { $0.hasWatermark && $0.watermark.isChess },
        DoorGap("watermark", "`re` and a gap below 0") { $0.hasWatermark && $0.watermark.anchor == nil && min($0.watermark.x, $0.watermark.y) < 0 },
        DoorGap("watermark", "a scale below 0.01 or above 1, except 0") {
            $0.hasWatermark && $0.watermark.scale != 0 && !(0.01...1).contains($0.watermark.scale)
        },
        DoorGap("watermark_rotate", "a picture as the watermark") {
            $0.hasWatermark && $0.watermarkText == nil && $0.watermarkAngle.truncatingRemainder(dividingBy: 360) != 0
        },
        DoorGap("watermark_text", "a scale") { $0.hasWatermark && $0.watermarkText != nil && $0.watermark.scale != 0 },
        DoorGap("watermark_text", "`watermark_url` beside it") { $0.hasWatermark && $0.watermarkText != nil && $0.watermarkURL != nil },
        DoorGap("watermark_text", "markup (`<` or `&`), control characters, or more than 1000 characters") { options in
            guard options.hasWatermark, let text = options.watermarkText else { return false }
            return text.unicodeScalars.count > 1000
                || text.unicodeScalars.contains { "<&".unicodeScalars.contains($0) || $0.properties.generalCategory == .control && $0 != "\n" && $0 != "\t" }
        },
    ]

    private static let outputs = [
        DoorGap("format", "best, bmp, ico, mp4, pdf, psd or svg") { $0.unwrittenFormat != nil },
        DoorGap("preserve_hdr", "1, without a format named, or with one that is none of png, tiff, jpeg, webp and gif") {
            $0.preservesHDR == true && ![.png, .tiff, .jpeg, .webp, .gif].contains($0.format)
        },
        DoorGap("preserve_hdr", "0, without a format named, or with png or tiff") { $0.preservesHDR == false && [nil, .png, .tiff].contains($0.format) },
        DoorGap("autoquality", "the least quality, or the allowed error; for dssim and ml the highest quality, too") { options in
            let wanted = options.autoquality
            guard wanted.method != .none else { return false }
            return wanted.least != nil || wanted.allowedError != nil || wanted.method != .size && wanted.most != nil
        },
        DoorGap("autoquality", "a DSSIM below 0.0005 or above 0.1") { options in options.soughtDSSIM.map { !(0.0005...0.1).contains($0) } ?? false },
        DoorGap("autoquality", "size, and a format without a quality") { options in
            options.autoquality.method == .size && options.format.map { OutputOptions().quality(in: $0) == nil } ?? false
        },
        DoorGap("max_bytes", "the format tiff") { $0.maxBytes > 0 && $0.format == .tiff },
        DoorGap("skip_processing", "a format that is not read here, or svg or pdf") { $0.keptFormats.count < $0.skippedFormats.count },
        DoorGap("jpeg_options", "no named format") { ($0.isProgressive || $0.keepsColors) && $0.format == nil },
        DoorGap("png_options", "`interlaced`, and no named format") { $0.isInterlaced && $0.format == nil },
        DoorGap("webp_options", "`near_lossless`") { $0.webpCompression == "near_lossless" && [nil, .webp].contains($0.format) },
        DoorGap("webp_options", "`lossless`, and no named format") { $0.webpCompression == "lossless" && $0.format == nil },
        DoorGap("avif_options", "`off`, or `auto` with a quality from 90 on, and no named format") { options in
            guard options.format == nil else { return false }
            let highest = max(options.quality, options.quality == 0 ? options.formatQualities[.avif] ?? 0 : 0)
            return options.avifSubsampling == .off || options.avifSubsampling == .auto && highest >= PictureOptions.fullColorQuality
        },
        DoorGap("avif_options", "`auto`, and `autoquality`") { options in
            options.avifSubsampling == .auto && options.autoquality.method != .none && [nil, .avif].contains(options.format)
        },
    ]
}

extension PictureOptions {
    /// The longest side of our operations.
    static let mostSide = 16384

    var hasSize: Bool { width > 0 || height > 0 }
    var hasBothSides: Bool { width > 0 && height > 0 }
    var hasOneSide: Bool { hasSize && !hasBothSides }
    var hasLeastSide: Bool { minWidth > 0 || minHeight > 0 }
    var isResized: Bool { hasSize || hasLeastSide || zoomAsScale != nil }
    /// Whether a part of the resized picture may be cut off.
    var isCut: Bool { hasBothSides && resizingType != .fit && resizingType != .force || hasSize && hasLeastSide }
    /// The density as a parameter of its own; nil where the wanted sides can have all factors already.
    ///
    /// With least sides or two factors, the size of the picture decides what is left of the density. So it does where a small picture is cut or stretched.
    var density: Double? {
        let isSmallCut = hasBothSides && !enlarges && (resizingType == .force || resizingType != .fit && dpr != 1)
        return hasLeastSide || isSmallCut || hasSize && zoomX != zoomY && resizingType != .force ? dpr : nil
    }
    /// The factors on the box or the picture; nil where none is left, because the wanted sides have them already.
    var zoomAsScale: (x: Double, y: Double)? {
        if hasSize, density == nil { return nil }
        // Without a size of its own, the picture itself gets the density.
        let factor = density == nil ? dpr : 1
        return zoomX * factor == 1 && zoomY * factor == 1 ? nil : (zoomX * factor, zoomY * factor)
    }
    /// The formats of sources to deliver as they came.
    var keptFormats: [ImageFormat] {
        skippedFormats.compactMap { PictureOption.formats[$0] ?? ImageFormat(rawValue: $0) }.filter { OutputOptions.keepableFormats.contains($0) }
    }
    var hasWatermark: Bool { watermark.opacity > 0 }
    /// The place of the crop; nil without a crop.
    var cropPlacement: Placement? { crop.width > 0 || crop.height > 0 ? crop.placement ?? gravity : nil }

    /// The wanted width with all its factors; nil for none.
    var boxWidth: Int? { width > 0 ? Self.side(Double(width) * dpr * zoomX) : nil }
    var boxHeight: Int? { height > 0 ? Self.side(Double(height) * dpr * zoomY) : nil }
    /// The wanted shape: the width divided by the height.
    var aspect: Double? {
        guard let boxWidth, let boxHeight else { return nil }
        return Double(boxWidth) / Double(boxHeight)
    }

    /// Whether the shape of the part that is cut out is corrected.
    var isCropCorrected: Bool { cropAspect.ratio > 0 }
    /// The corrected sides of the part that is cut out; nil if it is not corrected, or its sides are not known.
    var correctedCrop: (width: Double, height: Double)? {
        guard isCropCorrected, let (width, height) = crop.sides else { return nil }
        let ratio = cropAspect.ratio
        let isWider = width > height * ratio
        // The side that stays: the shorter one of the shape where the part shrinks.
        return isWider == cropAspect.enlarges ? (width, max(1, (width / ratio).rounded())) : (max(1, (height * ratio).rounded()), height)
    }
    /// The wanted dissimilarity of the file; nil: the quality is not searched for one. Where imgproxy has no model, ml is dssim.
    var soughtDSSIM: Double? { [.dssim, .ml].contains(autoquality.method) ? autoquality.target ?? 0.02 : nil }
    /// The quality from which on imgproxy keeps all colors of an avif.
    static let fullColorQuality = 90

    /// Returns pixels that follow the density.
    func pixels(_ length: Int) -> Int { Int((Double(length) * dpr).rounded()) }

    private static func side(_ length: Double) -> Int { max(1, Int(length.rounded())) }
}

extension PictureOptions.Crop {
    /// The sides, if both are given in pixels.
    var sides: (width: Double, height: Double)? { width >= 1 && height >= 1 ? (width, height) : nil }
}

extension Gravity {
    /// One of the nine places on a canvas, also for a point that means it; nil for anything else.
    var place: Gravity? { Self.anchors.first { $0 == self } ?? Self.anchors.first { $0.x == x && $0.y == y && self != .attention && self != .entropy } }
}
