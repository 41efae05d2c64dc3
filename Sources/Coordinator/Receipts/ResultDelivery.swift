package import TintypeCore
package import TintypeTransport
package import TintypeImages
import TintypeQueue
import TintypeStores

/// Prepares results for clients: adds the request's own members, and the bytes if they are requested inline. Every result also fills the memory tier.
@Loop
package final class ResultDelivery {
    /// The most inline bytes of one result.
    package nonisolated static let inlineLimit = 8 << 20

    private let memory: MemoryTier
    private let store: any ResultStore
    private let kept: KeptResults
    private let fallbacks: FallbackProvider
    private let invalidation: CacheInvalidation
    private let readers: BlockingPool
    private let scope: TaskScope
    private let logger: Logger

    /// - Parameter readers: The threads that parse and encode long texts.
    init(
        memory: MemoryTier, store: any ResultStore, kept: KeptResults, fallbacks: FallbackProvider, invalidation: CacheInvalidation,
        readers: BlockingPool, scope: TaskScope, logger: Logger
    ) {
        (self.memory, self.store, self.kept, self.fallbacks) = (memory, store, kept, fallbacks)
        (self.invalidation, self.readers, self.scope, self.logger) = (invalidation, readers, scope, logger)
    }

    /// Completes an outcome for one client and passes it to `then`: at once, or when its turn has come and the bytes were read.
    package func prepare(
        _ outcome: Outcome, receipt: String?, meta: String, use: ResultUse, for order: (any AnswerOrder)?, then: @escaping @Loop (Outcome) -> Void
    ) {
        prepare(outcome, receipt: receipt, meta: meta, use: use) { [self] ready, use in fill(ready, use, for: order, then: then) }
    }

    /// Completes an outcome, or its fallback, except for the bytes, and passes it to `then` with the remaining work.
    /// - Parameter meta: The receipt's trace, `tag` and `userInfo` as a fragment that begins with a comma, or nothing (`AdmissionPlan.meta`).
    package func prepare(_ outcome: Outcome, receipt: String?, meta: String, use: ResultUse, then: @escaping @Loop (Outcome, ResultUse) -> Void) {
        if let fallback = use.terms.fallback, FallbackProvider.isCalledFor(outcome) {
            var use = use
            (use.terms.fallback, use.isReload, use.memoryLifetime) = (nil, false, 0)
            // A fallback picture also replaces a document.
            if case .request = fallback {} else { use.terms.document = nil }
            scope.run("fallback") { [self, use] in
                let found = await fallbacks.find(fallback, for: outcome, receipt: receipt, trace: TraceContext(fragment: meta))
                prepare(found ?? outcome, receipt: receipt, meta: meta, use: use, then: then)
            }
            return
        }
        guard let result = outcome.result else { return then(outcome, use) }
        take(result, use)
        var ready = outcome
        let stored = use.terms.stored
        ready.result?.renditions = result.renditions.map { rendition in
            var rendition = rendition
            // The worker names no tier if none keeps the result. It knows nothing of a result for memory alone.
            rendition.stored = result.isPurged || rendition.isHeld && !use.keepsInMemoryAlone ? [] : stored
            return rendition
        }
        if !meta.isEmpty, let words = (try? JSON(parsing: "{\(meta.dropFirst())}"))?.object {
            ready.result = ready.result.map { ImageResult($0.object.merging(words)) }
        }
        then(ready, use)
    }

    /// Returns the event for clients if it differs from the received text only in a few words. It returns nil if clients need a modified event, or
    /// if other coordinators must be told before the client.
    func unread(_ event: ReceiptEvent, of receipt: PendingReceipt) -> ReceiptEvent? {
        let use = receipt.use
        let isNews = use.isReload || use.keepsInMemoryAlone
        guard event.type == .succeeded, !use.needsBytes, !isNews, let named = receipt.namedRenditions,
            let body = ResultText.body(event.body, renditions: named, stored: use.terms.stored.text, meta: receipt.meta)
        else { return nil }
        return ReceiptEvent(type: event.type, sequence: event.sequence, at: event.at, body: body)
    }

    /// Updates the memory tier, here and in other coordinators: it learns the result, and drops other bytes under the same keys.
    package func take(_ result: ImageResult, _ use: ResultUse) {
        let renditions = result.renditions
        memory.forget(otherThan: renditions)
        // A result that is not kept has still replaced the earlier one under its key.
        let taken = renditions.filter { use.isReload || $0.isHeld }.compactMap(\.key)
        // Other coordinators may have other bytes under these keys.
        if !taken.isEmpty { invalidation.publish(.forget(taken), isNewHere: true) }
        if use.terms.isPinned { pin(renditions) }
        guard use.keepsInMemory, !result.isPurged else { return }
        memory.remember(renditions: renditions, source: result.source ?? .null, lifetime: use.memoryLifetime, tags: use.tags)
        if use.keepsInMemoryAlone { fetch(renditions) }
    }

    /// Pins the results. No answer waits for this, and no request fails because of it.
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

    /// Updates the memory tier from an event that was sent unparsed. It is parsed after it is on its way to the clients.
    package func take(unread event: ReceiptEvent, _ use: ResultUse) {
        memory.soon { [self] in
            if let result = Outcome(event).result { take(result, use) }
        }
    }

    /// Adds the inline bytes of an outcome when there is room for them.
    /// - Parameter then: Writes the answer.
    func fill(_ outcome: Outcome, _ use: ResultUse, for order: (any AnswerOrder)?, then: @escaping @Loop (Outcome) -> Void) {
        guard use.needsBytes, let renditions = outcome.result?.renditions else { return then(outcome) }
        /// Returns the bytes that the answer needs if they are more than there is room for.
        let make: @Loop (Int) async throws(TintypeError) -> Int? = { [self] room async throws(TintypeError) in
            var whole = outcome
            if let kind = use.terms.document {
                switch try await document(of: renditions, as: kind, within: room, inMemory: use.keepsInMemory) {
                case .answer(let document): whole.result?[kind] = document
                case .longer(let bytes): return bytes
                case nil: break
                }
            }
            if use.terms.delivery == .inline { whole.data = try await data(of: renditions, inMemory: use.keepsInMemory) }
            then(whole)
            return nil
        }
        scope.run("inline") {
            do throws(TintypeError) {
                let bytes = Self.size(renditions)
                try Self.checkInline(bytes)
                guard let order else {
                    _ = try await make(.max)
                    return
                }
                var room: Int? = Base64.length(of: bytes)
                while let bytes = room {
                    room = try await order.inTurn(bytes, isKnown: true) { () async throws(TintypeError) in try await make(bytes) }
                }
            } catch {
                then(Outcome(failing: error, sequence: outcome.sequence))
            }
        }
    }

    /// Returns the bytes of all renditions, at most `WireNumber.most`. A worker may name any number of renditions of any size.
    package nonisolated static func size(_ renditions: [ImageResult.Rendition]) -> Int {
        // bounded: the sum after each step.
        renditions.reduce(0) { min($0 + ($1.bytes ?? 0), Int(WireNumber.most)) }
    }

    /// Reads bytes into the memory tier that no other tier will keep.
    private func fetch(_ renditions: [ImageResult.Rendition]) {
        scope.run("fill memory") { [self] in
            for rendition in renditions { if let key = rendition.key { _ = try? await kept.image(key) } }
        }
    }

    /// - Throws: `limitExceeded` when the bytes are too many for one answer.
    nonisolated static func checkInline(_ total: Int) throws(TintypeError) {
        if total > inlineLimit { throw tooLong(total, inlineLimit) }
    }

    private nonisolated static func tooLong(_ bytes: Int, _ most: Int, _ note: String = "") -> TintypeError {
        TintypeError(
            .limitExceeded, .deliver, "\(bytes) bytes\(note) are too many for inline delivery: use deliver: reference",
            details: ["limit": "inline", "value": JSON(bytes), "allowed": JSON(most)])
    }

    /// Returns the bytes of each rendition in base64.
    /// - Parameter inMemory: Whether the bytes stay in the memory tier after they were read.
    package func data(of renditions: [ImageResult.Rendition], inMemory: Bool) async throws(TintypeError) -> [JSON] {
        try Self.checkInline(Self.size(renditions))
        var data: [JSON] = []
        for rendition in renditions { data.append(try await base64(try await stored(rendition, inMemory: inMemory).bytes)) }
        return data
    }

    /// Returns bytes in base64. Eight mebibytes would stop the loop for more than ten milliseconds, so long ones are encoded on another thread.
    func base64(_ bytes: [UInt8]) async throws(TintypeError) -> JSON {
        try await encoded(bytes) { Base64.json(of: bytes) }
    }

    private func encoded<T: Sendable>(_ bytes: [UInt8], _ body: @escaping @Sendable () -> T) async throws(TintypeError) -> T {
        guard bytes.count >= AnswerScheduler.large else { return body() }
        do { return try await readers.run(body) } catch { throw .stopping }
    }

    /// Returns the document of the single rendition of `as: json`, `as: text` or `as: xml`, unchanged. A worker has checked its own results. Bytes that a client stored, or that
    /// another kind of request made, were never checked. They could close the answer and begin another one.
    /// - Parameter room: The bytes that there is room for. Escapes make a text up to six times as long.
    /// - Throws: `limitExceeded` for a text that is longer with its escapes than the longest inline bytes are in base64.
    private func document(
        of renditions: [ImageResult.Rendition], as kind: DocumentKind, within room: Int, inMemory: Bool
    ) async throws(TintypeError) -> Call.Reading? {
        try Self.checkInline(Self.size(renditions))
        guard let rendition = renditions.first else { return nil }
        let image = try await stored(rendition, inMemory: inMemory)
        switch kind {
        case .json:
            if image.rendition.document != kind, let fault = await fault(of: image.bytes) {
                throw TintypeError(.jsonInvalid, .deliver, "the entry in the result store is not JSON: \(fault)")
            }
            return .answer(.raw(JSONText(checked: image.bytes)))
        case .text, .xml:
            // Steps of a chain read the text, but only a short one.
            let isLong = image.bytes.count >= AnswerScheduler.large
            let most = Base64.length(of: Self.inlineLimit)
            let text: Call.Reading? = try await encoded(image.bytes) {
                guard let text = String(validating: image.bytes, as: UTF8.self) else { return nil }
                let length = JSONWriter.length(ofString: image.bytes)
                if length > min(max(room, AnswerScheduler.large), most) { return .longer(length) }
                return .answer(isLong ? .raw(JSONText(checked: JSON.string(text).bytes())) : .string(text))
            }
            if case .longer(let length) = text, length > most { throw Self.tooLong(length, most, " with the escapes of JSON") }
            // Only workers read XML.
            guard kind == .text || image.rendition.document == kind, let text else {
                throw TintypeError(
                    .textInvalid, .deliver, "what is in the result store is not \(kind == .xml ? "XML that a worker has read" : "text in UTF-8")",
                    details: ["charset": "utf-8"])
            }
            return text
        }
    }

    /// Returns why the bytes cannot be part of an answer; nil if they can. A long text would stop the loop, so it is parsed on another thread.
    private func fault(of bytes: [UInt8]) async -> String? {
        do {
            try await readers.run { _ = try JSON(parsing: bytes, maxDepth: JSONText.maxLevels) }
            return nil
        } catch {
            return "\(error)"
        }
    }

    private func stored(_ rendition: ImageResult.Rendition, inMemory: Bool) async throws(TintypeError) -> StoredImage {
        if let key = rendition.key {
            // There is room for the length that the result names.
            let image = try await kept.image(key, sha256: rendition.sha256, inMemory: inMemory)
            if let image, image.bytes.count <= rendition.bytes ?? .max { return image }
            // The next request must not find the entry in memory.
            memory.remove(key)
        }
        throw TintypeError(.storeFailed, .deliver, "the result is no longer in the result store: request the image again", retryable: true)
    }

    // MARK: Previews

    /// Adds the picture to the event of a preview, which names its place, and passes the event to `then`. Does nothing if the picture is gone.
    package func complete(preview event: ReceiptEvent, then: @escaping @Loop (ReceiptEvent) -> Void) {
        guard var members = event.members(), let key = members["key"]?.string else { return }
        scope.run("preview") { [self] in
            guard let jpeg = await kept.spilled.preview(key) else { return }
            members["key"] = nil
            members["data"] = .string(Base64.text(of: jpeg))
            then(ReceiptEvent(type: event.type, sequence: event.sequence, at: event.at, body: members.fragment))
        }
    }
}
