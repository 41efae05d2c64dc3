package import ImageHeads
package import TintypeCore
package import TintypeStores
package import TintypeTransport

/// Something that the core of a worker does without. Its code is a target of its own in `Sources/Features`, and `tintype-worker` lists its features.
package struct WorkerFeature: Sendable {
    /// The parts of a worker that features may use.
    package struct Parts: Sendable {
        package let redis: RedisNodes
        /// Where files are read and written.
        package let files: BlockingPool
        package let pixels: PixelPool
        package let limits: ImageLimits
        package let spilled: SpilledResults
        package let context: WorkerContext
    }

    /// Adds what the feature can do.
    let add: @Loop (inout WorkerAbilities, Parts) throws(TintypeError) -> Void

    package init(_ add: @escaping @Loop (inout WorkerAbilities, Parts) throws(TintypeError) -> Void) { self.add = add }
}

/// The owner of the tasks of a worker's runs, and the places where they report.
package struct WorkerContext: Sendable {
    package let scope: TaskScope
    package let logger: Logger
    package let metrics: Metrics
    /// Takes the spans of runs; nil: there is no collector.
    var tracer: (any Tracer)?
}

/// The abilities that features add to a worker, each nil without its feature.
package struct WorkerAbilities {
    package var bodies: (any BodyReader)?
    package var saving: (any ResultSaver)?
    package var cookies: (any CookieSource)?
    /// Without it nobody gets previews, which are only a courtesy.
    package var previews: (@Loop (WatchedDownload) -> any DownloadObserver)?

    @Loop init(_ features: [WorkerFeature], _ parts: WorkerFeature.Parts) throws(TintypeError) {
        for feature in features { try feature.add(&self, parts) }
    }
}

extension TintypeError {
    /// The error of a request that needs a feature which this worker does not have.
    static func missing(_ feature: String, _ phase: Phase) -> TintypeError {
        TintypeError(.forbidden, phase, "this worker is built without the feature \(feature)", details: ["feature": .string(feature)])
    }
}
