import TestSupport
import Testing
import TintypeContracts
import TintypeCore
import TintypeImages

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
}
