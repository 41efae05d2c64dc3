import TintypeCore
import TintypeImages
import TintypeQueue
import TintypeTransport
import TestSupport

@testable import Worker

/// Sources that are loaded without a queue, under a policy of the operator.
extension WorkerHarness {
    /// - Parameter fetch: the options as in rules.
    @Loop func load(_ url: String, _ fetch: JSONObject = [:], under policy: DownloadPolicy, maxBytes: Int = 64 << 20) async throws -> LoadedSource {
        let source = try Source(canonical: .object(fetch.merging(["url": .string(url)])))
        let transfers = TransferPool(policy: AddressPolicy(allowing: [AddressRange("127.0.0.0/8")!]))
        return try await load(source, by: transfers, under: policy, maxBytes: maxBytes)
    }

    /// - Parameter transfers: a pool whose connections may be used again.
    @Loop func load(_ source: Source, by transfers: TransferPool, under policy: DownloadPolicy, maxBytes: Int = 64 << 20) async throws -> LoadedSource {
        let loader = SourceLoader(
            transfers: transfers, cache: sourceCache, policy: policy, lists: AccessLists(redis: nodes), files: pool, metrics: metrics)
        let reporter = FetchReporter(queue: queue, lease: RunLease(fetch: "none", token: 0), interval: nil, scope: scope, onAnswer: { _ in })
        var acceptance = Acceptance()
        acceptance.maxBytes = maxBytes
        // Each load asks the server, whatever an earlier one has kept.
        var use = CacheUse()
        use.reads = false
        return try await loader.load(source, use, accepting: acceptance, reservation: budget.begin(), reporter: reporter)
    }

    @Loop func failure(_ url: String, _ fetch: JSONObject = [:], under policy: DownloadPolicy, maxBytes: Int = 64 << 20) async -> TintypeError? {
        do {
            _ = try await load(url, fetch, under: policy, maxBytes: maxBytes)
            return nil
        } catch {
            return error as? TintypeError
        }
    }
}
