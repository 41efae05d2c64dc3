import TintypeCore
package import TintypeTransport
import TintypeImages
import TintypeStores

/// Stores finished results where the receipts that wait can find them: in the result store or, if that refuses, spilled in Redis. Lives on the loop.
@Loop package struct ResultKeeper {
    let store: any ResultStore
    /// Those that `store` does not take stay here for a minute.
    let spilled: SpilledResults
    let logger: Logger
    let metrics: Metrics

    /// - Parameters:
    ///   - isKept: whether the index will list the result; otherwise it stays only for the receipts that wait now.
    ///   - present: the entry that the store has under this key, if it was just read.
    ///   - replaces: whether the entry under the key is replaced in any case.
    ///   - spans: the spans of the fetch, if its trace is sent.
    /// - Returns: false if the store refused the result and Redis keeps the spilled bytes.
    /// - Throws: the store's error, if Redis refused the bytes too.
    func keep(_ image: StoredImage, isKept: Bool, present: StoredImage?, replaces: Bool, spans: RunSpans?) async throws(TintypeError) -> Bool {
        do throws(TintypeError) {
            if isKept || replaces { try await put(image, spans) } else { try await lend(image, present, spans) }
            return true
        } catch {
            guard await hold(image) else { throw error }
            return false
        }
    }

    /// Stores a result that the index will not list. The key may already have an entry that others keep. Equal bytes stay, at most with a longer
    /// lifetime. Different bytes are replaced and `settle.lua` removes the key from the index: a key has one picture, and the last request gets its own.
    private func lend(_ image: StoredImage, _ present: StoredImage?, _ spans: RunSpans?) async throws(TintypeError) {
        var there = present
        if there == nil { there = try? await store.get(image.key) }
        guard var kept = there, kept.rendition.sha256 == image.rendition.sha256 else { return try await put(image, spans) }
        guard let end = kept.expiresAt, let least = image.expiresAt, end < least else { return }
        (kept.expiresAt, kept.sha256) = (least, image.sha256)
        try await put(kept, spans)
    }

    private func put(_ image: StoredImage, _ spans: RunSpans?) async throws(TintypeError) {
        let (began, at) = (ContinuousClock.now, WallClock.now)
        do throws(TintypeError) {
            try await store.put(image)
            spans?.add("store put", .client, at, ["tintype.store": .string(store.kind)])
            metrics.ended(.put, of: store.kind, isDone: true, since: began)
        } catch {
            spans?.add("store put", .client, at, ["tintype.store": .string(store.kind)], failure: error.name.rawValue)
            metrics.ended(.put, of: store.kind, isDone: false, since: began)
            logger.error("a result could not be stored", ["key": image.key, "bytes": image.bytes.count, "error": error.description])
            throw error
        }
    }

    private func hold(_ image: StoredImage) async -> Bool {
        let began = ContinuousClock.now
        let isHeld = await spilled.hold(image)
        metrics.ended(.hold, of: "redis", isDone: isHeld, since: began)
        return isHeld
    }
}
