import ImageHeads
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TintypeStores

/// Makes renditions of a source that was loaded, one at a time: guard, pixels, store. What fails of them fails alone: each is a job of
/// its own with a time of its own. One for each fetch; lives on the loop.
@Loop final class RenditionMaker {
    /// What was made since this was last looked at took so long.
    private var phases = PhaseTimes()
    private let version: Int
    private let awaits: Bool
    /// Its bytes are let go once they lie in `sealed` and nothing more is owed.
    private(set) var source: LoadedSource
    /// How many bytes it has.
    private let length: Int
    private let fetch: String
    /// How sources are cached for those who want this.
    private let use: CacheUse
    /// How long receipts ask that results are kept (`Submission.resultTTL`).
    private var asked: Double
    private let access: String?
    private let onBusy: @Loop (_ host: String, _ seconds: Double) async -> Void
    private lazy var layers = LayerLoader(
        tools: tools, share: share, writes: writes, use: use, access: access, reporter: reporter, onBusy: onBusy)
    private let writes: SourceWrites
    private let tools: FetchTools
    private let reporter: FetchReporter
    private let share: ByteShare
    /// What is left of the time that pixel processes may work for this fetch.
    private var pixelTime: Duration
    /// The source as pixel processes get it.
    private var sealed: SealedMemory?
    /// Which part of the round the present rendition is, for progress.
    private var part = 0.0...1.0

    /// How long a picture may take at most, whatever its receipts' deadlines: those end the whole fetch.
    private static let longest = Duration.seconds(20)
    /// However long an origin says it is fresh: a year.
    private static let longestTTL = 31_536_000.0
    /// From this size on a hash is not made on the loop.
    private static let longHash = 1 << 20

    /// For results that nobody keeps: their URL is good for a minute.
    private static let briefly = 60.0

    /// - Parameters:
    ///   - ttl: how long receipts ask that results are kept.
    ///   - access: what redirects are judged by.
    ///   - writes: what the fetch keeps of sources.
    ///   - onBusy: hears of hosts that ask to be left alone for so many seconds.
    init(
        source: LoadedSource, ttl: Double, use: CacheUse, access: String?, fetch: String, tools: FetchTools, reporter: FetchReporter, share: ByteShare,
        writes: SourceWrites, onBusy: @escaping @Loop (_ host: String, _ seconds: Double) async -> Void
    ) {
        (self.source, self.fetch, self.use, asked) = (source, fetch, use, ttl)
        length = source.bytes.count
        (version, awaits) = (use.version, use.awaits)
        (self.tools, self.reporter, self.share) = (tools, reporter, share)
        (self.access, self.writes, self.onBusy) = (access, writes, onBusy)
        pixelTime = tools.pixelTime
    }

    /// What making took since the last call.
    func takePhases() -> PhaseTimes {
        defer { phases = PhaseTimes() }
        return phases
    }

