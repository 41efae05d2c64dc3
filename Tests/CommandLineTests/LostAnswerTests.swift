import TintypeCore
import TintypeTransport
import TestSupport
import Testing

@testable import Console

/// Calls of the command line whose answer names no request, or never arrives.
@Suite(.timeLimit(.minutes(1)), .scoped) struct LostAnswerTests {
    /// Returns the end of a call at a server that sends this text to every client.
    @Loop private func outcome(_ answer: String) async throws -> Result<JSON, ClientFailure> {
        var streams: [ByteStream] = []
        let server = try Listener(.tcp(host: "127.0.0.1", port: 0)) { stream in
            stream.onBytes = { _ in stream.write(Array((answer + "\n").utf8)) }
            streams.append(stream)
        }
        defer {
            server.close()
            for stream in streams { stream.close() }
        }
        let client = try await RPCClient.connect(ServiceAddress(server.address, isSecure: false))
        defer { client.close() }
        do {
            return .success(try await client.call("system.ping"))
        } catch {
            return .failure(error)
        }
    }

    @Test @Loop func `an error without a request id ends the call`() async throws {
        let parse = #"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no","data":{"name":"parseError"}}}"#
        guard case .failure(.refused(let error)) = try await outcome(parse) else { throw UsageError("no refusal") }
        #expect(error.name == .parseError)
        guard case .failure(.refused) = try await outcome(#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}"#) else {
            throw UsageError("no refusal")
        }
    }

    @Test @Loop func `a body is printed unchanged`() async throws {
        let text = #"{"json":{"id": 18446744073709551615, "n": 1.0}}"#
        #expect(try await outcome(#"{"jsonrpc":"2.0","id":1,"result":\#(text)}"#).get().text == text)
    }

    /// Calls a server that answers this many pings before the call, or nothing at all. The silence is far longer than an answer takes on loopback,
    /// and it must pass twice without a byte.
    @Loop private func call(answeringAfter pings: Int?) async throws -> Result<JSON, ClientFailure> {
        var streams: [ByteStream] = []
        var count = 0
        let server = try Listener(.tcp(host: "127.0.0.1", port: 0)) { stream in
            stream.onBytes = { bytes in
                guard let pings else { return }
                for _ in String(decoding: bytes, as: UTF8.self).split(separator: "\n").filter({ $0.contains("\"id\":0,") }) {
                    count += 1
                    // An unauthenticated client gets an error, which shows that the server is alive.
                    stream.write(Array(#"{"jsonrpc":"2.0","id":0,"error":{"code":1003,"message":"no token"}}"#.utf8) + [10])
                    if count == pings { stream.write(Array(#"{"jsonrpc":"2.0","id":1,"result":"done"}"#.utf8) + [10]) }
                }
            }
            streams.append(stream)
        }
        defer {
            server.close()
            for stream in streams { stream.close() }
        }
        let client = try await RPCClient.connect(ServiceAddress(server.address, isSecure: false), silence: .milliseconds(200))
        defer { client.close() }
        do throws(ClientFailure) {
            return .success(try await client.call("image.load"))
        } catch {
            return .failure(error)
        }
    }

    @Test @Loop func `a call fails when the coordinator stops answering`() async throws {
        guard case .failure(.lost(let reason)) = try await call(answeringAfter: nil) else { throw UsageError("no failure") }
        #expect(reason.contains("has stopped answering"), "\(reason)")
    }

    @Test @Loop func `a call waits while the coordinator answers pings`() async throws {
        guard case .success("done") = try await call(answeringAfter: 5) else { throw UsageError("given up") }
    }

    @Test(arguments: ["SSH-2.0-OpenSSH_9.2", "{what is no JSON}"]) @Loop func `a call fails if a server does not speak JSON-RPC`(greeting: String) async throws
    {
        guard case .failure(.lost(let reason)) = try await outcome(greeting) else { throw UsageError("no failure") }
        #expect(reason.contains("not JSON-RPC"), "\(reason)")
    }
}
