package import ImageHeads
package import TintypeCore
package import TintypeTransport
package import TintypeQueue
package import TintypeStores
import TintypeSettings

/// What every fetch of a worker is run with. Made once by `WorkerService`.
@Loop package final class FetchTools {
    package let loader: SourceLoader
    package let budget: ByteBudget
    package let imageGuard: ImageGuard
    package let pixels: PixelPool
    package let store: any ResultStore
    /// Sources as they came, by source digest.
    package let sources: any ResultStore
    /// Where results go for the moment that `store` does not take.
    package let held: HeldResults
    /// For hashing what is too long for the loop.
    package let blocking: BlockingPool
    package let scope: TaskScope
    package let logger: Logger
    package let metrics: Metrics
    /// The sources that were downloaded before, in `sources`.
    package let sourceCache: SourceCache
    /// Which failures keep a source from being asked again for a while.
    package let blacklist: BlacklistRules
    /// How long pixel processes may work on the renditions of one fetch, all together.
    package let pixelTime: Duration
    let shortage = DescriptorShortage()

    package init(
        loader: SourceLoader, budget: ByteBudget, imageGuard: ImageGuard, pixels: PixelPool, store: any ResultStore, sources: any ResultStore,
        held: HeldResults,
        blocking: BlockingPool, scope: TaskScope, logger: Logger, metrics: Metrics,
        sourceCache: SourceCache, blacklist: BlacklistRules = BlacklistRules(), pixelTime: Duration = WorkerSettings().maxPixelTime
    ) {
        (self.loader, self.budget, self.imageGuard, self.pixels) = (loader, budget, imageGuard, pixels)
        (self.store, self.sources, self.held, self.blocking) = (store, sources, held, blocking)
        (self.scope, self.logger, self.metrics) = (scope, logger, metrics)
        (self.sourceCache, self.blacklist, self.pixelTime) = (sourceCache, blacklist, pixelTime)
    }
}
