import Foundation
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Coordinator
import TintypeSettings

/// The clients that are admitted where a token is required.
@Suite(.tags(.realTimes), .timeLimit(.minutes(1)), .serialized, .scoped) struct TokenTests {
    private func write(_ text: String, _ path: String) throws { try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic) }

    @Test @Loop func `unauthenticated clients are refused over TCP and HTTP`() async throws {
        let folder = try TemporaryFolder("token")
        let file = folder.path + "/token"
        try write("# of this year\nsesame-sesame\n", file)
        let h = try await CoordinatorHarness { $0.tokenFile = file }
        let client = try h.client()
        for method in ["system.ping", "system.info", "rpc.discover", "image.load", "no.such", "$/cancelRequest"] {
            #expect(try await client.call(method, #"{"url":"http://a.test/"}"#).error?.name == "unauthenticated", "\(method)")
        }
        let wrong = try await client.call("session.authenticate", #"{"token":"sesame-sesamf"}"#)
        #expect(wrong.error?.name == "unauthenticated" && !"\(wrong)".contains("sesamf"))
        #expect(try await client.call("session.authenticate", #"{"token":"sesame-sesame","tken":"x"}"#).error?.name == "invalidParams")
        #expect(try await client.call("system.ping").error?.name == "unauthenticated")
        #expect(try await client.call("session.authenticate", #"{"token":"sesame-sesame"}"#)["ok"]?.bool == true)
        #expect(try await client.call("system.ping").result?.string == "pong")
        // A wrong attempt changes nothing.
        #expect(try await client.call("session.authenticate", #"{"token":"sesame-sesamf"}"#).error?.name == "unauthenticated")
        #expect(try await client.call("system.ping").result?.string == "pong")
        #expect(try await h.client().call("system.ping").error?.name == "unauthenticated")

        let bearer = ["-H", "Authorization: Bearer sesame-sesame"]
        let ping = ["-d", #"{"jsonrpc":"2.0","id":1,"method":"system.ping"}"#]
        #expect(String(decoding: try await HTTP.get(h.base + "/rpc", ping).body, as: UTF8.self).contains("unauthenticated"))
        #expect(String(decoding: try await HTTP.get(h.base + "/rpc", ping + bearer).body, as: UTF8.self).contains("pong"))
        let put = ["-X", "PUT", "--data-binary", "picture"]
        let refused = try await HTTP.get(h.base + "/images/mine", put)
        #expect(refused.status == 401 && refused.headers["www-authenticate"] == "Bearer")
        #expect(try await HTTP.get(h.base + "/images/mine", put + ["-H", "Authorization: Bearer sesame-sesam"]).status == 401)
        #expect(try await HTTP.get(h.base + "/images/mine", put + bearer).status == 201)
        #expect(try await HTTP.get(h.base + "/images/mine").status == 401)
        let mine = try await HTTP.get(h.base + "/images/mine", bearer)
        #expect(mine.status == 200 && mine.headers["cache-control"]?.hasPrefix("private, max-age=") == true, "\(mine.headers)")
        let known = try await HTTP.get(h.base + "/images/mine", bearer + ["-H", "If-None-Match: \(mine.headers["etag"] ?? "")"])
        #expect(known.status == 304 && known.headers["cache-control"]?.hasPrefix("private") == true)
        #expect(try await HTTP.get(h.base + "/nothing").status == 401)
        #expect(try await HTTP.get(h.base + "/nothing", bearer).status == 404)
        for path in ["/healthz", "/readyz", "/metrics", "/scale"] { #expect(try await HTTP.get(h.base + path).status == 200, "\(path)") }
    }

    @Test @Loop func `tokens change while the coordinator runs, and clients with an old one are closed`() async throws {
        let folder = try TemporaryFolder("token")
        let file = folder.path + "/token"
        try write("first-first", file)
        let h = try await CoordinatorHarness { $0.tokenFile = file }
        let (old, new, stranger) = (try h.client(), try h.client(), try h.client())
        for client in [old, new] { #expect(try await client.call("session.authenticate", #"{"token":"first-first"}"#).error == nil) }
        #expect(try await old.call("events.subscribe", #"{"activity":true}"#).error == nil)
        #expect(try await stranger.call("events.subscribe", #"{"activity":true}"#).error?.name == "unauthenticated")
        try write("first-first\nsecond-second", file)
        await h.coordinator.reload()
        #expect(try await old.call("system.ping").error == nil)
        #expect(try await new.call("session.authenticate", #"{"token":"second-second"}"#).error == nil)
        // A wrong file changes nothing.
        try write("", file)
        await h.coordinator.reload()
        #expect(try await old.call("system.ping").error == nil)
        try write("second-second", file)
        await h.coordinator.reload()
        // This returns when the connection is closed. A subscription would go on otherwise.
        _ = await old.notifications { _ in false }
        #expect(try await new.call("system.ping").error == nil)
        #expect(try await stranger.call("session.authenticate", #"{"token":"first-first"}"#).error?.name == "unauthenticated")
        #expect(try await stranger.call("session.authenticate", #"{"token":"second-second"}"#).error == nil)
    }

    /// The test waits for the real time of ten seconds.
    @Test @Loop func `an unauthenticated client has little time and small messages, and an authenticated one stays`() async throws {
        let folder = try TemporaryFolder("token")
        try write("sesame-sesame", folder.path + "/token")
        let h = try await CoordinatorHarness { $0.tokenFile = folder.path + "/token" }
        if !TestTimes.areReal { h.coordinator.server.authenticationTimeout = .seconds(1) }
        let (known, silent, loud) = (try h.client(), try RawClient(port: h.port), try h.client())
        #expect(try await known.call("session.authenticate", #"{"token":"sesame-sesame"}"#).error == nil)
        #expect(try await loud.call("system.ping").error?.name == "unauthenticated")
        let long = try RawClient(port: h.port)
        let words = Array(#"{"jsonrpc":"2.0","id":1,"method":"system.ping","params":{"x":"\#(String(repeating: "x", count: 70_000))"}}"#.utf8)
        await Task.detached { _ = long.send(words.dropLast()) }.value
        let refused = String(decoding: await long.untilClosed(), as: UTF8.self)
        #expect(refused.contains("-32600") && refused.contains("64 KiB"), "\(refused)")
        #expect(String(decoding: await silent.untilClosed(), as: UTF8.self).contains("unauthenticated"))
        // This returns when the connection is closed.
        _ = await loud.notifications { _ in false }
        #expect(try await known.call("system.ping", #"{"x":"\#(String(repeating: "x", count: 70_000))"}"#).error?.name == "invalidParams")
        #expect(try await known.call("system.ping").error == nil)
    }

    @Test @Loop func `a batch may begin with its authentication`() async throws {
        let folder = try TemporaryFolder("token")
        try write("sesame-sesame", folder.path + "/token")
        let h = try await CoordinatorHarness { $0.tokenFile = folder.path + "/token" }
        let client = try h.client()
        client.send(
            #"[{"jsonrpc":"2.0","id":"a","method":"system.ping"},"#
                + #"{"jsonrpc":"2.0","id":"b","method":"session.authenticate","params":{"token":"sesame-sesame"}},"#
                + #"{"jsonrpc":"2.0","id":"c","method":"system.ping"}]"# + "\n")
        let answers = await client.notifications { $0.count == 3 }
        #expect(answers.first { $0.json["id"]?.string == "a" }?.error?.name == "unauthenticated")
        #expect(answers.first { $0.json["id"]?.string == "c" }?.result?.string == "pong")
    }

    @Test @Loop func `without required tokens every client is admitted, with or without one`() async throws {
        let h = try await CoordinatorHarness()
        let client = try h.client()
        #expect(try await client.call("session.authenticate", #"{"token":"whatever"}"#)["ok"]?.bool == true)
        #expect(try await client.call("system.ping").error == nil)
    }

    @Test(arguments: [("", "expected a token"), ("good-token\nbad token", ":2: "), ("short", ":1: "), ("tökentöken", ":1: "), ("good-token\r\nbad", ":2: ")])
    func `a file without valid tokens is refused, and the error shows none`(text: String, message: String) throws {
        let mistake = try #require(throws: SettingError.self) { _ = try AccessTokens(text: text, path: "t") }
        #expect(mistake.message.contains(message) && !mistake.message.contains("bad"))
    }
}