    /// Makes one of what is owed.
    /// - Parameters:
    ///   - part: which part of all that is owed now it is, 0…1.
    ///   - rest: what is made after it: other pictures that none of these needs are let go.
    /// - Throws: what is no fault of the picture, such as a worker that cannot start a pixel process: the fetch is tried again.
    func make(
        _ one: OwedRendition, part: ClosedRange<Double>, before rest: ArraySlice<OwedRendition> = []
    ) async throws(TintypeError) -> MadeRendition {
        self.part = part
        try await bringBack()
        defer { letGo(before: rest) }
        var (isStrict, isLayered) = (false, false)
        do throws(TintypeError) {
            let rendition = try Rendition(canonical: JSON(queued: one.json))
            isStrict = [.error, .warning].contains(rendition.decode.failOn)
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
                if let shape = rendition.acceptance.shape { try await check(shape, mostLevels: 64) }
                return await passThrough(one.digest, rendition.metadata)
            case .json:
                try await check(rendition.acceptance.shape, mostLevels: JSONText.mostLevels)
                return await passThrough(one.digest, rendition.metadata, isJSON: true)
            }
        } catch {
            if error.name == .internalError, error.isRetryable { throw error }
            // What only a strict request refuses is not the source's fault.
            isStrict = isStrict || Requirement.isRefusal(error)
            var failed = failure(
                one.digest, error.about(url: source.info.finalURL),
                listing: isStrict ? nil : tools.blacklist.listing(of: error, url: source.info.url))
            // Beside another picture it may be that one which is broken.
            failed.isSourceSpoiled = !isStrict && !isLayered && error.name == .badImageData
            return failed
        }
    }

    /// Somebody has asked for more when the bytes of the source were let go.
    private func bringBack() async throws(TintypeError) {
        guard source.bytes.isEmpty, length > 0, let sealed else { return }
        source.bytes = try await tools.pixels.copy(of: sealed)
        share.add(length)
    }

    /// Only renditions with other pictures have held any: others do not have the rest read.
    private func letGo(before rest: ArraySlice<OwedRendition>) {
        guard layers.holds else { return }
        let needed = rest.compactMap { try? Rendition(canonical: JSON(queued: $0.json)) }.flatMap(\.layers)
        layers.keep(only: Set(needed))
    }

    /// Somebody wants results to be kept for longer than was known.
    func keep(for seconds: Double) { asked = max(asked, seconds) }

    /// Stores once more what was stored for less time than is wanted now.
    func keepLonger(_ made: MadeRendition) async -> MadeRendition {
        guard case .success(let info, let source, let description, let seconds) = made.outcome.result, seconds < asked else { return made }
        if let picture = made.picture { return await keep(picture.bytes, picture.info, picture.source, picture.others) }
        return MadeRendition(
            outcome: RenditionOutcome(
                made.outcome.digest, .success(info: info, source: source, description: description, ttlSeconds: kept(until: self.source.freshUntil))))
    }

    /// Seconds a result is kept in the index from now on, given until when it is fresh; what is less than any time as it was asked. What is
    /// stale by the time it is done goes to those who wait for it alone.
    private func kept(until fresh: Double) -> Double {
        asked == Submission.whileFresh ? max(asked, min(fresh - WallClock.now, Self.longestTTL)) : asked
    }

    private func failure(_ digest: String, _ error: TintypeError, listing: BlacklistListing? = nil) -> MadeRendition {
        tools.metrics.add(.errors, labels: error.name.rawValue, error.phase.rawValue)
        let url = source.info.finalURL
        tools.logger.info("a rendition failed", ["fetch": fetch, "url": RedactedURL(url), "error": error.description])
        return MadeRendition(outcome: RenditionOutcome(digest, .failure(error), listing: listing))
    }

    // MARK: Pictures

    private func draw(_ digest: String, _ rendition: Rendition) async throws(TintypeError) -> MadeRendition {
        // Of other pictures that went into it nobody knows whether they are still the same.
        if rendition.layers.isEmpty, let drawn = await drawn(digest, rendition.metadata) { return drawn }
        let format = try tools.imageGuard.format(of: source.bytes)
        // Before it is decoded, where its header says all.
        if let requirement = rendition.requirement, ImageHeader.isReliable(format), let found = Requirement.Found(source.bytes) {
            if let refusal = requirement.refusal(of: found) { throw refusal }
        }
        var others: [LayerLoader.Loaded] = []
        for layer in rendition.layers { others.append(try await layers.load(layer)) }
        let result = try await render(rendition, others.map(\.memory))
        let described = described(by: result.source)
        if let refusal = rendition.requirement?.refusal(of: Requirement.Found(described)) { throw refusal }
        guard let picture = result.output else { throw TintypeError(.internalError, .encode, "the pixel process left out the picture") }
        share.addResult(picture.bytes.count)
        var info = RenditionInfo(
            key: digest, contentType: picture.format.contentType, bytes: picture.bytes.count, sha256: await hash(picture.bytes), stored: [],
            isApplied: true)
        (info.format, info.width, info.height, info.frames) = (picture.format, picture.width, picture.height, picture.frames)
        (info.quality, info.metadata) = (picture.quality, rendition.metadata)
        let least = OtherPictures(
            freshUntil: others.map(\.freshUntil).min() ?? .infinity, storedAt: others.map(\.storedAt).min() ?? .infinity)
        return await keep(picture.bytes, info, described, least)
    }

    /// The same picture as it was drawn before, kept anew: the origin was asked and has the bytes that it was drawn from. Under a key of the
    /// request's own there may be any other.
    private func drawn(_ digest: String, _ metadata: ResultMetadata?) async -> MadeRendition? {
        guard source.isUnchanged == true, let sum = source.info.sha256, !ImageRequest.isOwnKey(digest), let image = try? await tools.store.get(digest),
            ImageResult.Source(json: image.source).sha256 == sum, var info = RenditionInfo(stored: image)
        else { return nil }
        share.addResult(image.bytes.count)
        info.metadata = metadata ?? info.metadata
        var described = source.info
        described.takePicture(from: ImageResult.Source(json: image.source))
        return await keep(image.bytes, info, described, present: image)
    }

    /// When a process told of a job first.
    @Loop private final class Beginning { var at: ContinuousClock.Instant? }

    private func render(_ rendition: Rendition?, _ others: [SealedMemory] = []) async throws(TintypeError) -> PixelResult {
        reporter.phase(.decode, fraction: part.lowerBound, source: length)
        let memory = try await seal()
        guard pixelTime > .zero else { throw tooSlow }
        var job = PixelJob(source: memory, rendition: rendition, limits: tools.imageGuard.limits, deadline: min(Self.longest, pixelTime))
        job.layers = others
        if let interval = reporter.interval { job.reportInterval = min(job.reportInterval, interval) }
        job.isMoreToCome = part.upperBound < 1
        let (length, part) = (length, part)
        let result: PixelResult
        let begun = Beginning()
        do throws(TintypeError) {
            result = try await tools.pixels.run(job) { [reporter] progress in
                if begun.at == nil { begun.at = .now }
                let fraction = progress.fraction.map { part.lowerBound + $0 * (part.upperBound - part.lowerBound) }
                reporter.phase(progress.phase, fraction: fraction, source: length)
            }
        } catch {
            // The others fail at once. A failure of another kind may have taken as long: an output that is never small enough is made eight times.
            pixelTime -= error.name == .timeout ? job.deadline : begun.at.map { min(.now - $0, job.deadline) } ?? .zero
            guard error.name == .timeout, job.deadline < Self.longest else { throw error }
            throw tooSlow
        }
        pixelTime -= .seconds(result.timings.decode + result.timings.transform + result.timings.encode)
        phases.decode += result.timings.decode
        phases.transform += result.timings.transform
        phases.encode += result.timings.encode
        return result
    }

    /// What is made is kept, so that whoever asks again has less to wait for.
    private var tooSlow: TintypeError {
        TintypeError(
            .timeout, .transform,
            "the \(tools.pixelTime) for all renditions of this download are used up (--max-pixel-seconds); ask for fewer at once, or for the rest again",
            retryable: true, details: ["which": "renditions", "limit": JSON(tools.pixelTime / .seconds(1))])
    }

    /// The source as pixel processes get it. The last rendition needs no other copy.
    private func seal() async throws(TintypeError) -> SealedMemory {
        let memory: SealedMemory
        if let sealed {
            memory = sealed
        } else {
            memory = try await tools.pixels.seal(source.bytes)
            share.add(length)
        }
        sealed = memory
        if part.upperBound >= 1, !source.bytes.isEmpty {
            source.bytes = []
            share.remove(length)
        }
        return memory
    }

    /// What is known of the source, with what the decoder has found.
    private func described(by facts: PixelSource) -> SourceInfo {
        var info = source.info
        (info.format, info.width, info.height) = (facts.format, facts.width, facts.height)
        (info.frames, info.hasAlpha, info.orientation) = (facts.frames, facts.hasAlpha, facts.orientation)
        return info
    }

    // MARK: Bytes as they came, and probes

    /// - Parameter isJSON: whether it was read and found to be JSON.
    private func passThrough(_ digest: String, _ metadata: ResultMetadata?, isJSON: Bool = false) async -> MadeRendition {
        var format: ImageFormat?
        if case .image(let found)? = ImageSniff.of(source.bytes) { format = found }
        var info = RenditionInfo(
            key: digest, contentType: isJSON ? "application/json" : format?.contentType ?? source.contentType ?? "application/octet-stream",
            bytes: source.bytes.count,
            sha256: source.info.sha256 ?? Digest.sha256Hex(source.bytes), stored: [], isApplied: false)
        (info.format, info.isJSON, info.metadata) = (format, isJSON, metadata)
        var described = source.info
        described.format = format
        return await keep(source.bytes, info, described)
    }

    /// Whether the body is JSON, of this shape, and nested no deeper. What is long is read beside the loop.
    /// - Throws: `jsonInvalid`.
    private func check(_ shape: JSONShape?, mostLevels: Int) async throws(TintypeError) {
        let bytes = source.bytes
        guard let wrong = await Self.fault(of: bytes, shape, mostLevels, bytes.count < Self.longHash ? nil : tools.blocking) else { return }
        throw TintypeError(
            .jsonInvalid, .decode, "the body is not the JSON asked for: \(wrong)",
            details: ["cause": .string(wrong), "url": .string(RedactedURL(source.info.finalURL).description)])
    }

    private static func fault(of bytes: [UInt8], _ shape: JSONShape?, _ mostLevels: Int, _ pool: BlockingPool?) async -> String? {
        let look: @Sendable () -> String? = {
            do throws(JSONError) {
                let json = try JSON(parsing: bytes, maxDepth: mostLevels)
                return shape?.mismatch(in: json)
            } catch {
                return error.description
            }
        }
        guard let pool else { return look() }
        return (try? await pool.run(look)) ?? look()
    }

    /// Says what the header says, and what is asked to be told; a picture whose header only its decoder can read is opened for it.
    private func probe(_ digest: String, _ rendition: Rendition) async throws(TintypeError) -> MadeRendition {
        let format = try tools.imageGuard.format(of: source)
        var info = source.info
        var description: JSONObject?
        let header: ImageHeader?
        if rendition.traits == [.exif], let found = source.header, let told = Self.exif(source.bytes, found.format) {
            (header, description) = (found, ["exif": .object(told)])
        } else if !rendition.traits.isEmpty {
            let result = try await render(rendition)
            (info, description, header) = (described(by: result.source), result.description, nil)
        } else {
            header = source.header ?? source.bytes.withUnsafeBytes { ImageHeader.read($0, as: format) }
        }
        if let header, header.isComplete {
            (info.format, info.width, info.height, info.frames) = (header.format, header.width, header.height, header.frames)
            (info.hasAlpha, info.orientation) = (header.hasAlpha, header.orientation)
        } else if rendition.traits.isEmpty {
            info = described(by: try await render(nil).source)
        }
        info.expiresAt = max(WallClock.now, source.freshUntil)
        // No more is known of what is told than its version, and how old it is.
        var facts: JSONObject = version == 0 ? [:] : ["version": JSON(version)]
        (facts["expiresAt"], facts["storedAt"]) = (info.expiresAt.map { JSON($0) }, JSON(source.storedAt))
        let seconds = kept(until: source.freshUntil)
        return MadeRendition(
            outcome: RenditionOutcome(digest, .success(info: facts, source: info.json.object ?? [:], description: description, ttlSeconds: seconds)))
    }

    private static func exif(_ bytes: [UInt8], _ format: ImageFormat) -> JSONObject? {
        bytes.withUnsafeBytes { bytes in EXIFPlace(bytes, format)?.summary(in: bytes) }
    }

    // MARK: The store

    /// - Parameters:
    ///   - others: the other pictures in it.
    ///   - present: what the store was seen to have under its key.
    private func keep(
        _ bytes: [UInt8], _ info: RenditionInfo, _ source: SourceInfo, _ others: OtherPictures = OtherPictures(), present: StoredImage? = nil
    ) async -> MadeRendition {
        let picture = MadeRendition.Picture(bytes: bytes, info: info, source: source, others: others)
        let now = WallClock.now
        let end = max(now, min(self.source.freshUntil, others.freshUntil, now + Self.longestTTL))
        // Whoever asks for more meanwhile is seen when this is reported.
        let kept = kept(until: end)
        let isKept = kept >= Submission.shortest
        var (info, source) = (info, source)
        source.expiresAt = max(now, self.source.freshUntil)
        let described = source.json
        // What nobody keeps is given to nobody else, however fresh it is.
        info.expiresAt = isKept ? end : now
        info.storedAt = min(self.source.storedAt, others.storedAt)
        (info.version, info.isPrivate) = (version, self.source.isPrivate)
        if kept > 0 {
            let began = ContinuousClock.now
            reporter.phase(.store, fraction: nil, source: length)
            if isKept { info.stored = [.results] }
            // A little longer than the index speaks of it.
            let image = StoredImage(
                key: info.key, contentType: info.contentType, info: info.json, source: described, bytes: bytes, sha256: info.sha256, storedAt: now,
                expiresAt: now + max(isKept ? kept + 30 : 0, Self.briefly))
            let keeper = ResultKeeper(tools: tools)
            if awaits {
                writes.note(result: image.key)
                do throws(TintypeError) {
                    if try await !keeper.keep(image, isKept: isKept, present: present) {
                        info.stored = []
                        info.expiresAt = min(isKept ? end : now, now + HeldResults.seconds)
                    }
                } catch {
                    return failure(info.key, error)
                }
            } else {
                tools.scope.run("store \(image.key)") { _ = try? await keeper.keep(image, isKept: isKept, present: present) }
            }
            phases.store += (ContinuousClock.now - began) / .seconds(1)
        }
        let result = RenditionOutcome.Result.success(
            info: info.json.object ?? [:], source: described.object ?? [:], description: nil, ttlSeconds: kept)
        return MadeRendition(outcome: RenditionOutcome(info.key, result), picture: picture)
    }

    private func hash(_ bytes: [UInt8]) async -> String {
        guard bytes.count >= Self.longHash else { return Digest.sha256Hex(bytes) }
        return (try? await tools.blocking.run { Digest.sha256Hex(bytes) }) ?? Digest.sha256Hex(bytes)
    }
}
