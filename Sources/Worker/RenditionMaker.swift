import Shared

/// Makes renditions from a source that was loaded: guard, pixels, store. One for each round of a fetch; lives on the loop.
@Loop final class RenditionMaker {
    /// What this round took.
    private(set) var phases = PhaseTimes()
    private let source: LoadedSource
    private let claimed: ClaimedFetch
    private let tools: FetchTools
    private let reporter: FetchReporter
    private let share: ByteBudget.Share

    /// How long a picture may take at most, whatever its receipts' deadlines.
    private static let longest = 20.0
    /// How long results are kept when nobody says otherwise: an hour.
    private static let usualTTL = 3600.0
    /// From this size on a hash is not made on the loop.
    private static let longHash = 1 << 20

    init(source: LoadedSource, claimed: ClaimedFetch, tools: FetchTools, reporter: FetchReporter, share: ByteBudget.Share) {
        (self.source, self.claimed, self.tools, self.reporter, self.share) = (source, claimed, tools, reporter, share)
    }

    /// How long the results are kept, in seconds; 0 or less: not at all.
    private var ttl: Double { claimed.resultTTL ?? Self.usualTTL }

    /// Makes what is owed. What fails of it fails alone.
    /// - Throws: what is no fault of the picture, such as a worker that cannot start a pixel process: the fetch is tried again.
    func make(_ owed: [OwedRendition]) async throws(TintypeError) -> [RenditionOutcome] {
        var outcomes: [RenditionOutcome] = []
        var pictures: [(digest: String, rendition: Rendition)] = []
        for one in owed {
            do throws(TintypeError) {
                if one.json == "{}" {
                    outcomes.append(try await probe(one.digest))
                } else {
                    let rendition = try Rendition(canonical: JSON(queued: one.json))
                    if rendition.mode == .bytes { outcomes.append(await passThrough(one.digest)) } else { pictures.append((one.digest, rendition)) }
                }
            } catch {
                outcomes.append(failure(one.digest, error))
            }
        }
        guard !pictures.isEmpty else { return outcomes }
        do throws(TintypeError) {
            outcomes += try await draw(pictures)
        } catch {
            if error.name == .internalError, error.isRetryable { throw error }
            outcomes += pictures.map { failure($0.digest, error) }
        }
        return outcomes
    }

    private func failure(_ digest: String, _ error: TintypeError) -> RenditionOutcome {
        tools.metrics.add(.errors, labels: error.name.rawValue, error.phase.rawValue)
        let url = source.info.finalURL
        tools.logger.info("a rendition failed", ["fetch": claimed.held.fetch, "url": RedactedURL(url), "error": error.description])
        return RenditionOutcome(digest, .failure(error))
    }

    // MARK: Pictures

    private func draw(_ pictures: [(digest: String, rendition: Rendition)]) async throws(TintypeError) -> [RenditionOutcome] {
        let format = try tools.imageGuard.format(of: source.bytes)
        let result = try await render(format, pictures)
        let info = described(by: result.source)
        var outcomes: [RenditionOutcome] = []
        for (digest, output) in result.outputs {
            switch output {
            case .failure(let error): outcomes.append(failure(digest, error))
            case .success(let picture): outcomes.append(await store(picture, digest, info))
            }
        }
        return outcomes
    }

    private func render(
        _ format: ImageFormat, _ pictures: [(digest: String, rendition: Rendition)]
    ) async throws(TintypeError) -> PixelResult {
        let deadline = Duration.seconds(max(0.1, min(Self.longest, claimed.deadlineSeconds)))
        let job = PixelJob(
            source: source.bytes, format: format, renditions: pictures.map { ($0.digest, $0.rendition) }, limits: tools.imageGuard.limits,
            deadline: deadline)
        let length = source.bytes.count
        let result = try await tools.pixels.run(job) { [reporter] progress in
            reporter.phase(progress.phase, fraction: progress.fraction, source: length)
        }
        phases.decode += result.timings.decode
        phases.transform += result.timings.transform
        phases.encode += result.timings.encode
        return result
    }

