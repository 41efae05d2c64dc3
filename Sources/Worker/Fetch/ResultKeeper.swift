import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeStores

/// Puts finished images where whoever waits for them finds them: into the result store, or, if that takes none, into the hands of Redis for the
/// moment. Lives on the loop.
@Loop struct ResultKeeper {
    let tools: FetchTools

    /// - Parameters:
    ///   - isKept: whether the index will speak of it; otherwise it is there for those who have just been told of it.
    ///   - present: what lies in the store under its key, if that was just read.
    /// - Returns: false when the store has not taken it and it is held for the moment.
    /// - Throws: why the store has not taken it, if nothing else has.
    func keep(_ image: StoredImage, isKept: Bool, present: StoredImage?) async throws(TintypeError) -> Bool {
        do throws(TintypeError) {
            if isKept { try await put(image) } else { try await lend(image, present) }
            return true
        } catch {
            guard await hold(image) else { throw error }
            return false
        }
    }

    /// Under its key something may lie that others keep, and an index that speaks of it. The same bytes stay as they are; other ones take their
    /// place, and the index forgets them (`settle.lua`): a key has one picture, and whoever asked last is to get what he was told of.
    private func lend(_ image: StoredImage, _ present: StoredImage?) async throws(TintypeError) {
        var there = present
        if there == nil { there = try? await tools.store.get(image.key) }
        guard var kept = there, kept.rendition.sha256 == image.rendition.sha256 else { return try await put(image) }
        guard let end = kept.expiresAt, let least = image.expiresAt, end < least else { return }
        (kept.expiresAt, kept.sha256) = (least, image.sha256)
        try await put(kept)
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

    private func hold(_ image: StoredImage) async -> Bool {
        let isHeld = await tools.held.hold(image)
        tools.metrics.add(.storeOperations, labels: "redis", "hold", isHeld ? "ok" : "failed")
        return isHeld
    }
}
