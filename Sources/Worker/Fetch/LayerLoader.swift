import ImageHeads
import TintypeCore
import TintypeTransport
import TintypeImages

/// Loads the other pictures that the renditions of one fetch need, each once. Nobody is told of their progress; they end with the fetch. Lives
/// on the loop.
@Loop final class LayerLoader {
    /// A picture as pixel processes get it, the seconds it is fresh, and when it came.
    typealias Loaded = (memory: SealedMemory, freshUntil: Double, storedAt: Double)

    private let tools: FetchTools
    private let reporter: FetchReporter
    private let use: CacheUse
    private let access: String?
    /// Those that were loaded, with what their bytes are counted by: not the fetch's own share, which a failed download gives back.
    private var known: [Layer: (loaded: Loaded, share: ByteShare)] = [:]

    private let onBusy: @Loop (_ host: String, _ seconds: Double) async -> Void
    /// For a host that asks for more rest than this no rendition waits: its source and its place in the worker are held meanwhile.
    private static let longestRest = 30.0

    /// Of the fetch itself, for its source.
    private let share: ByteShare
    /// Sources that the fetch keeps, and that are taken back with it.
    private let writes: SourceWrites

    /// - Parameters:
    ///   - share: of the fetch.
    ///   - writes: of the fetch.
    ///   - use: of the fetch: where the network is forbidden to it, it is to them.
    ///   - access: of the fetch: what redirects are judged by.
    ///   - reporter: of the fetch.
    ///   - onBusy: hears of hosts that ask to be left alone for so many seconds.
    init(
        tools: FetchTools, share: ByteShare, writes: SourceWrites, use: CacheUse, access: String?, reporter: FetchReporter,
        onBusy: @escaping @Loop (_ host: String, _ seconds: Double) async -> Void
    ) {
        self.onBusy = onBusy
        (self.tools, self.share, self.writes, self.access, self.reporter) = (tools, share, writes, access, reporter.silent())
        var own = CacheUse()
        if use.mode == .only { own.mode = .only }
        self.use = own
    }

    /// Whether any is held.
    var holds: Bool { !known.isEmpty }

    /// Lets go of all others.
    func keep(only needed: Set<Layer>) { known = known.filter { needed.contains($0.key) } }

    /// - Throws: `transformFailed`, after as many tries as a source has, for what is no picture that may be opened, and where all of them would be more
    ///   than this worker may hold; `internal` without memory or a descriptor for it.
    func load(_ layer: Layer) async throws(TintypeError) -> Loaded {
        if let known = known[layer] { return known.loaded }
        let own = share.ofLayer()
        // Two fetches that each hold their source and wait for a layer must not wait for each other's bytes.
        share.awaitMore()
        defer { share.haveMore() }
        let source: LoadedSource
        do throws(TintypeError) {
            source = try await download(layer.source, own)
            // Here and not in a pixel process alone: what is no picture takes no more memory.
            do throws(TintypeError) {
                _ = try tools.imageGuard.format(of: source.bytes)
            } catch {
                if error.name == .badImageData { await tools.sourceCache.spoil(layer.source.digest, sha256: source.info.sha256) }
                throw error
            }
            if own.isExceeded { throw .tooManyPictures(tools.budget.capacity) }
            try own.check()
        } catch {
            if error.isOfShortage { throw error }
            // The next rendition may need fewer.
            share.allow()
            var failure = TintypeError(
                .transformFailed, .transform, "another picture that an operation needs could not be had: \(error.message)", retryable: error.isRetryable,
                details: ["url": .string(RedactedURL(layer.source.url).description), "cause": .string(error.name.rawValue)])
            failure.logged = error.logged
            throw failure
        }
        let loaded = (try await tools.pixels.seal(source.bytes), source.freshUntil, source.storedAt)
        known[layer] = (loaded, own)
        return loaded
    }

    /// What is transient must not fail a rendition whose source is there. A host that asks for rest has it.
    private func download(_ source: Source, _ share: ByteShare) async throws(TintypeError) -> LoadedSource {
        var source = source
        source.access = access
        var attempt = 1
        while true {
            do throws(TintypeError) {
                return try await tools.loader.load(source, use, accepting: Acceptance(), share: share, reporter: reporter, writes: writes)
            } catch {
                if let busy = error.busyHost { await onBusy(busy.host, busy.seconds) }
                let rest = error.busyHost?.seconds ?? 0
                let pause = max(Duration.milliseconds(250 << min(attempt, 10)), .seconds(bounded: rest))
                guard error.isRetryable, !error.isOfShortage, rest <= Self.longestRest, attempt < source.fetch.attempts,
                    (try? await Loop.sleep(pause)) != nil
                else { throw error }
                try share.check()
                attempt += 1
            }
        }
    }
}
