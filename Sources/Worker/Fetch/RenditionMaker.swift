import ImageHeads
import TintypeCore
package import TintypeTransport
import TintypeImages
import TintypeQueue
import TintypeSettings
import TintypeStores

/// Makes renditions of a loaded source, one at a time: header guard, pixels, store. Each rendition is a job with its own time limit, and fails alone.
/// There is one maker for each fetch. Lives on the loop.
@Loop package final class RenditionMaker {
    /// The parts of the worker that its makers use.
    package struct Parts: Sendable {
        let pixels: PixelPool
        let imageGuard: HeaderGuard
        let results: ResultKeeper
        let bodies: (any BodyReader)?
        let saving: (any ResultSaver)?
        /// Decides which failures put a source on the blacklist.
        let blacklist: BlacklistRules
        /// The longest time that pixel processes may work on all renditions of one fetch together.
        var pixelTime = WorkerSettings().maxPixelTime
        let context: WorkerContext
    }

    /// The times of the work since the last `takePhases`.
    private var phases = PhaseTimes()
    let version: Int
    private let awaits: Bool
    /// The source. Its bytes are freed once `handed` has them and no more renditions are owed.
    private(set) var source: LoadedSource
    /// The length of the source in bytes.
    let length: Int
    private let fetch: String
    /// The TTL for results that receipts ask for (`Submission.resultTime`).
    private var asked: ResultTime
    /// Whether the source was purged after the run began.
    private var isPurged = false
    private let layers: LayerLoader
    private let writes: SourceWrites
    /// The spans of the fetch, if its trace is sent.
    private let spans: RunSpans?
    let parts: Parts
    let reporter: FetchReporter
    let reservation: ByteReservation
    /// The remaining time that pixel processes may work for this fetch.
    private var pixelTime: Duration
    /// The source as pixel processes get it.
    private var handed: JobSource?
    let isSecret: @Loop () -> Bool
    private let owner: String?
    /// The part of the present round that this rendition takes, for progress.
    private var part = 0.0...1.0

    /// The longest time for one picture. Deadlines of receipts do not count here, because they end the whole fetch.
    private static let longest = Duration.seconds(20)
    /// The longest TTL, whatever the origin says: a year.
    private static let maxTTL = 31_536_000.0

    /// The lifetime in seconds of a result that is not kept: its URL works for a minute.
    private static let briefly = 60.0

    /// - Parameters:
    ///   - ttl: the TTL for results that receipts ask for.
    ///   - use: the cache options of the receipts that want this source.
    ///   - layers: loads the other pictures.
    ///   - writes: the sources that the fetch stores.
    ///   - owner: the scope whose source it is; nil: of none.
    ///   - isSecret: whether the bytes of the source may not be shown to operators. Asked after a failure only.
    init(
        source: LoadedSource, ttl: ResultTime, use: CacheUse, fetch: String, parts: Parts, layers: LayerLoader, reporter: FetchReporter,
        reservation: ByteReservation, writes: SourceWrites, spans: RunSpans? = nil, owner: String? = nil, isSecret: @escaping @Loop () -> Bool = { true }
    ) {
        (self.source, self.fetch, asked, self.owner, self.isSecret) = (source, fetch, ttl, owner, isSecret)
        length = source.bytes.count
        (version, awaits) = (use.version, use.awaits)
        (self.parts, self.layers, self.reporter, self.reservation) = (parts, layers, reporter, reservation)
        (self.writes, self.spans, pixelTime) = (writes, spans, parts.pixelTime)
    }

    /// Returns the times of the work since the last call.
    func takePhases() -> PhaseTimes {
        defer { phases = PhaseTimes() }
        return phases
    }

    /// Makes one owed rendition.
    /// - Parameters:
    ///   - part: the part of all owed work that this rendition is, 0…1.
    ///   - rest: the renditions that follow. Other pictures that none of these needs are freed.
    /// - Throws: errors that are not the picture's fault, such as a worker that cannot start a pixel process. The fetch is tried again.
    func make(
        _ one: ReadRendition, part: ClosedRange<Double>, before rest: ArraySlice<ReadRendition> = []
    ) async throws(TintypeError) -> MadeRendition {
        self.part = part
        try await bringBack()
        defer { layers.keep(only: rest.flatMap(\.layers)) }
        var (isStrict, isLayered) = (false, false)
        do throws(TintypeError) {
            let rendition = try one.content.get()
            // A thumbnail may be broken where the picture is whole.
            isStrict = rendition.decode.isThumbnail || [.error, .warning].contains(rendition.decode.failOn)
            isLayered = !rendition.layers.isEmpty
            if let refusal = rendition.acceptance.refusal(
                of: source.bytes, head: source.answer, type: source.contentType, url: source.info.url, hadCredentials: source.hadCredentials)
            {
                isStrict = true
                throw refusal
            }
            switch rendition.mode {
            case .image: return try await draw(one.digest, rendition)
            case .probe: return try await probe(one.digest, rendition)
            case .bytes:
                if let shape = rendition.acceptance.shape { try await check(shape, maxLevels: 64) }
                return try await passThrough(one.digest, rendition)
            case .json:
                try await check(rendition.acceptance.shape, maxLevels: JSONText.maxLevels)
                return try await passThrough(one.digest, rendition, as: .json)
            case .text: return try await passThrough(one.digest, rendition, as: .text, try await text(rendition.acceptance))
            case .xml: return try await passThrough(one.digest, rendition, as: .xml, try await text(rendition.acceptance, isXML: true))
            }
        } catch {
            if error.name == .internalError, error.isRetryable { throw error }
            // A failure of a strict request only is not the source's fault.
            isStrict = isStrict || Requirement.isRefusal(error)
            var failed = failure(
                one.digest, (isLayered ? error : showing(error)).about(url: source.info.finalURL),
                listing: isStrict ? nil : parts.blacklist.listing(of: error, url: source.info.url))
            // With other pictures, one of those may be the broken one.
            failed.isSourceSpoiled = !isStrict && !isLayered && error.name == .badImageData
            return failed
        }
    }

    /// Takes the source back if a rendition joined after its bytes were freed.
    private func bringBack() async throws(TintypeError) {
        guard source.bytes.isEmpty, length > 0, let handed else { return }
        source.bytes = try await parts.pixels.bytes(of: handed)
        if handed.isCopy { reservation.add(length) }
    }

    /// Returns the first bytes of the source, wherever its bytes are.
    func beginning(_ most: Int) -> [UInt8] {
        source.bytes.isEmpty ? handed?.beginning(most) ?? [] : Array(source.bytes.prefix(most))
    }

    /// Raises the TTL of results, for a receipt that asks for more.
    func keep(for time: ResultTime) { asked = max(asked, time) }

    /// Stores a rendition again if its TTL was shorter than the present one.
    func keepLonger(_ made: MadeRendition) async -> MadeRendition { await keep(made, for: kept(until: source.freshUntil)) { $0 < asked } }

    /// Stores a rendition again whose source was purged after the run began. Only the receipts that wait now get this one and all later ones.
    func keepBriefly(_ made: MadeRendition) async -> MadeRendition {
        isPurged = true
        return await keep(made, for: .bytesOnly) { $0 > .bytesOnly }
    }

    private func keep(_ made: MadeRendition, for time: ResultTime, if isWrong: (ResultTime) -> Bool) async -> MadeRendition {
        guard case .success(let info, let source, let description, let before) = made.outcome.result, isWrong(before) else { return made }
        if let picture = made.picture { return await keep(picture) }
        return MadeRendition(outcome: RenditionOutcome(made.outcome.digest, .success(info: info, source: source, description: description, time: time)))
    }

    /// Returns how long the index keeps a result that is fresh until `fresh`. A TTL that receipts ask for stays as asked. Otherwise it
    /// is the remaining freshness, at most a year. A result that is stale when it is done goes only to the receipts that wait for it.
    func kept(until fresh: Double) -> ResultTime {
        let time = asked == .whileFresh ? max(asked, ResultTime(seconds: min(fresh - WallClock.now, Self.maxTTL))) : asked
        return isPurged ? min(time, .bytesOnly) : time
    }

    private func failure(_ digest: String, _ error: TintypeError, listing: BlacklistListing? = nil) -> MadeRendition {
        parts.context.metrics.add(.errors, labels: error.name.rawValue, error.phase.rawValue)
        let url = source.info.finalURL
        parts.context.logger.info("a rendition failed", ["fetch": fetch, "url": RedactedURL(url), "error": error.description])
        return MadeRendition(outcome: RenditionOutcome(digest, .failure(error), listing: listing))
    }

    // MARK: Pictures

    private func draw(_ digest: String, _ rendition: Rendition) async throws(TintypeError) -> MadeRendition {
        // A result with other pictures is drawn again: nobody knows whether those have changed.
        if rendition.layers.isEmpty, let drawn = try await drawn(digest, rendition) { return drawn }
        let format = try await look { [headerGuard = parts.imageGuard.serving(rendition.decode)] source throws(TintypeError) in
            let format = try headerGuard.format(of: source.bytes)
            // Checked before decoding if the header is reliable.
            if let requirement = rendition.requirement, format.hasReliableHeader, let found = Requirement.Found(source.bytes) {
                if let refusal = requirement.refusal(of: found) { throw refusal }
            }
            return format
        }
        if rendition.output.keeps(format) { return try await keepSource(digest, rendition, format) }
        var others: [LayerLoader.Loaded] = []
        for layer in rendition.layers { others.append(try await layers.load(layer)) }
        let result = try await render(rendition, others.map(\.memory))
        let described = described(by: result.source)
        if let refusal = rendition.requirement?.refusal(of: Requirement.Found(described)) { throw refusal }
        guard let picture = result.output else { throw TintypeError(.internalError, .encode, "the pixel process returned no picture") }
        reservation.addResult(picture.bytes.count)
        parts.context.metrics.add(.sourceBytes, Double(length), labels: format.rawValue)
        parts.context.metrics.add(.resultBytes, Double(picture.bytes.count), labels: picture.format.rawValue)
        parts.context.metrics.add(.resultSourceBytes, Double(length), labels: picture.format.rawValue)
        var info = RenditionInfo(
            key: digest, contentType: picture.format.contentType, bytes: picture.bytes.count, sha256: await hash(picture.bytes), stored: [],
            isApplied: true)
        (info.format, info.width, info.height, info.frames) = (picture.format, picture.width, picture.height, picture.frames)
        (info.quality, info.metadata) = (picture.quality, rendition.metadata)
        info.saved = try await save(picture.bytes, info, rendition.saveTo)
        return await keep(
            MadeRendition.Picture(
                bytes: picture.bytes, info: info, source: described, others: others.reduce(into: LayerFreshness()) { $0.add($1.freshness) },
                operations: rendition.shownOperations))
    }

    /// Returns the stored result of an unchanged source, and keeps it again. The hash shows that it was drawn from the same bytes. A key that the request
    /// names itself is not used: under such a key any other result may be stored.
    private func drawn(_ digest: String, _ rendition: Rendition) async throws(TintypeError) -> MadeRendition? {
        // A saved rendition comes here each time.
        guard source.isUnchanged == true || rendition.saveTo != nil, let sum = source.info.sha256, !ImageRequest.isOwnKey(digest),
            let image = try? await parts.results.store.get(digest),
            ImageResult.Source(json: image.source).sha256 == sum, var info = RenditionInfo(stored: image)
        else { return nil }
        reservation.addResult(image.bytes.count)
        info.metadata = rendition.metadata ?? info.metadata
        info.saved = try await save(image.bytes, info, rendition.saveTo)
        var described = source.info
        described.takePicture(from: ImageResult.Source(json: image.source))
        return await keep(MadeRendition.Picture(bytes: image.bytes, info: info, source: described, operations: rendition.shownOperations), present: image)
    }

    /// The moment when a process first reported the job.
    @Loop private final class Beginning { var at: ContinuousClock.Instant? }

    func render(_ rendition: Rendition?, _ others: [SealedMemory] = []) async throws(TintypeError) -> PixelResult {
        reporter.phase(.decode, fraction: part.lowerBound, source: length)
        let memory = try await hand()
        guard pixelTime > .zero else { throw tooSlow }
        var job = PixelJob(source: memory, rendition: rendition, limits: parts.imageGuard.limits, deadline: min(Self.longest, pixelTime))
        job.layers = others
        if let interval = reporter.interval { job.reportInterval = min(job.reportInterval, interval) }
        job.isMoreToCome = part.upperBound < 1
        let (length, part) = (length, part)
        let result: PixelResult
        let begun = Beginning()
        do throws(TintypeError) {
            result = try await parts.pixels.run(job) { [reporter] progress in
                if begun.at == nil { begun.at = .now }
                let fraction = progress.fraction.map { part.lowerBound + $0 * (part.upperBound - part.lowerBound) }
                reporter.phase(progress.phase, fraction: fraction, source: length)
            }
        } catch {
            // After a timeout the remaining renditions fail at once. Another failure may have taken as long: `maxBytes` encodes up to eight times.
            pixelTime -= error.name == .timeout ? job.deadline : begun.at.map { min(.now - $0, job.deadline) } ?? .zero
            guard error.name == .timeout, job.deadline < Self.longest else { throw error }
            throw tooSlow
        }
        pixelTime -= .seconds(result.timings.decode + result.timings.transform + result.timings.encode)
        phases.decode += result.timings.decode
        phases.transform += result.timings.transform
        phases.encode += result.timings.encode
        spans?.drawn(
            result,
            began: WallClock.now - (begun.at.map { (.now - $0) / .seconds(1) } ?? result.timings.decode + result.timings.transform + result.timings.encode))
        return result
    }

    /// The error of a fetch whose pixel time is used up. Finished renditions are kept, so that a repeated request has less to wait for.
    private var tooSlow: TintypeError {
        TintypeError(
            .timeout, .transform,
            "the \(parts.pixelTime) for all renditions of this download are used up (--max-pixel-seconds); ask for fewer at once, or repeat the missing ones",
            retryable: true, details: ["which": "renditions", "limit": JSON(parts.pixelTime / .seconds(1))])
    }

    /// Returns the source as pixel processes get it. If that is a copy, the first one is freed for the last rendition.
    private func hand() async throws(TintypeError) -> JobSource {
        let memory: JobSource
        if let handed {
            memory = handed
        } else {
            memory = try await parts.pixels.source(source.bytes, of: owner)
            if memory.isCopy { reservation.add(length) }
        }
        handed = memory
        if part.upperBound >= 1, !source.bytes.isEmpty {
            source.bytes = []
            if memory.isCopy { reservation.remove(length) }
        }
        return memory
    }

    /// Returns the source's info with the facts that the decoder has found.
    func described(by facts: PixelSource) -> SourceInfo {
        var info = source.info
        (info.format, info.width, info.height) = (facts.format, facts.width, facts.height)
        (info.frames, info.hasAlpha, info.orientation) = (facts.frames, facts.hasAlpha, facts.orientation)
        return info
    }

    /// Returns the source's info with the facts of a header that has all of them.
    func described(by header: ImageHeader) -> SourceInfo {
        var info = source.info
        (info.format, info.width, info.height, info.frames) = (header.format, header.width, header.height, header.frames)
        (info.hasAlpha, info.orientation) = (header.hasAlpha, header.orientation)
        return info
    }

    // MARK: The store

    /// - Parameter present: the entry that the store has under this key, if it was just read.
    func keep(_ picture: MadeRendition.Picture, present: StoredImage? = nil) async -> MadeRendition {
        let others = picture.others
        let now = WallClock.now
        let end = max(now, min(self.source.freshUntil, others.freshUntil, now + Self.maxTTL))
        // A longer TTL that a receipt asks for meanwhile shows up in the answer to the report.
        let kept = kept(until: end)
        let isKept = kept.seconds != nil
        var (info, source) = (picture.info, picture.source)
        source.expiresAt = max(now, self.source.freshUntil)
        let described = source.json
        // A result that is not kept goes to nobody else, however fresh it is.
        info.expiresAt = isKept ? end : now
        info.storedAt = min(self.source.storedAt, others.storedAt)
        (info.version, info.limits) = (version, self.source.limits.joined(others.limits))
        if kept != .unkept {
            let began = ContinuousClock.now
            reporter.phase(.store, fraction: nil, source: length)
            if isKept { info.stored = [.results] }
            // The store keeps the result a little longer than the index.
            let image = StoredImage(
                key: info.key, contentType: info.contentType, info: info.json, source: described, operations: picture.operations, bytes: picture.bytes,
                sha256: info.sha256, storedAt: now, expiresAt: now + max(kept.seconds.map { $0 + 30 } ?? 0, Self.briefly))
            // The entry of a purged source is from this run, and has to end earlier.
            let (keeper, replaces) = (parts.results, isPurged)
            if awaits {
                writes.note(image)
                do throws(TintypeError) {
                    if try await !keeper.keep(image, isKept: isKept, present: present, replaces: replaces, spans: spans) {
                        info.stored = []
                        info.expiresAt = min(isKept ? end : now, now + SpilledResults.seconds)
                    }
                } catch {
                    return failure(info.key, error)
                }
            } else {
                parts.context.scope.run("store \(image.key)") { [spans] in
                    _ = try? await keeper.keep(image, isKept: isKept, present: present, replaces: replaces, spans: spans)
                }
            }
            phases.store += (ContinuousClock.now - began) / .seconds(1)
        }
        let result = RenditionOutcome.Result.success(info: info.json.object ?? [:], source: described.object ?? [:], description: nil, time: kept)
        return MadeRendition(outcome: RenditionOutcome(info.key, result), picture: picture)
    }

    /// Reads the bytes of the source, on a thread if they are many.
    func look<T: Sendable>(_ body: @escaping @Sendable (LoadedSource) throws(TintypeError) -> T) async throws(TintypeError) -> T {
        try await Loop.work(on: length) { [source] () throws(TintypeError) in try body(source) }
    }

    func hash(_ bytes: [UInt8]) async -> String { await Loop.work(on: bytes.count) { Digest.sha256Hex(bytes) } }
}
