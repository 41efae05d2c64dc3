import TintypeCore
import TintypeImages
import TintypeQueue
import TintypeStores
import TintypeTransport

/// The results and the source of a request's plan, as the caches have them: before a submit, before an answer, and after a cancellation.
@Loop
struct PlannedResults {
    let memory: MemoryTier
    let tiers: CacheTiers
    let kept: KeptResults
    let sources: any ResultStore
    let logger: Logger

    /// Returns whether only the second place may have results of a request, which `bringUp` copies.
    func mayBeElsewhere(_ plan: AdmissionPlan) -> Bool { tiers.hasFallback && plan.readsResults && plan.writesResults }

    /// Copies results of a request that only the second place has into the store and the index.
    func bringUp(_ plan: AdmissionPlan, into queue: Queue) async {
        let keys = plan.outputs.filter { !$0.isTold }.map(\.digest)
        await tiers.bringUp(keys, into: queue, for: (plan.request.version, plan.request.ttl))
    }

    /// Returns whether the index of a queue has all results of a request, perhaps brought there by this question.
    func areIndexed(_ plan: AdmissionPlan, in queue: Queue) async throws(TintypeError) -> Bool {
        if mayBeElsewhere(plan) { await bringUp(plan, into: queue) }
        do throws(RedisError) {
            for output in plan.outputs where try await !queue.isIndexed(output.digest) { return false }
        } catch {
            throw TintypeError(error)
        }
        return true
    }

    /// Checks a request with `cache.policy: only`. The worker checks whether the source cache has the source, so that missing results can be made.
    /// - Throws: `cacheMiss` unless every result is in the index and its bytes in the store, or may be made from a cached source.
    func require(_ plan: AdmissionPlan, in queue: Queue) async throws(TintypeError) {
        if plan.isKeptByNobody { throw CacheMiss.ttlUnset.error }
        if plan.request.reads.contains(.sources), !plan.isProbe { return }
        let miss = CacheMiss.absent.error
        guard plan.readsResults else {
            if let reason = memory.miss(plan.outputs.map(\.digest), ttl: plan.request.ttl) { throw reason.error }
            throw miss
        }
        for output in plan.outputs {
            let text: String?
            do throws(RedisError) {
                text = try await queue.node.command(["GET", .string(queue.keys.result(output.digest))]).string
            } catch {
                throw TintypeError(error)
            }
            guard let info = text?.prefix(while: { $0 != "\n" }), let json = try? JSON(parsing: String(info)) else {
                throw try await kept.miss(output.digest).error
            }
            if let reason = CacheMiss(of: ImageResult.Rendition(json: json), version: plan.request.version, ttl: plan.request.ttl, at: WallClock.now) {
                throw reason.error
            }
            if !output.isTold, try await !kept.isPresent(output.digest) { throw miss }
        }
    }

    /// Returns whether the bytes of all results of a submission are known to exist without a question to a store.
    func areVerified(_ submission: Submission, for use: ResultUse) -> Bool {
        submission.renditions.allSatisfy { $0.name.isEmpty || kept.isVerified($0.digest, for: use) }
    }

    /// Removes results from the index whose bytes are missing or have changed.
    func verify(_ found: [Indexed], of receipt: PendingReceipt) async throws(TintypeError) {
        var gone: [String] = []
        for one in found where try await !kept.isPresent(one.digest, sha256: one.sha256, for: receipt.use) { gone.append(one.digest) }
        guard !gone.isEmpty else { return }
        logger.notice("results are missing in the store; making them again", ["receipt": receipt.id, "queue": receipt.queue])
        do throws(RedisError) {
            try await receipt.handle.queue.forget(results: gone)
        } catch {
            throw TintypeError(error)
        }
    }

    /// Returns whether the source cache has the source, fresh or stale. A cache that does not answer counts as empty.
    func hasSource(of submission: Submission) async -> Bool { (try? await sources.contains(submission.sourceKey)) ?? false }

    /// Removes the results of a canceled request from the memory tier.
    /// - Parameter keys: The secret that the keys of sources are made with.
    /// - Returns: The function that deletes what the fetch of this record has stored for the request.
    func takeBack(_ plan: AdmissionPlan, _ keys: KeySecret) -> @Loop (_ fetch: String) async -> Void {
        let results = plan.outputs.map(\.digest)
        for key in results { memory.remove(key) }
        let layers = plan.request.renditions.flatMap(\.layers).map { keys.key($0.source.digest) }
        return { [tiers] fetch in await tiers.takeBack(results, sources: [plan.sourceDigest] + layers, of: fetch) }
    }
}
