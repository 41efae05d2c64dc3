import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TintypeStores

/// What is done with a receipt's result on its way.
struct ResultUse: Sendable, Hashable {
    var terms = ReceiptTerms()
    /// Made anew although it was there: the memory tiers of other coordinators are out of date.
    var isReload = false
    /// Seconds the memory tier keeps it; nil: as long as the result says that it is kept.
    var memoryLifetime: Double?
    /// Whether it counts as work that is shown.
    var isActivity = true

    /// Whether the answer holds the bytes themselves.
    var needsBytes: Bool { terms.delivery == .inline || terms.isJSON }
    var keepsInMemory: Bool { terms.tiers.contains(.memory) }
    /// Whether nothing but the memory tier keeps it.
    var keepsInMemoryAlone: Bool { keepsInMemory && !terms.tiers.contains(.results) }
}

/// Makes results ready for clients: the echo of the request's words, bytes where they were asked for inline. What passes here also fills
/// the memory tier.
@Loop
final class ResultDelivery {
    /// The most bytes one result may carry inline.
    nonisolated static let inlineLimit = 8 << 20

    private let memory: MemoryTier
    private let store: any ResultStore
    private let fallback: FallbackResults?
    private let held: HeldResults
    /// Whether the store did not answer when it was asked last.
    private var hasStoreFailed = false
    private let scope: TaskScope
    private let logger: Logger
    private let metrics: Metrics
    private let readers: BlockingPool
    private let standIns: StandIns
    private let news: CacheNews

    /// - Parameters:
    ///   - readers: where long JSON is read.
    ///   - packers: where plain pictures are packed.
    init(
        memory: MemoryTier, store: any ResultStore, fallback: FallbackResults?, held: HeldResults, news: CacheNews, actions: any ReceiptActions,
        readers: BlockingPool,
        packers: BlockingPool, scope: TaskScope, logger: Logger, metrics: Metrics
    ) {
        (self.readers, self.logger, self.metrics) = (readers, logger, metrics)
        self.memory = memory
        self.store = store
        self.fallback = fallback
        self.held = held
        self.scope = scope
        self.news = news
        standIns = StandIns(memory: memory, store: store, packers: packers, actions: actions)
    }

    /// Completes an outcome for one client, and hands it to `then`: at once, or when its turn has come and the bytes were read.
    func prepare(_ outcome: Outcome, receipt: String?, meta: String, use: ResultUse, for session: Session?, then: @escaping @Loop (Outcome) -> Void) {
        prepare(outcome, receipt: receipt, meta: meta, use: use) { [self] ready, use in fill(ready, use, for: session, then: then) }
    }

    /// Completes an outcome, or what stands in for it, but for the bytes, and hands it to `then`, with what is left to be done.
    /// - Parameter meta: the receipt's `tag` and `userInfo` as a fragment that begins with a comma, or nothing.
    func prepare(_ outcome: Outcome, receipt: String?, meta: String, use: ResultUse, then: @escaping @Loop (Outcome, ResultUse) -> Void) {
        if let fallback = use.terms.fallback, StandIns.isCalledFor(outcome) {
            var use = use
            (use.terms.fallback, use.isReload, use.memoryLifetime) = (nil, false, 0)
            // A picture stands in for JSON too.
            if case .request = fallback {} else { use.terms.isJSON = false }
            scope.run("fallback") { [self, use] in
                prepare(await standIns.find(fallback, for: outcome, receipt: receipt) ?? outcome, receipt: receipt, meta: meta, use: use, then: then)
            }
            return
        }
        guard let result = outcome.result else { return then(outcome, use) }
        take(result, use)
        var ready = outcome
        let stored = use.terms.stored
        ready.result?.renditions = result.renditions.map { rendition in
            var rendition = rendition
            rendition.stored = stored
            return rendition
        }
        if !meta.isEmpty, let words = (try? JSON(parsing: "{\(meta.dropFirst())}"))?.object {
            ready.result = ready.result.map { ImageResult($0.object.merging(words)) }
        }
        then(ready, use)
    }

    /// What clients get of an event that says that a receipt has succeeded, where that is its own text but for a word or two; nil where they get
    /// something else, or more. Nor of what other coordinators have to be told before the client is, who may ask them for it.
    func unread(_ event: ReceiptEvent, of receipt: PendingReceipt) -> ReceiptEvent? {
        let use = receipt.use
        let isNews = use.isReload || use.keepsInMemoryAlone
        guard event.type == .succeeded, !use.needsBytes, !isNews, let named = receipt.namedRenditions,
            let body = ResultText.body(
                event.body, renditions: named, stored: use.terms.stored.text, meta: receipt.meta)
        else { return nil }
        return ReceiptEvent(type: event.type, sequence: event.sequence, at: event.at, body: body)
    }