    /// What is known of the source, with what the decoder has found.
    private func described(by facts: PixelSource) -> SourceInfo {
        var info = source.info
        (info.format, info.width, info.height) = (facts.format, facts.width, facts.height)
        (info.frames, info.hasAlpha, info.orientation) = (facts.frames, facts.hasAlpha, facts.orientation)
        return info
    }

    private func store(_ picture: PixelOutput, _ digest: String, _ source: SourceInfo) async -> RenditionOutcome {
        share.add(picture.bytes.count)
        var info = RenditionInfo(
            key: digest, contentType: picture.format.contentType, bytes: picture.bytes.count, sha256: await hash(picture.bytes), stored: [],
            isApplied: true)
        (info.format, info.width, info.height, info.frames) = (picture.format, picture.width, picture.height, picture.frames)
        return await keep(picture.bytes, info, source)
    }

    // MARK: Bytes as they came, and probes

    private func passThrough(_ digest: String) async -> RenditionOutcome {
        var format: ImageFormat?
        if case .image(let found)? = ImageSniff.of(source.bytes) { format = found }
        var info = RenditionInfo(
            key: digest, contentType: format?.contentType ?? source.contentType ?? "application/octet-stream", bytes: source.bytes.count,
            sha256: source.info.sha256 ?? "", stored: [], isApplied: false)
        info.format = format
        var described = source.info
        described.format = format
        return await keep(source.bytes, info, described)
    }

    /// Says what the header says; a picture whose header only its decoder can read is opened for it.
    private func probe(_ digest: String) async throws(TintypeError) -> RenditionOutcome {
        var info = source.info
        let header: ImageHeader?
        if let found = source.header {
            header = found
        } else {
            let format = try tools.imageGuard.format(of: source.bytes)
            header = source.bytes.withUnsafeBytes { ImageHeader.read($0, as: format) }
            if header == nil { info = described(by: try await render(format, []).source) }
        }
        if let header { (info.format, info.width, info.height, info.frames) = (header.format, header.width, header.height, header.frames) }
        return RenditionOutcome(digest, .success(info: [:], source: info.json.object ?? [:], description: nil, ttlSeconds: ttl))
    }

    // MARK: The store

    private func keep(_ bytes: [UInt8], _ info: RenditionInfo, _ source: SourceInfo) async -> RenditionOutcome {
        var info = info
        let described = source.json
        if ttl > 0 {
            let began = ContinuousClock.now
            reporter.phase(.store, fraction: nil, source: self.source.bytes.count)
            info.stored = [.results]
            let now = Timestamp.now().seconds
            // A little longer than the index speaks of it.
            let image = StoredImage(
                key: info.key, contentType: info.contentType, info: info.json, source: described, bytes: bytes, storedAt: now,
                expiresAt: now + ttl + 30)
            do throws(TintypeError) {
                try await put(image)
            } catch {
                // Nothing else could hold the bytes for whoever wants them.
                return failure(info.key, error)
            }
            phases.store += (ContinuousClock.now - began) / .seconds(1)
        }
        return RenditionOutcome(
            info.key, .success(info: info.json.object ?? [:], source: described.object ?? [:], description: nil, ttlSeconds: ttl))
    }

    private func put(_ image: StoredImage) async throws(TintypeError) {
        let began = ContinuousClock.now
        do throws(TintypeError) {
            try await tools.store.put(image)
            tools.metrics.add(.storeOperations, labels: tools.store.kind, "put", "ok")
            tools.metrics.observe(.storeSeconds, ContinuousClock.now - began, labels: tools.store.kind, "put")
        } catch {
            tools.metrics.add(.storeOperations, labels: tools.store.kind, "put", "failed")
            tools.logger.error("a result could not be stored", ["key": image.key, "bytes": image.bytes.count, "error": error.description])
            throw error
        }
    }

    private func hash(_ bytes: [UInt8]) async -> String {
        guard bytes.count >= Self.longHash else { return Digest.sha256Hex(bytes) }
        return (try? await tools.blocking.run { Digest.sha256Hex(bytes) }) ?? Digest.sha256Hex(bytes)
    }
}
