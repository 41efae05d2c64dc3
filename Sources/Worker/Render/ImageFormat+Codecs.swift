import TintypeImages

/// What the pipeline knows about each format it can open or write.
extension ImageFormat {
    /// libvips' typed loader; nil for formats that are never opened.
    var loader: String? {
        switch self {
        case .jpeg: "jpegload_buffer"
        case .png: "pngload_buffer"
        case .webp: "webpload_buffer"
        case .avif, .heif: "heifload_buffer"
        case .gif: "gifload_buffer"
        case .tiff: "tiffload_buffer"
        default: nil
        }
    }

    /// libvips' saver; nil for formats that are never written.
    var saver: String? {
        switch self {
        case .jpeg: "jpegsave_buffer"
        case .png: "pngsave_buffer"
        case .webp: "webpsave_buffer"
        case .avif, .heif: "heifsave_buffer"
        case .gif: "gifsave_buffer"
        case .tiff: "tiffsave_buffer"
        case .jxl: "jxlsave_buffer"
        default: nil
        }
    }

    /// Whether nothing is lost where that is asked for. Before 8.15.3 libvips leaves libheif to mix the colours, and what is mixed is rounded.
    var isExactWithoutLoss: Bool { ![.avif, .heif].contains(self) || VipsRuntime.isAtLeast(8, 15, 3) }

    var isAnimatable: Bool { Self.animated.contains(self) }
    var holdsAlpha: Bool { self != .jpeg }
    var holdsSixteenBits: Bool { self == .png || self == .tiff }

    /// The longest side the format itself can hold.
    var maxEncodedSide: Int {
        switch self {
        case .webp: 16383
        case .avif, .heif: 16384
        default: 65535
        }
    }
}