    /// Has the memory tier know what a result speaks of, and no other bytes under its keys; those of other coordinators, too.
    func take(_ result: ImageResult, _ use: ResultUse) {
        let renditions = result.renditions
        memory.forget(otherThan: renditions)
        // What nobody keeps has taken its key all the same.
        let taken = renditions.filter { use.isReload || $0.isHeld }.compactMap(\.key)
        // Other coordinators may have other bytes under these keys by now.
        if !taken.isEmpty { news.tell(.forget(taken), isNewHere: true) }
        if use.terms.isPinned { pin(renditions) }
        guard use.keepsInMemory else { return }
        memory.remember(renditions: renditions, source: result.source ?? .null, lifetime: use.memoryLifetime)
        if use.keepsInMemoryAlone { fetch(renditions) }
    }

    /// Nobody waits for it, and no request fails for it.
    private func pin(_ renditions: [ImageResult.Rendition]) {
        scope.run("pin") { [store, logger] in
            for key in renditions.compactMap(\.key) {
                do throws(TintypeError) {
                    _ = try await store.pin(key, true)
                } catch {
                    logger.warning("a result could not be pinned", ["key": key, "error": error.description])
                }
            }
        }
    }

    /// The same of an event that its clients were told unread: reading it is put off until that is on its way.
    func take(unread event: ReceiptEvent, _ use: ResultUse) {
        memory.soon { [self] in
            if let result = Outcome(event).result { take(result, use) }
        }
    }

    /// Adds the bytes of an outcome that a client is to get with the answer, when the turn of so much has come on its connection.
    /// - Parameter then: writes the answer.
    func fill(_ outcome: Outcome, _ use: ResultUse, for session: Session?, then: @escaping @Loop (Outcome) -> Void) {
        guard use.needsBytes, let renditions = outcome.result?.renditions else { return then(outcome) }
        let make: @Loop () async throws(TintypeError) -> Void = { [self] () async throws(TintypeError) in
            var whole = outcome
            if use.terms.isJSON { whole.result?.document = try await json(of: renditions, inMemory: use.keepsInMemory) }
            if use.terms.delivery == .inline { whole.data = try await data(of: renditions, inMemory: use.keepsInMemory) }
            then(whole)
        }
        scope.run("inline") {
            do throws(TintypeError) {
                if let session { try await session.inTurn(Self.size(renditions) * 4 / 3, make) } else { try await make() }
            } catch {
                then(Outcome(failing: error, sequence: outcome.sequence))
            }
        }
    }

    nonisolated static func size(_ renditions: [ImageResult.Rendition]) -> Int { renditions.reduce(0) { $0 + ($1.bytes ?? 0) } }

    /// Brings bytes into the memory tier that nothing else will keep.
    private func fetch(_ renditions: [ImageResult.Rendition]) {
        scope.run("fill memory") { [self] in
            for rendition in renditions { if let key = rendition.key { _ = try? await image(key) } }
        }
    }

    /// - Throws: `limitExceeded` when so many bytes are too many for one answer.
    nonisolated static func checkInline(_ total: Int) throws(TintypeError) {
        guard total > inlineLimit else { return }
        throw TintypeError(
            .limitExceeded, .deliver, "\(total) bytes are too many to be delivered inline; use deliver: reference",
            details: ["limit": "inline", "value": JSON(total), "allowed": JSON(inlineLimit)])
    }

    /// The bytes of each rendition in base64.
    /// - Parameter inMemory: whether what is read stays in the memory tier.
    func data(of renditions: [ImageResult.Rendition], inMemory: Bool) async throws(TintypeError) -> [String] {
        try Self.limit(renditions)
        var data: [String] = []
        for rendition in renditions { data.append(Base64.text(of: try await stored(rendition, inMemory: inMemory).bytes)) }
        return data
    }

    /// The JSON that the one rendition of an `as: json` is, as it came. A worker has seen that it is some; what a client has put under such a
    /// key, or a request for something else, nobody has looked at, and it could be the end of the answer and the beginning of another one.
    private func json(of renditions: [ImageResult.Rendition], inMemory: Bool) async throws(TintypeError) -> JSON? {
        try Self.limit(renditions)
        guard let rendition = renditions.first else { return nil }
        let image = try await stored(rendition, inMemory: inMemory)
        if !image.rendition.isJSON, let fault = await fault(of: image.bytes) {
            throw TintypeError(.jsonInvalid, .deliver, "what is in the result store is not JSON: \(fault)")
        }
        return .raw(JSONText(checked: image.bytes))
    }

    /// Why it cannot stand in an answer; nil if it can. Read beside the loop, which a long text would stop.
    private func fault(of bytes: [UInt8]) async -> String? {
        do {
            try await readers.run { _ = try JSON(parsing: bytes, maxDepth: JSONText.mostLevels) }
            return nil
        } catch {
            return "\(error)"
        }
    }

    private static func limit(_ renditions: [ImageResult.Rendition]) throws(TintypeError) {
        try checkInline(size(renditions))
    }

