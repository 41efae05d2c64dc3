import Shared
import Testing

@testable import tintype

/// Calls of the command line whose answer cannot be told from others.
@Suite(.timeLimit(.minutes(1))) struct LostAnswerTests {
    /// What a call ends with at a server that answers so to whatever it gets.
    @Loop private func failure(_ answer: String) async throws -> ClientFailure? {
        var streams: [Stream] = []
        let server = try Listener(.tcp(host: "127.0.0.1", port: 0)) { stream in
            stream.onBytes = { _ in stream.write(Array((answer + "\n").utf8)) }
            streams.append(stream)
        }
        defer {
            server.close()
            for stream in streams { stream.close() }
        }
        let client = try await RPCClient.connect(server.address)
        defer { client.close() }
        do {
            _ = try await client.call("system.ping")
            return nil
        } catch {
            return error
        }
    }

    @Test @Loop func `an error that names no request ends the call`() async throws {
        let parse = #"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no","data":{"name":"parseError"}}}"#
        guard case .refused(let error)? = try await failure(parse) else { throw UsageError("no refusal") }
        #expect(error.name == .parseError)
        guard case .refused? = try await failure(#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}"#) else { throw UsageError("no refusal") }
    }

    @Test(arguments: ["SSH-2.0-OpenSSH_9.2", "{what is no JSON}"]) @Loop func `a server that speaks something else ends the call`(greeting: String) async throws
    {
        guard case .lost(let reason)? = try await failure(greeting) else { throw UsageError("no failure") }
        #expect(reason.contains("no JSON-RPC"), "\(reason)")
    }
}
