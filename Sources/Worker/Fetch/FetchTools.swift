package import ImageHeads
package import TintypeCore
package import TintypeTransport
package import TintypeQueue
package import TintypeStores
import TintypeSettings

/// The services that every fetch of a worker uses. Made once by `WorkerService`.
@Loop package final class FetchTools {
    package let loader: SourceLoader
    package let budget: ByteBudget
    package let imageGuard: HeaderGuard
    package let pixels: PixelPool
    package let store: any ResultStore
    /// Original bytes of sources, by source digest.
    package let sources: any ResultStore
    /// Spilled results: those that `store` does not take stay here for a minute.
    package let spilled: SpilledResults
    package let scope: TaskScope
    package let logger: Logger
    package let metrics: Metrics
    /// The downloaded sources in `sources`, with their freshness.
    package let sourceCache: SourceCache
    /// Decides which failures put a source on the blacklist.
    package let blacklist: BlacklistRules
    /// The longest time that pixel processes may work on all renditions of one fetch together.
    package let pixelTime: Duration
    /// Where results are saved that are asked for so.
    package let places: SavePlaces
    /// The runs that have ended lately.
    package let ended: EndedRuns
    /// Sends the spans of runs; nil: there is no collector.
    let tracer: Tracer?
    let shortage = DescriptorExhaustion()

    package init(
        loader: SourceLoader, budget: ByteBudget, imageGuard: HeaderGuard, pixels: PixelPool, store: any ResultStore, sources: any ResultStore,
        spilled: SpilledResults,
        scope: TaskScope, logger: Logger, metrics: Metrics,
        sourceCache: SourceCache, places: SavePlaces,
        blacklist: BlacklistRules = BlacklistRules(), pixelTime: Duration = WorkerSettings().maxPixelTime, tracer: Tracer? = nil
    ) {
        (self.loader, self.budget, self.imageGuard, self.pixels) = (loader, budget, imageGuard, pixels)
        (self.store, self.sources, self.spilled) = (store, sources, spilled)
        (self.scope, self.logger, self.metrics, ended) = (scope, logger, metrics, EndedRuns(logger: logger))
        (self.sourceCache, self.blacklist, self.pixelTime, self.places, self.tracer) = (sourceCache, blacklist, pixelTime, places, tracer)
    }
}
