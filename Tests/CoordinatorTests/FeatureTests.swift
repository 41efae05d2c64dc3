import TestSupport
import Testing
import TintypeContracts
import TintypeCore
import TintypeImages
import TintypeTransport

@testable import Coordinator
@testable import TintypeFeatures

/// The features of a coordinator: all of them together, and the core without some of them.
@Suite(.timeLimit(.minutes(2)), .serialized, .scoped, .tags(.untiered)) struct FeatureTests {
    private func methods(_ client: RPCClient) async throws -> [String] {
        let methods = try await client.call("rpc.discover").result?["methods"]?.array ?? []
        return methods.compactMap { $0["name"]?.string }
    }

    private func loads(_ harness: CoordinatorHarness, _ client: RPCClient) async throws -> Bool {
        async let answer = client.call("image.load", #"{"url":"http://origin.test/a"}"#)
        try await harness.worker.succeed(try await harness.worker.claim())
        return try await answer.error == nil
    }

    @Test func `all features together have every described method, in the order of the reference page`() async throws {
        let harness = try await CoordinatorHarness()
        #expect(try await methods(try await harness.client()) == MethodCatalog.methods.map(\.name))
    }

    @Test func `the core serves pictures without a feature, and lists only its own methods`() async throws {
        let harness = try await CoordinatorHarness(features: [])
        let client = try await harness.client()
        #expect(try await loads(harness, client))
        let own = Set(try await methods(client))
        #expect(own.isSuperset(of: ["image.load", "receipt.get", "queue.get", "cache.get"]))
        #expect(own.isDisjoint(with: ["batch.start", "cache.purge", "stats.series", "pictures.url", "activity.get", "system.validate"]))
        #expect(try await client.call("batch.start", #"{"items":[]}"#).error?.name == "methodNotFound")
        #expect(try await client.call("events.subscribe", #"{"activity":true}"#).error?.name == "invalidParams")
        #expect(try await client.call("system.info").result?["limits"]?["maxGroups"] == nil)
    }

    @Test func `pictures are served without any one feature`() async throws {
        let all = await Feature.all()
        for missing in all.indices {
            var features = all
            features.remove(at: missing)
            let harness = try await CoordinatorHarness(features: features)
            #expect(try await loads(harness, try await harness.client()), "without feature \(missing)")
        }
    }

    @Test @Loop func `each part of a doorway is called in its time`() async throws {
        var called: [String] = []
        let harness = try await CoordinatorHarness(features: [
            { _, _ in
                var feature = Feature()
                feature.start = { called.append("start") }
                feature.sample = { called.append("sample") }
                feature.reload = { called.append("reload") }
                feature.handOver = { called.append("handOver") }
                feature.finish = { called.append("finish") }
                feature.stop = { called.append("stop") }
                return feature
            }
        ])
        #expect(called == ["start"])
        #expect(try await HTTP.get(harness.base + "/metrics").status == 200)
        await harness.coordinator.reload()
        #expect(called == ["start", "sample", "reload"])
        await harness.coordinator.drain()
        // Draining hands the work over at once, and stopping does so for those that do not drain.
        #expect(called.dropFirst(3) == ["handOver", "handOver", "finish", "stop"])
    }
}
