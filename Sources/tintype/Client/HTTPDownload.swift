import TintypeTransport

/// Gets results from the HTTP port of a coordinator.
enum HTTPDownload {
    /// Returns the body of `path` at `address`.
    /// - Parameters:
    ///   - transport: The carrier of the bytes.
    ///   - patience: The longest time without a byte.
    /// - Throws: `.resultsUnreachable` when the address does not answer, `.http` for anything but a complete answer of status 200.
    @Loop static func get(
        _ path: String, at address: SocketAddress, over transport: any Transport = PlainTransport(), token: String?, patience: Duration = .seconds(60)
    ) async throws(ClientFailure) -> [UInt8] {
        let answer: HTTPCall.Answer
        do throws(ClientFailure) {
            answer = try await HTTPCall.answer("GET", path, at: address, over: transport, token: token, patience: patience)
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
}
