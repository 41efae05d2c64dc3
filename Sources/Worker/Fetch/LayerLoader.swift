import ImageHeads
import TintypeCore
import TintypeTransport
import TintypeImages

/// Loads the other pictures that the renditions of one fetch need, each picture once. Nobody hears of their progress. They are freed with the fetch.
/// Lives on the loop.
@Loop final class LayerLoader {
    /// A picture as pixel processes get it, and what it says about caches.
    typealias Loaded = (memory: SealedMemory, freshness: LayerFreshness)

    private let loader: SourceLoader
    private let making: RenditionMaker.Parts
    private let reporter: FetchReporter
    private let use: CacheUse
    private let access: String?
    /// The loaded pictures, each with its own part of the budget. The fetch's own part would not do: a failed download gives that part back.
    private var known: [Layer: (loaded: Loaded, reservation: ByteReservation)] = [:]

    private let onBusy: @Loop (_ host: String, _ seconds: Double) async -> Void
    /// The longest `Retry-After` in seconds that a rendition waits for. During a wait the fetch keeps its source and its permit.
    private static let maxPause = 30.0

    /// The fetch's own part of the budget, for its source.
    private let reservation: ByteReservation
    /// The sources that the fetch stores; they are removed again if the fetch is canceled.
    private let writes: SourceWrites

    /// - Parameters:
    ///   - reservation: the budget part of the fetch.
    ///   - writes: the writes of the fetch.
    ///   - use: the cache options of the fetch. If they forbid the network, other pictures may not use the network either.
    ///   - access: the access list of the fetch, which judges redirects.
    ///   - reporter: the reporter of the fetch.
    ///   - onBusy: called with a host that sent `Retry-After`, and with its seconds.
    init(
        loader: SourceLoader, making: RenditionMaker.Parts, reservation: ByteReservation, writes: SourceWrites, use: CacheUse, access: String?,
        reporter: FetchReporter,
        onBusy: @escaping @Loop (_ host: String, _ seconds: Double) async -> Void
    ) {
        self.onBusy = onBusy
        (self.loader, self.making, self.reservation, self.writes, self.access, self.reporter) = (loader, making, reservation, writes, access, reporter.silent())
        var own = CacheUse()
        if use.mode == .only { own.mode = .only }
        self.use = own
    }

    /// Frees all pictures except these, which are not looked for if there is none to free.
    func keep(only needed: @autoclosure () -> [Layer]) {
        guard !known.isEmpty else { return }
        let needed = Set(needed())
        known = known.filter { needed.contains($0.key) }
    }

    /// - Throws: `transformFailed` if the bytes are no accepted picture, or if all pictures together exceed the budget. The download has as many
    ///   attempts as a source. `internal` if memory or a descriptor is missing.
    func load(_ layer: Layer) async throws(TintypeError) -> Loaded {
        if let known = known[layer] { return known.loaded }
        let own = reservation.ofLayer()
        // Two fetches that each hold their source and wait for a layer must not wait for each other's bytes.
        reservation.awaitMore()
        defer { reservation.haveMore() }
        let source: LoadedSource
        do throws(TintypeError) {
            source = try await download(layer.source, own)
            // Checked before a pixel process is used, so that bytes that are no picture take no more memory.
            do throws(TintypeError) {
                let (headerGuard, bytes) = (making.imageGuard, source.bytes)
                _ = try await Loop.work(on: bytes.count) { () throws(TintypeError) in try headerGuard.format(of: bytes) }
            } catch {
                if error.name == .badImageData { await loader.cache.spoil(layer.source.digest, sha256: source.info.sha256) }
                throw error
            }
            try own.checkPictures()
        } catch {
            if error.isOfShortage { throw error }
            // The next rendition may need fewer pictures.
            reservation.allow()
            var failure = TintypeError(
                .transformFailed, .transform, "another picture that an operation needs could not be loaded: \(error.message)", retryable: error.isRetryable,
                details: ["url": .string(RedactedURL(layer.source.url).description), "cause": .string(error.name.rawValue)])
            failure.logged = error.logged
            throw failure
        }
        let loaded = (try await making.pixels.seal(source.bytes), LayerFreshness(source))
        known[layer] = (loaded, own)
        return loaded
    }

    /// Downloads a layer and repeats transient failures, so that these do not fail a rendition whose source is there. Respects `Retry-After`.
    private func download(_ source: Source, _ reservation: ByteReservation) async throws(TintypeError) -> LoadedSource {
        var source = source
        source.access = access
        var attempt = 1
        while true {
            do throws(TintypeError) {
                return try await loader.load(source, use, accepting: Acceptance(), reservation: reservation, reporter: reporter, writes: writes)
            } catch {
                if let busy = error.busyHost { await onBusy(busy.host, busy.seconds) }
                let asked = error.busyHost?.seconds ?? 0
                let pause = max(Duration.milliseconds(250 << min(attempt, 10)), .seconds(bounded: asked))
                guard error.isRetryable, !error.isOfShortage, asked <= Self.maxPause, attempt < source.fetch.attempts,
                    (try? await Loop.sleep(pause)) != nil
                else { throw error }
                try reservation.check()
                attempt += 1
            }
        }
    }
}
