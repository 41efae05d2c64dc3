package import TintypeCore
package import TintypeTransport

import struct TintypeClient.Address
import struct TintypeClient.Dial
import enum TintypeClient.Failure
import class TintypeClient.Stream
import class TintypeClient.Wire

/// A connection to a coordinator, made by the client for Swift: any number of calls in flight. Lives on the loop.
///
/// It is one connection of the client, and not the client itself. That one repeats calls, where a command reports a failure at once.
/// An answer may take hours, but a running coordinator answers a ping at once. The connection asks for one while a call waits.
@Loop
package final class RPCClient {
    /// Receives the notifications in the order of their arrival.
    package var onNotification: (@Loop (_ method: String, _ params: JSON) -> Void)?
    package let service: ServiceAddress

    /// The thread that reads the connections of this process.
    nonisolated static let reader = ClientLoop()

    private let place: Address
    /// Results and parameters stay texts, so that bodies of others are printed as they came.
    private let wire: Wire
    private let ear: Ear

    /// Passes messages on to the loop. They come on the thread of the connections.
    @Loop private final class Ear {
        weak var client: RPCClient?
    }

    /// Connects to the coordinator that `arguments` or the environment name.
    package static func connect(_ arguments: Arguments) async throws -> RPCClient {
        let service = try ServiceAddress(arguments.value("coordinator", or: "TINTYPE_COORDINATOR") ?? "127.0.0.1:7411", .rpc, option: "coordinator")
        let token = try ServiceToken.read(arguments)
        let client = try await connect(service, tls: try ServiceTLS.context(for: service, arguments))
        if let token { _ = try await client.call("session.authenticate", ["token": .string(token)]) }
        return client
    }

    /// Calls a method on a connection of its own, and prints the answer.
    /// - Parameter text: Returns the answer for people.
    @discardableResult
    static func show(_ method: String, _ params: JSON, _ arguments: Arguments, _ text: (JSON) -> String) async throws -> JSON {
        let client = try await connect(arguments)
        defer { client.close() }
        let answer = try await client.call(method, params)
        try Output.answer(answer, arguments, text(answer))
        return answer
    }

    /// - Parameter silence: The time without a byte after which the coordinator is asked, and again until it counts as gone.
    static func connect(
        _ service: ServiceAddress, tls: ClientTLS? = nil, silence: Duration = .seconds(15)
    ) async throws(ClientFailure) -> RPCClient {
        let place = try service.place(.rpc)
        switch await Dial(loop: reader, tls: tls).open(place, until: .now + .seconds(10)) {
        case .success(let stream): return RPCClient(stream, service, place, silence)
        case .failure(let failure): throw .unreachable(service.address, failure.whileConnecting(to: service.address, place))
        }
    }

    private init(_ stream: Stream, _ service: ServiceAddress, _ place: Address, _ silence: Duration) {
        let ear = Ear()
        wire = Wire(
            stream, to: place, loop: Self.reader, silence: silence, keeping: ["result", "params"],
            other: { method, params in Loop.execute { ear.client?.heard(method, params) } }, onEnd: { _, _ in })
        (self.service, self.place, self.ear) = (service, place, ear)
        ear.client = self
    }

    /// Calls a method and waits for its answer.
    /// - Throws: `ClientFailure`: the end of the connection, or the error that the coordinator answered.
    package func call(_ method: String, _ params: JSON = [:]) async throws(ClientFailure) -> JSON {
        let params = (try? ClientJSON(parsing: params.bytes())) ?? [:]
        switch await wire.call(method, params, until: .now + .seconds(365 * 86_400)) {
        case .success(let result): return Self.value(result)
        case .failure(.refused(let error)): throw .refused(TintypeError(error))
        case .failure(let failure):
            if let refusal = wire.refusal { throw .refused(TintypeError(refusal)) }
            throw .lost(failure.reason(at: place))
        }
    }

    package func close() { wire.close("closed") }

    private func heard(_ method: String, _ params: ClientJSON) {
        // An error without an id belongs to some call, and no other answer comes.
        if wire.refusal != nil { return wire.close("refused") }
        onNotification?(method, Self.value(params))
    }

    private static func value(_ kept: ClientJSON) -> JSON {
        kept.stringValue.flatMap { try? JSON(parsing: Array($0.utf8), keeping: .bodies) } ?? .null
    }
}

extension RPCClient {
    /// Returns the coordinator's HTTP port. If the coordinator listens on all addresses, the host is the one that this client connected to. Both ports
    /// speak TLS, or none.
    func httpAddress(_ arguments: Arguments) async throws -> ServiceAddress {
        if let text = arguments["http"] { return try ServiceAddress(text, .http, option: "http", isSecure: service.isSecure) }
        let info = try await call("system.info")
        guard let text = info["http"]?.string, let address = try? SocketAddress(text) else {
            throw ClientFailure.http("the coordinator does not name the address of the results: name it with --http HOST:PORT")
        }
        if case .tcp(let host, let port) = address, host == "0.0.0.0" || host == "::", case .tcp(let reached, _) = service.address {
            return ServiceAddress(.tcp(host: reached, port: port), isSecure: service.isSecure)
        }
        return ServiceAddress(address, isSecure: service.isSecure)
    }
}

/// The reason why a call has no result.
package enum ClientFailure: Error {
    case unreachable(SocketAddress, String)
    case lost(String)
    case http(String)
    /// The HTTP port does not answer.
    case httpUnreachable(SocketAddress, String)
    /// The work is done, but the address of the results does not answer.
    case resultsUnreachable(SocketAddress, String)
    /// The coordinator answered with this error.
    case refused(TintypeError)
}

extension TintypeError {
    /// The error as the client for Swift has read it.
    fileprivate init(_ error: ClientError) { self.init(json: (try? JSON(parsing: "\(error.json)")) ?? [:]) }
}

extension Failure {
    /// The reason without the address in front of it.
    func reason(at place: Address) -> String {
        let text =
            switch self {
            case .refused(let error): error.message
            case .lost(let reason, _): reason
            case .cancelled: "interrupted"
            }
        return text.hasPrefix("\(place): ") ? String(text.dropFirst("\(place): ".count)) : text
    }

    /// The reason why there is no connection.
    func whileConnecting(to address: SocketAddress, _ place: Address) -> String {
        let reason = reason(at: place)
        return reason.hasPrefix("cannot resolve ") ? reason : "cannot connect to \(address): \(reason)"
    }
}
