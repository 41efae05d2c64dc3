import TintypeCore
import TintypeImages
import TintypeTransport
import TestSupport
import Testing

@testable import Worker

/// A worker without features: its core works, and a request that needs one of them says which.
@Suite(.timeLimit(.minutes(1)), .scoped) struct WorkerFeatureTests {
    private static let requests: [(JSONObject, String)] = [
        (["as": "text"], "TextBodies"), (["as": "xml"], "TextBodies"), (["as": "bytes", "saveTo": ["place": "p", "name": "a"]], "Saving"),
        (["as": "bytes", "fetch": ["cookies": "jar"]], "CookieJars"),
    ]

    @Test(arguments: requests) @Loop func `a request that needs a missing feature is refused, and names it`(rest: JSONObject, feature: String) async throws {
        let h = try await WorkerHarness(features: [])
        let receipt = try await h.submit(.object(rest.merging(["url": .string(h.url("/text"))])))
        try await h.runOne()
        let failure = try await h.failure(receipt)
        #expect(failure.name == .forbidden && !failure.isRetryable && failure.details["feature"] == .string(feature), "\(failure)")
        #expect(h.budget.used == 0)
    }

    @Test @Loop func `a picture is made without any feature, and without the previews that were asked for`() async throws {
        let h = try await WorkerHarness(features: [])
        let receipt = try await h.submit([
            "url": .string(h.url("/slow/picture.png?size=64x48&delay=1")), "transform": [["op": "resize", "width": 20]], "progressive": ["interval": 0.05],
        ])
        try await h.runOne()
        #expect(try await h.result(receipt)["renditions"]?[0]?["width"] == 20)
    }
}