    private func stored(_ rendition: ImageResult.Rendition, inMemory: Bool) async throws(TintypeError) -> StoredImage {
        if let key = rendition.key {
            if let image = try await image(key, sha256: rendition.sha256, inMemory: inMemory) { return image }
            // Whoever asks again is not to be told that they are here.
            memory.remove(key)
        }
        throw TintypeError(.storeFailed, .deliver, "the result is not in the result store any more; ask for the image again", retryable: true)
    }

    /// A finished image with its bytes, from memory or the result store, or held for the moment because that store did not take it; nil if
    /// nobody has it.
    /// - Parameters:
    ///   - sha256: of the bytes that are meant. Another result of the same key is none: it was made anew while this one was told of.
    ///   - inMemory: whether it stays in the memory tier when it was read.
    func image(_ key: String, sha256: String? = nil, inMemory: Bool = true) async throws(TintypeError) -> StoredImage? {
        let isMeant: @Sendable (StoredImage) -> Bool = { image in sha256.map { image.rendition.sha256 == $0 } ?? true }
        if let image = memory.entry(key)?.image, isMeant(image) { return image }
        let failure: TintypeError?
        var found: StoredImage?
        do throws(TintypeError) {
            found = try await read(
                { [store] () async throws(TintypeError) in try await store.get(key).flatMap { isMeant($0) ? $0 : nil } },
                orHeld: { await $0.get(key).flatMap { isMeant($0) ? $0 : nil } })
            failure = nil
        } catch {
            failure = error
        }
        if found == nil { found = await fallback?.image(key).flatMap { isMeant($0) ? $0 : nil } }
        guard let image = found else {
            if let failure { throw failure }
            return nil
        }
        if inMemory { memory.remember(image) }
        return image
    }

    /// Asks the store, then what is held; the other way round while the store does not answer.
    private func read<T: Sendable>(
        _ ask: @escaping @Loop () async throws(TintypeError) -> T?, orHeld look: @escaping @Loop (HeldResults) async -> T?
    ) async throws(TintypeError) -> T? {
        if hasStoreFailed, let found = await look(held) { return found }
        let failure: TintypeError
        do throws(TintypeError) {
            let found = try await ask()
            metrics.add(.storeOperations, labels: store.kind, "get", "ok")
            if hasStoreFailed { logger.notice("the store of results answers again", ["store": store.kind]) }
            hasStoreFailed = false
            if let found { return found }
            return await look(held)
        } catch {
            failure = error
        }
        metrics.add(.storeOperations, labels: store.kind, "get", "failed")
        // Once: others are told of it by the metric.
        if !hasStoreFailed {
            logger.warning("the store of results does not answer; what workers hold in Redis stands in", ["store": store.kind, "error": failure])
        }
        hasStoreFailed = true
        if let found = await look(held) { return found }
        throw failure
    }

    /// Whether the bytes of a result are known to be there without asking anybody; at hand, where they are delivered themselves.
    /// - Parameter sha256: of the bytes that are meant, if that is known.
    func isCertain(_ key: String, sha256: String? = nil, for use: ResultUse) -> Bool {
        guard use.needsBytes else { return memory.isCertain(key) }
        guard let image = memory.entry(key)?.image else { return false }
        return sha256.map { image.rendition.sha256 == $0 } ?? true
    }

    /// Why there is no result that the index speaks of: a store keeps one a little longer.
    func miss(_ key: String) async throws(TintypeError) -> CacheMiss {
        switch try await store.look(up: key) {
        case .found(let image): image.isHeld ? .absent : .expired
        case .expired: .expired
        case .unreadable: .unreadable
        case .absent: .absent
        }
    }

    /// Whether the bytes of a result are there. Those that are delivered themselves are read, so that damaged ones are made anew.
    /// - Throws: `storeFailed` when the store cannot be asked.
    func isPresent(_ key: String, sha256: String? = nil, for use: ResultUse = ResultUse()) async throws(TintypeError) -> Bool {
        if isCertain(key, sha256: sha256, for: use) { return true }
        if use.needsBytes { return try await image(key, sha256: sha256, inMemory: use.keepsInMemory) != nil }
        let found = try await read(
            { [store] () async throws(TintypeError) in try await store.contains(key) ? true : nil }, orHeld: { await $0.has(key) ? true : nil })
        guard found != nil else { return false }
        memory.verified(key)
        return true
    }

    // MARK: Previews

    /// Puts the picture into the event of a preview, which names where it lies, and hands it to `then`, unless it is gone by now.
    func complete(preview event: ReceiptEvent, then: @escaping @Loop (ReceiptEvent) -> Void) {
        guard var members = event.members(), let key = members["key"]?.string else { return }
        scope.run("preview") { [self] in
            guard let jpeg = await held.preview(key) else { return }
            members["key"] = nil
            members["data"] = .string(Base64.text(of: jpeg))
            then(ReceiptEvent(type: event.type, sequence: event.sequence, at: event.at, body: members.fragment))
        }
    }
}
