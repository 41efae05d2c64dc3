package import TintypeImages

/// The options of one picture, each as a typed value: those of presets and of the URL together. Defaults are imgproxy's. A pure value.
package struct PictureOptions: Sendable, Hashable {
    package enum ResizingType: String, Sendable, CaseIterable, Hashable {
        case fit, fill
        case fillDown = "fill-down"
        case force, auto
    }

    /// A gravity: the part to keep, or the place on a canvas, with offsets.
    package struct Placement: Sendable, Hashable {
        /// An anchor, `attention` or a point.
        package var gravity = Gravity.center
        package var x = 0.0
        package var y = 0.0

        package init(_ gravity: Gravity = .center, x: Double = 0, y: Double = 0) { (self.gravity, self.x, self.y) = (gravity, x, y) }

        var hasOffset: Bool { x != 0 || y != 0 }
    }

    /// A canvas for a picture that is smaller than wanted, or has another shape.
    package struct Extension: Sendable, Hashable {
        package var isOn = false
        package var placement = Placement()
    }

    /// The part that is cut out before anything is resized. Below 1 a side is a part of the picture, and 0 the whole side.
    package struct Crop: Sendable, Hashable {
        package var width = 0.0
        package var height = 0.0
        /// nil: that of the option gravity.
        package var placement: Placement?
    }

    package struct Trim: Sendable, Hashable {
        package var threshold: Double
        package var color: Color?
        package var isEqualAcross = false
        package var isEqualDown = false
    }

    package struct Padding: Sendable, Hashable {
        package var top = 0
        package var right = 0
        package var bottom = 0
        package var left = 0
    }

    /// The shape to which the part that is cut out is corrected.
    package struct CropAspect: Sendable, Hashable {
        /// The width divided by the height; 0: as the option crop says.
        package var ratio = 0.0
        /// Whether the part grows to the shape; otherwise it shrinks.
        package var enlarges = false
    }

    package struct Duotone: Sendable, Hashable {
        package var intensity = 0.0
        package var shadow: Color?
        package var highlight: Color?
    }

    package struct Monochrome: Sendable, Hashable {
        package var intensity = 0.0
        package var color: Color?
    }

    /// A color over the whole picture.
    package struct Overlay: Sendable, Hashable {
        package var opacity = 0.0
        package var color: Color?
        /// Whether transparent parts of the picture stay transparent.
        package var keepsAlpha = false
    }

    /// The search for the quality of the file.
    package struct Autoquality: Sendable, Hashable {
        package enum Method: String, Sendable, CaseIterable, Hashable { case none, size, dssim, ml }

        package var method = Method.none
        /// The most bytes, or the dissimilarity of the file; nil: the default of imgproxy.
        package var target: Double?
        package var least: Int?
        package var most: Int?
        package var allowedError: Double?
    }

    package enum Subsampling: String, Sendable, CaseIterable, Hashable { case auto, on, off }

    package struct Watermark: Sendable, Hashable {
        package var opacity = 0.0
        /// nil: tiles over the whole picture.
        package var anchor: Gravity? = .center
        /// The offset, or the gap between columns of tiles.
        package var x = 0.0
        package var y = 0.0
        package var scale = 0.0
        /// Whether the tiles lie like the dark squares of a chessboard.
        package var isChess = false
    }

    package var resizingType = ResizingType.fit
    package var kernel = Resize.Kernel.lanczos3
    /// 0: follows the other side.
    package var width = 0
    package var height = 0
    package var minWidth = 0
    package var minHeight = 0
    package var zoomX = 1.0
    package var zoomY = 1.0
    package var dpr = 1.0
    /// Whether a URL or preset names the density.
    package var namesDPR = false
    package var enlarges = false
    package var extend = Extension()
    package var extendRatio = Extension()
    package var gravity = Placement()
    package var crop = Crop()
    package var cropAspect = CropAspect()
    package var trim: Trim?
    package var padding = Padding()

    package var autoRotates = true
    /// Clockwise, a multiple of 90.
    package var angle = 0
    package var flipsAcross = false
    package var flipsDown = false

    package var background: Color?
    package var backgroundAlpha = 1.0
    package var blur = 0.0
    package var sharpen = 0.0
    package var pixelate = 0
    package var brightness = 0
    package var contrast = 1.0
    package var saturation = 1.0
    package var monochrome = Monochrome()
    package var duotone = Duotone()
    package var overlay = Overlay()
    package var watermark = Watermark()
    package var watermarkURL: String?
    package var watermarkText: String?
    /// Degrees clockwise.
    package var watermarkAngle = 0.0

    package var stripsMetadata = true
    package var keepsCopyright = true
    package var stripsProfile = true
    /// nil: not said.
    package var preservesHDR: Bool?
    package var enforcesThumbnail = false
    /// nil: that of the source, or the best one that the client shows.
    package var format: ImageFormat?
    /// A format that is not written here.
    package var unwrittenFormat: String?
    /// 0: the default of the format.
    package var quality = 0
    package var formatQualities: [ImageFormat: Int] = [:]
    package var autoquality = Autoquality()
    package var maxBytes = 0
    /// For jpeg.
    package var isProgressive = false
    /// For png.
    package var isInterlaced = false
    package var isPalette = false
    /// For jpeg.
    package var keepsColors = false
    /// The name of the compression of webp; nil: with loss.
    package var webpCompression: String?
    /// For avif; nil: as our operations do.
    package var avifSubsampling: Subsampling?
    package var page = 0
    package var disablesAnimation = false

    package var isRaw = false
    package var skippedFormats: [String] = []
    package var cacheBuster = ""
    /// Seconds since 1970.
    package var expires: Int?
    package var filename: String?
    package var isAttachment = false
    package var bypassesCache = false
    package var fallbackURL: String?
    /// The queue of the work; nil: the default one. Only presets name it, like the priority.
    package var queue: String?
    /// -10 to 10; nil: 0.
    package var priority: Int?
    /// The tags of the result that presets name.
    package var tags: [String] = []
    /// Tags beside those, of a signed URL or a preset.
    package var cacheTags: [String] = []

    /// Megapixels.
    package var maxSourceResolution = 0.0
    package var maxSourceBytes = 0
    package var maxFrames = 0
    package var maxFrameResolution = 0.0
    package var maxResultSide = 0

    package init() {}
}
