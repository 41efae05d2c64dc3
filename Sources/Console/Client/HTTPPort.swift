import TintypeCore
import TintypeTransport

import struct TintypeClient.Address
import struct TintypeClient.Dial
import enum TintypeClient.Failure
import class TintypeClient.HTTPHost
import struct TintypeClient.HTTPRequest
import struct TintypeClient.HTTPAnswer

/// The HTTP port of a coordinator, by the client for Swift. It gives the bytes of results, and keeps bytes of this machine as a source for one command.
struct HTTPPort: Sendable {
    private static let uploads = "/uploads"
    private static let scheme = "upload:"

    private let address: SocketAddress
    private let place: Address
    private let host: HTTPHost
    private let headers: [(name: String, value: String)]
    private let patience: Duration

    /// - Throws: what `RPCClient.httpAddress` throws; `UsageError` for a wrong token file, and for files of TLS.
    @Loop init(of client: RPCClient, _ arguments: Arguments) async throws {
        let service = try await client.httpAddress(arguments)
        try self.init(service, tls: try ServiceTLS.context(for: service, arguments), token: try ServiceToken.read(arguments))
    }

    /// - Parameter patience: The longest time in which no byte comes.
    init(_ service: ServiceAddress, tls: ClientTLS? = nil, token: String?, patience: Duration = .seconds(60)) throws(ClientFailure) {
        (address, place, self.patience) = (service.address, try service.place(.http), patience)
        let reader = RPCClient.reader
        // When nothing comes, the host is asked whether it lives, and has as long to answer.
        host = HTTPHost(place, loop: reader, dial: Dial(loop: reader, tls: tls), connectTimeout: .seconds(10), silence: patience / 2)
        headers = token.map { [("Authorization", "Bearer \($0)")] } ?? []
    }

    /// Returns the body at a path.
    /// - Throws: `.resultsUnreachable` when the address does not answer, `.http` for anything but a complete answer of status 200.
    func get(_ path: String) async throws(ClientFailure) -> [UInt8] {
        var request = HTTPRequest(path: path, headers: headers, most: .max)
        request.mostSilence = patience
        let answer: HTTPAnswer
        do throws(ClientFailure) {
            answer = try await exchange(request)
        } catch {
            // The work is done by now.
            guard case .httpUnreachable(let address, let reason) = error else { throw error }
            throw .resultsUnreachable(address, reason)
        }
        guard answer.status == 200 else {
            let text = String(decoding: answer.body.prefix(200), as: UTF8.self)
            throw .http("the coordinator answered status \(answer.status) for the result: \(text)")
        }
        return answer.body
    }

    /// Sends bytes, and returns the URL that stands for them.
    /// - Throws: `.httpUnreachable`, `.refused` with the coordinator's error, `.http`.
    func upload(_ bytes: [UInt8]) async throws(ClientFailure) -> String {
        let answer = try await exchange(HTTPRequest(method: "PUT", path: Self.uploads, headers: headers, body: bytes))
        let json = try? JSON(parsing: answer.body)
        if answer.status == 201, let url = json?["url"]?.string, url.hasPrefix(Self.scheme) { return url }
        // Only errors with a code have one of the names that the protocol knows.
        if let error = json?["error"], error["code"] != nil { throw .refused(TintypeError(json: error)) }
        let reason = json?["error"]?["message"]?.string ?? String(decoding: answer.body.prefix(200), as: UTF8.self)
        throw .http("the coordinator did not take the bytes (status \(answer.status)): \(reason)")
    }

    /// Removes the bytes of an upload. If that fails, they are gone when they expire.
    func remove(_ url: String) async {
        _ = try? await exchange(HTTPRequest(method: "DELETE", path: "\(Self.uploads)/\(url.dropFirst(Self.scheme.count))", headers: headers))
    }

    private func exchange(_ request: HTTPRequest) async throws(ClientFailure) -> HTTPAnswer {
        switch await host.exchange(request, until: .now + .seconds(365 * 86_400)) {
        case .success(let answer): return answer
        case .failure(let failure):
            if case .lost(_, wasSent: true) = failure { throw .http("the answer is incomplete: \(failure.reason(at: place))") }
            throw .httpUnreachable(address, failure.whileConnecting(to: address, place))
        }
    }
}
