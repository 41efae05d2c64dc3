import TintypeCore
import TintypeTransport

/// Bytes of this machine that a coordinator keeps as a source for one command.
struct ClientUpload: Sendable {
    private static let path = "/uploads"
    private static let scheme = "upload:"

    let url: String
    private let address: SocketAddress
    private let transport: any Transport
    private let token: String?

    /// Sends the bytes to the HTTP port of the coordinator.
    /// - Throws: `.httpUnreachable`, `.refused` with the coordinator's error, `.http`; `UsageError` for a wrong `--http`.
    @Loop static func send(_ bytes: [UInt8], _ client: RPCClient, _ arguments: Arguments) async throws -> ClientUpload {
        let (service, token) = (try await client.httpAddress(arguments), try ServiceToken.read(arguments))
        let (address, transport) = (service.address, try ServiceTLS.transport(to: service, arguments))
        let answer = try await HTTPCall.answer("PUT", path, body: bytes, at: address, over: transport, token: token)
        let json = try? JSON(parsing: answer.body)
        if answer.status == 201, let url = json?["url"]?.string, url.hasPrefix(scheme) {
            return ClientUpload(url: url, address: address, transport: transport, token: token)
        }
        // Only errors with a code have one of the names that the protocol knows.
        if let error = json?["error"], error["code"] != nil { throw ClientFailure.refused(TintypeError(json: error)) }
        let reason = json?["error"]?["message"]?.string ?? String(decoding: answer.body.prefix(200), as: UTF8.self)
        throw ClientFailure.http("the coordinator did not take the bytes (status \(answer.status)): \(reason)")
    }

    /// Removes the bytes. If that fails, they are gone when they expire.
    @Loop func remove() async {
        _ = try? await HTTPCall.answer("DELETE", "\(Self.path)/\(url.dropFirst(Self.scheme.count))", at: address, over: transport, token: token)
    }
}
