package import ImageHeads
package import TintypeCore
package import TintypeImages
import TintypeSettings

/// One source and the one rendition that a pixel process makes of it. Renditions of the same source are jobs of their own, so that
/// what hangs, crashes or takes too long does so alone; they share the sealed bytes, and where they come to the same process its pixels.
package struct PixelJob: Sendable {
    package var source: SealedMemory
    /// nil: the source is only described.
    package var rendition: Rendition?
    /// The other pictures that the rendition needs, in the order of `Rendition.layers`.
    package var layers: [SealedMemory] = []
    package var limits: ImageLimits
    /// From the moment a process takes it; waiting for one does not count. A second later the process is killed.
    package var deadline: Duration
    /// Whether others of the same source follow at once: then what is dear to decode is decoded for them too.
    package var isMoreToCome = false
    /// A picture of what is there of a source that is still arriving. It takes a process only while others are idle, and gives it up for
    /// real work.
    package var isPreview = false
    /// Between two reports of one phase.
    package var reportInterval = Duration.milliseconds(100)
    /// Blurs what is made, by this many of its pixels; 0: not at all.
    package var blur = 0.0

    package init(source: SealedMemory, rendition: Rendition?, limits: ImageLimits = ImageLimits(), deadline: Duration = .seconds(20)) {
        (self.source, self.rendition, self.limits, self.deadline) = (source, rendition, limits, deadline)
    }

    /// Whether a picture is made of it, and not only told of.
    var makesPicture: Bool { rendition.map { $0.mode != .probe } ?? false }
}

/// What became of a job.
package struct PixelResult: Sendable {
    package var source: PixelSource
    /// nil when nothing was to be made.
    package var output: PixelOutput?
    /// What was asked to be told of the source.
    package var description: JSONObject?
    package var timings: PixelTimings
    /// Whether it was made of the pixels that the job before had decoded.
    package var hasSharedPixels = false
}

/// What the decoder says of the source, before any turning.
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
    /// What a lossy encoder was given.
    package var quality: Int?
}

/// Seconds. `decode` reads the source with the steps that are done line by line meanwhile; `transform` is work on pixels in memory.
package struct PixelTimings: Sendable, Hashable {
    package var decode = 0.0
    package var transform = 0.0
    package var encode = 0.0
}

/// How far a job is: decode, transform or encode, and the fraction of the whole job, 0…1, which falls only where another process begins anew.
package struct PixelProgress: Sendable, Hashable {
    package var phase: Phase
    package var fraction: Double?
}

/// How pixel processes are run.
package struct PixelSettings: Sendable {
    /// Pictures worked on at once; one process each.
    package var processes: Int
    /// A process is replaced after this many pictures…
    package var maxImages = WorkerSettings().pixelReuse
    /// …or when it keeps more than this many bytes resident between pictures.
    package var maxBytesRSS = 192 << 20
    /// Address space a process may take beyond what it has when it is warm, in bytes.
    package var memoryLimit = Self.memoryLimit(forPixels: PictureBounds.pixels.usual)

    /// Small pictures need much of it all the same: tables, codecs, fonts.
    package static func memoryLimit(forPixels most: Int) -> Int { max(768 << 20, (768 << 20) / PictureBounds.pixels.usual * most) }

    /// After its own deadline a process has this long to say so.
    package var patience = Duration.seconds(1)
    /// How long it is tried to start a first process before whoever waits is told that there is none.
    package var startPatience = Duration.seconds(10)
    /// The families that text may be drawn with.
    package var fonts = SharedSettings().fonts
    /// The program that has the role `pixel`; this one, unless a test says otherwise.
    package var executable = "/proc/self/exe"
    /// Lets pictures that end in `tintype-test-hook:NAME` make their process hang, crash and so on. Never outside tests.
    package var testHooks = false

    package init(processes: Int) { self.processes = processes }
}
