import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import Testing

@testable import tintype

/// Calls of the command line whose answer cannot be told from others.
@Suite(.timeLimit(.minutes(1))) struct LostAnswerTests {
    /// What a call ends with at a server that answers so to whatever it gets.
    @Loop private func outcome(_ answer: String) async throws -> Result<JSON, ClientFailure> {
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
            return .success(try await client.call("system.ping"))
        } catch {
            return .failure(error)
        }
    }

    @Test @Loop func `an error that names no request ends the call`() async throws {
        let parse = #"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no","data":{"name":"parseError"}}}"#
        guard case .failure(.refused(let error)) = try await outcome(parse) else { throw UsageError("no refusal") }
        #expect(error.name == .parseError)
        guard case .failure(.refused) = try await outcome(#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}"#) else {
            throw UsageError("no refusal")
        }
    }

    @Test @Loop func `a body is printed as it came`() async throws {
        let text = #"{"json":{"id": 18446744073709551615, "n": 1.0}}"#
        #expect(try await outcome(#"{"jsonrpc":"2.0","id":1,"result":\#(text)}"#).get().text == text)
    }

    /// A server that has so many pings answered before the call is, or answers nothing. The pause is far longer than an answer on loopback
    /// takes, and three of them have to pass in vain.
    @Loop private func call(answeringAfter pings: Int?) async throws -> Result<JSON, ClientFailure> {
        var streams: [Stream] = []
        var count = 0
        let server = try Listener(.tcp(host: "127.0.0.1", port: 0)) { stream in
            stream.onBytes = { bytes in
                guard let pings else { return }
                for _ in String(decoding: bytes, as: UTF8.self).split(separator: "\n").filter({ $0.contains("\"ping\"") }) {
                    count += 1
                    // Who has not shown its token is told so, and is alive all the same.
                    stream.write(Array(#"{"jsonrpc":"2.0","id":"ping","error":{"code":1003,"message":"no token"}}"#.utf8) + [10])
                    if count == pings { stream.write(Array(#"{"jsonrpc":"2.0","id":1,"result":"done"}"#.utf8) + [10]) }
                }
            }
            streams.append(stream)
        }
        defer {
            server.close()
            for stream in streams { stream.close() }
        }
        let client = try await RPCClient.connect(server.address, pause: .milliseconds(200))
        defer { client.close() }
        do throws(ClientFailure) {
            return .success(try await client.call("image.load"))
        } catch {
            return .failure(error)
        }
    }

    @Test @Loop func `a coordinator that answers nothing any more is given up`() async throws {
        guard case .failure(.lost(let reason)) = try await call(answeringAfter: nil) else { throw UsageError("no failure") }
        #expect(reason.contains("has stopped answering"), "\(reason)")
    }

    @Test @Loop func `one that answers pings may take its time`() async throws {
        guard case .success("done") = try await call(answeringAfter: 5) else { throw UsageError("given up") }
    }

    @Test(arguments: ["SSH-2.0-OpenSSH_9.2", "{what is no JSON}"]) @Loop func `a server that speaks something else ends the call`(greeting: String) async throws
    {
        guard case .failure(.lost(let reason)) = try await outcome(greeting) else { throw UsageError("no failure") }
        #expect(reason.contains("not JSON-RPC"), "\(reason)")
    }
}
