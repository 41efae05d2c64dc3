import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeSettings
import TintypeTransport

@testable import Coordinator
@testable import TintypePurges

/// The places of purges, which clients share.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct PurgePlacesTests {
    @Test @Loop func `purges of one client leave places for another client`() async throws {
        let folder = try TemporaryFolder("tokens")
        let tokens = ["mallory", "alice", "bob", "carol", "dave"].map { "\($0)-\($0)-\($0) role=put name=\($0)" }.joined(separator: "\n")
        try Data(tokens.utf8).write(to: URL(fileURLWithPath: folder.path + "/tokens"))
        let h = try await CoordinatorHarness { $0.tokenFile = folder.path + "/tokens" }
        let purger = h.coordinator.part(Purger.self)
        func purge(_ name: String) async throws -> RPCClient.Message {
            let client = try h.client()
            #expect(try await client.call("session.authenticate", #"{"token":"\#(name)-\#(name)-\#(name)"}"#).error == nil)
            return try await client.call("cache.purge", #"{"url":"http://origin.test/a"}"#)
        }
        // The removal of the kept source waits for the folder.
        let release = h.holdImages()
        var purges: [Task<RPCClient.Message, any Error>] = []
        // The last two places are for clients without a purge.
        for (name, number, count) in [("mallory", 4, 4), ("alice", 2, 6), ("bob", 1, 7), ("carol", 1, 8)] {
            for _ in 0..<number { purges.append(Task { try await purge(name) }) }
            try await h.until { purger.count == count }
            let refused = try await purge(name).error
            #expect(refused?.name == "overloaded" && refused?.data["retryAfter"]?.int == 1, "\(String(describing: refused))")
        }
        #expect(try await purge("dave").error?.name == "overloaded")
        release()
        for one in purges { #expect(try await one.value.error == nil) }
        #expect(try await purge("dave").error == nil)
        #expect(purger.count == 0)
    }
}
