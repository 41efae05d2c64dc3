import TintypeImages

/// A use of an option that has no operation here: this is the one list of them. A URL that asks for such a use is refused by its name.
///
/// When an operation learns it, the row says `isSupported`, and `DoorPlanner` gets the line that uses it.
package struct DoorGap: Sendable {
    /// The whole name of the option.
    package let option: String
    /// The use, for documents and refusals.
    package let use: String
    package let isSupported: Bool
    let isAsked: @Sendable (PictureOptions) -> Bool

    private init(_ option: String, _ use: String, isSupported: Bool = false, isAsked: @escaping @Sendable (PictureOptions) -> Bool) {
        (self.option, self.use, self.isSupported, self.isAsked) = (option, use, isSupported, isAsked)
    }

    var refusal: DoorRefusal { DoorRefusal(.notSupported, option: option, "\(option) is not supported here with \(use)") }

    package static let all = sizes + looks + outputs

    private static let sizes = [
        DoorGap("resizing_type", "`force` and one side only") { $0.resizingType == .force && $0.hasOneSide },
        DoorGap("resizing_type", "`auto` and both sides") { $0.resizingType == .auto && $0.hasBothSides },
        DoorGap("resizing_type", "`fill-down` and both sides, unless `enlarge` is on") { $0.resizingType == .fillDown && $0.hasBothSides && !$0.enlarges },
        DoorGap("width", "more than 16384 pixels, times `dpr` and `zoom`") { $0.boxWidth ?? 0 > PictureOptions.mostSide },
        DoorGap("height", "more than 16384 pixels, times `dpr` and `zoom`") { $0.boxHeight ?? 0 > PictureOptions.mostSide },
        DoorGap("min-width", "a number above 0") { $0.minWidth > 0 },
        DoorGap("min-height", "a number above 0") { $0.minHeight > 0 },
        DoorGap("zoom", "another factor than 1, without width and height") { ($0.zoomX != 1 || $0.zoomY != 1) && !$0.hasSize },
        DoorGap("zoom", "two different factors, except for `force`") { $0.zoomX != $0.zoomY && $0.hasSize && $0.resizingType != .force },
        DoorGap("dpr", "another factor than 1, without width and height") { $0.dpr != 1 && !$0.hasSize },
        DoorGap("dpr", "another factor than 1, and offsets of a crop") { $0.dpr != 1 && $0.cropPlacement?.hasOffset ?? false },
        DoorGap("extend", "offsets") { $0.extend.isOn && $0.hasSize && $0.extend.placement.hasOffset },
        DoorGap("extend", "a point that is none of the nine places") { $0.extend.isOn && $0.hasSize && $0.extend.placement.gravity.place == nil },
        DoorGap("extend_aspect_ratio", "offsets") { $0.extendRatio.isOn && $0.hasBothSides && $0.extendRatio.placement.hasOffset },
        DoorGap("extend_aspect_ratio", "a point that is none of the nine places") {
            $0.extendRatio.isOn && $0.hasBothSides && $0.extendRatio.placement.gravity.place == nil
        },
        DoorGap("extend_aspect_ratio", "a side more than a hundred times as long as the other") {
            $0.extendRatio.isOn && $0.aspect.map { !(0.01...100).contains($0) } ?? false
        },
        DoorGap("gravity", "offsets, where `fill` cuts") { $0.isCovering && $0.gravity.hasOffset },
        DoorGap("crop", "a side in pixels, and the other as a part or whole") {
            let sides = [$0.crop.width, $0.crop.height]
            return sides.contains { $0 >= 1 } && sides.contains { $0 < 1 }
        },
        DoorGap("crop", "parts of pixels, or more than 16384 pixels") { options in
            [options.crop.width, options.crop.height].contains { $0 >= 1 && ($0 != $0.rounded() || $0 > Double(PictureOptions.mostSide)) }
        },
        DoorGap("crop", "offsets, except pixels from `nowe` for sides in pixels") { options in
            guard let placement = options.cropPlacement, placement.hasOffset else { return false }
            let isPlain = placement.gravity == .topLeft && placement.isInPixels && options.crop.width >= 1 && options.crop.height >= 1
            return !isPlain || ![placement.x, placement.y].allSatisfy { (0...Double(PictureOptions.mostSide)).contains($0) }
        },
        DoorGap("trim", "`equal_hor` or `equal_ver`") { $0.trim.map { $0.isEqualAcross || $0.isEqualDown } ?? false },
        DoorGap("padding", "more than 16384 pixels, times `dpr`") { options in
            [options.padding.top, options.padding.right, options.padding.bottom, options.padding.left].contains { options.pixels($0) > PictureOptions.mostSide }
        },
    ]

    private static let looks = [
        DoorGap("blur", "a sigma below 0.3 or above 250, except 0") { $0.blur != 0 && !(0.3...250).contains($0.blur) },
        DoorGap("sharpen", "a sigma below 0.3 or above 10, except 0") { $0.sharpen != 0 && !(0.3...10).contains($0.sharpen) },
        DoorGap("brightness", "another number than 0") { $0.brightness != 0 },
        DoorGap("duotone", "an intensity between 0 and 1") { $0.duotone.intensity > 0 && $0.duotone.intensity < 1 },
        DoorGap("watermark", "`ch`") { $0.hasWatermark && $0.watermark.isChess },
        DoorGap("watermark", "offsets, except whole pixels from `nowe`; also the gaps of tiles") { options in
            let mark = options.watermark
            guard options.hasWatermark, mark.x != 0 || mark.y != 0 else { return false }
            let placement = PictureOptions.Placement(x: mark.x, y: mark.y)
            return mark.anchor != .topLeft || !placement.isInPixels
                || [mark.x, mark.y].contains { abs(($0 * options.dpr).rounded()) > Double(PictureOptions.mostSide) }
        },
        DoorGap("watermark", "a scale below 0.01 or above 1, except 0") {
            $0.hasWatermark && $0.watermark.scale != 0 && !(0.01...1).contains($0.watermark.scale)
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
        DoorGap("enforce_thumbnail", "1") { $0.enforcesThumbnail },
        DoorGap("format_quality", "no named format, unless `quality` is set") { !$0.formatQualities.isEmpty && $0.format == nil && $0.quality == 0 },
        DoorGap("max_bytes", "the format tiff") { $0.maxBytes > 0 && $0.format == .tiff },
        DoorGap("skip_processing", "any format") { !$0.skippedFormats.isEmpty },
        DoorGap("jpeg_options", "no named format") { ($0.isProgressive || $0.keepsColors) && $0.format == nil },
        DoorGap("max_src_resolution", "a number above 0") { $0.maxSourceResolution > 0 },
        DoorGap("max_animation_frame_resolution", "a number above 0") { $0.maxFrameResolution > 0 },
    ]
}

extension PictureOptions {
    /// The longest side of our operations.
    static let mostSide = 16384

    var hasSize: Bool { width > 0 || height > 0 }
    var hasBothSides: Bool { width > 0 && height > 0 }
    var hasOneSide: Bool { hasSize && !hasBothSides }
    /// Whether the overlap of a size is cut off.
    var isCovering: Bool { hasBothSides && (resizingType == .fill || resizingType == .fillDown) }
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

    /// Returns pixels that follow the density.
    func pixels(_ length: Int) -> Int { Int((Double(length) * dpr).rounded()) }

    private static func side(_ length: Double) -> Int { max(1, Int(length.rounded())) }
}

extension Gravity {
    /// One of the nine places on a canvas, also for a point that means it; nil for anything else.
    var place: Gravity? { Self.anchors.first { $0 == self } ?? Self.anchors.first { $0.x == x && $0.y == y && self != .attention && self != .entropy } }
}
