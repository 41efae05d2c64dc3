import Foundation
import TestSupport
import Testing
import TintypeContracts
import TintypeCore
import TintypeImages
import TintypeQueue
import TintypeSettings
import TintypeTransport

@testable import Coordinator
import TintypeCallbacks

/// The messages about purges to a web server of the operator's, which checks their signature.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct PurgeWebhookTests {
    @Loop private func harness(_ url: String, allows: Bool = true) async throws -> CoordinatorHarness {
        let folder = try TemporaryFolder("secret")
        try Data("geheim\n".utf8).write(to: URL(fileURLWithPath: folder.path + "/secret"))
        let features = Feature.all {
            $0.callbacks.retry = .milliseconds(1)
            ($0.callbacks.purgeWebhook, $0.callbacks.purgeSecretFile) = (url, folder.path + "/secret")
        }
        return try await CoordinatorHarness(features: features) { if allows { $0.common.allowAddresses = ["127.0.0.0/8"] } }
    }

    @Test @Loop func `each purge is told once, signed, and again after a failure`() async throws {
        let receiver = try await CallbackReceiver()
        let harness = try await harness(receiver.base + "/500,200/purged")
        let client = try harness.client()
        let purges = [("url", "https://example.org/a.jpg"), ("prefix", "https://example.org/a*"), ("tag", "p-17")]
        for (way, text) in purges {
            let scope = way == "tag" ? #","scope":"anna""# : ""
            #expect(try await client.call("cache.purge", #"{"\#(way)":"\#(text)"\#(scope)}"#)["results"]?.int == 0)
        }
        var seen: [String: JSON] = [:]
        for number in 1...4 {
            let request = try await receiver.request(number)
            #expect(request.isSigned == true && request.type == "purge" && request.event["at"]?.double != nil, "\(request)")
            guard request.status == 200 else { continue }
            for (way, text) in purges where request.event[way]?.string == text { seen[way] = request.event }
        }
        #expect(Set(seen.keys) == ["url", "prefix", "tag"])
        for (way, event) in seen { #expect(event["scope"]?.string == (way == "tag" ? "anna" : nil), "\(way)") }
        for event in seen.values {
            #expect(event["results"]?.int == 0 && event["sources"]?.int == 0 && event["fetches"]?.int == 0, "\(event)")
        }
        try await harness.until { try await harness.worker.queue.dump().names("cb:").isEmpty }
        #expect(receiver.count == 4)
        let left = try await harness.worker.queue.dump().entries
        #expect(!"\(left)".contains("geheim"))
    }

    @Test @Loop func `a webhook that may not be reached, or cannot be noted, fails no purge and is counted`() async throws {
        let harness = try await harness("http://127.0.0.1:9/", allows: false)
        let client = try harness.client()
        #expect(try await client.call("cache.purge", #"{"tag":"a"}"#)["results"]?.int == 0)
        func givenUp() -> Bool { harness.coordinator.core.process.metrics.text().contains(#"tintype_callbacks_total{outcome="givenUp"} 1"#) }
        try await harness.until { givenUp() }
    }

    @Test func `a secret without a URL, and a file without a secret, are refused`() throws {
        let folder = try TemporaryFolder("secret")
        try Data("\n".utf8).write(to: URL(fileURLWithPath: folder.path + "/empty"))
        var settings = CoordinatorConfiguration().callbacks
        settings.purgeSecretFile = folder.path + "/empty"
        #expect(throws: SettingError.self) { try settings.purgeTarget() }
        settings.purgeWebhook = "https://cdn.example.org/purge"
        #expect(throws: SettingError.self) { try settings.purgeTarget() }
        try Data("geheim\n".utf8).write(to: URL(fileURLWithPath: folder.path + "/empty"))
        #expect(try settings.purgeTarget()?.secret == "geheim")
    }
}
