package import ImageHeads
package import TintypeCore
package import TintypeImages
import TintypeSettings

/// One rendition of a source, for a pixel process. Renditions of the same source are separate jobs, so that one that hangs, crashes or takes too long does
/// so alone. The jobs share the bytes and, in the same process, the decoded pixels.
package struct PixelJob: Sendable {
    package var source: JobSource
    /// The rendition; nil: the source is only described.
    package var rendition: Rendition?
    /// The other pictures that the rendition needs, in the order of `Rendition.layers`.
    package var layers: [SealedMemory] = []
    package var limits: ImageLimits
    /// The time limit, from the moment a process takes the job; waiting does not count. A second after it the process is killed.
    package var deadline: Duration
    /// Whether other jobs of the same source follow at once. If decoding is expensive, the pixels are then kept for them.
    package var isMoreToCome = false
    /// Whether the job previews a source that is still arriving. A preview takes a process only while others are idle, and gives it up for other jobs.
    package var isPreview = false
    /// The shortest time between two reports of one phase.
    package var reportInterval = Duration.milliseconds(100)
    /// The blur radius in pixels of the result; 0: none.
    package var blur = 0.0

    package init(source: JobSource, rendition: Rendition?, limits: ImageLimits = ImageLimits(), deadline: Duration = .seconds(20)) {
        (self.source, self.rendition, self.limits, self.deadline) = (source, rendition, limits, deadline)
    }

    /// Whether the job makes a picture, and does not only describe the source.
    var makesPicture: Bool { rendition.map { $0.mode != .probe } ?? false }
}

/// The outcome of a job.
package struct PixelResult: Sendable {
    package var source: PixelSource
    /// The picture; nil if none was asked for.
    package var output: PixelOutput?
    /// The asked traits of the source.
    package var description: JSONObject?
    package var timings: PixelTimings
    /// Whether the picture was made from pixels that the previous job had decoded.
    package var hasSharedPixels = false
}

/// The decoder's facts about the source, before any rotation.
package struct PixelSource: Sendable, Hashable {
    package var format: ImageFormat
    package var width: Int
    package var height: Int
    package var frames: Int
    package var hasAlpha: Bool
    /// EXIF orientation, 1…8.
    package var orientation: Int
}

/// One finished rendition.
package struct PixelOutput: Sendable {
    package var bytes: [UInt8]
    package var format: ImageFormat
    package var width: Int
    package var height: Int
    package var frames: Int
    /// The quality given to a lossy encoder.
    package var quality: Int?
}

/// The times in seconds. `decode` includes the steps that run line by line while the source is read; `transform` is work on pixels in memory.
package struct PixelTimings: Sendable, Hashable {
    package var decode = 0.0
    package var transform = 0.0
    package var encode = 0.0
}

/// The progress of a job: its phase and the fraction of the whole job, 0…1. The fraction falls only if another process begins again.
package struct PixelProgress: Sendable, Hashable {
    package var phase: Phase
    package var fraction: Double?
}

/// The settings of pixel processes.
package struct PixelSettings: Sendable {
    /// The number of pictures at once, one process each.
    package var processes: Int
    /// A process is replaced after this number of pictures…
    package var maxImages = WorkerSettings().pixelReuse
    /// …or if more than this number of bytes is resident between pictures.
    package var maxBytesRSS = 192 << 20
    /// Whether a process makes pictures of one scope alone.
    package var keepsScopesApart = false
    /// The address space in bytes that a process may take beyond its warm state.
    package var memoryLimit = Self.memoryLimit(forPixels: PictureBounds.pixels.usual)

    /// Returns the memory limit for a limit of pixels. Small pictures need much memory too, for tables, codecs and fonts.
    package static func memoryLimit(forPixels most: Int) -> Int { max(768 << 20, (768 << 20) / PictureBounds.pixels.usual * most) }

    /// The time after its deadline in which a process may still report the timeout.
    package var patience = Duration.seconds(1)
    /// How long the pool tries to start a first process before waiting pictures fail.
    package var startPatience = Duration.seconds(10)
    /// The font families for text.
    package var fonts = Text.usualFonts
    /// The formats that are decoded.
    package var formats = Set(ImageFormat.decodable)
    /// The program with the role `pixel`: this program, except in tests.
    package var executable = "/proc/self/exe"
    /// Whether pictures that end in `tintype-test-hook:NAME` make their process hang, crash and so on. Only for tests.
    package var testHooks = false

    /// Whether processes see short sources in a window (`SourceWindow`). Otherwise each source has sealed memory of its own.
    package var hasWindows = SourceWindow.isKnown

    package init(processes: Int) { self.processes = processes }
}
