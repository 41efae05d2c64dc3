import Engine

/// The other roles of the worker's binary: `tintype-worker --role NAME …`.
package enum WorkerRole {
    /// Runs the role that the arguments name; they come without the program's name. Call it first in `main`, before a thread is started.
    /// - Returns: the exit status, or nil if no role is named.
    package static func run(_ arguments: [String]) -> Int32? {
        guard arguments.first == "--role" else { return nil }
        let rest = Array(arguments.dropFirst(2))
        switch arguments.dropFirst().first {
        case "pixel": PixelChild.run()
        case "codecs": return CodecReport.run(rest)
        case "convert": ConvertRole.main(rest)
        case "download-files": return DownloadFilesReport.run(rest)
        case "pool-bench": PoolBench.main(rest)
        case "bare-pixels": return InProcessPixels.main(rest)
        default: return 2
        }
    }
}
