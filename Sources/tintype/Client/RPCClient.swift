import TintypeCore
import TintypeTransport

/// A connection to a coordinator: JSON-RPC 2.0, one message on each line, any number of calls in flight. Lives on the loop.
///
/// An answer may take hours, but a running coordinator answers a ping at once. The client pings it while a call waits. The connection counts as
/// lost when no byte has arrived for three of these pauses. The client counts pauses and does not measure time. After its own machine has slept, it
/// therefore reads the bytes that have arrived before it judges.
@Loop
final class RPCClient {
    /// Receives the notifications in the order of their arrival.
    var onNotification: (@Loop (_ method: String, _ params: JSON) -> Void)?
    let address: SocketAddress
    /// Whether the coordinator's ports speak TLS.
    private(set) var isSecure = false

    private let stream: ByteStream
    private var splitter = MessageSplitter(maxMessageBytes: 1 << 30)
    private var waiting: [Int64: OneShot<JSON>] = [:]
    private var lastID: Int64 = 0
    private var end: ClientFailure?
    private let pause: Duration
    /// The number of pings since the last byte arrived.
    private var unheard = 0
    private var watch: LoopTimer?

    /// Connects to the coordinator that `arguments` or the environment name.
    static func connect(_ arguments: Arguments) async throws -> RPCClient {
        let text = arguments["coordinator"] ?? ProcessEnvironment.all()["TINTYPE_COORDINATOR"].flatMap { $0.isEmpty ? nil : $0 } ?? "127.0.0.1:7411"
        let service = try ServiceAddress(text, .rpc, option: "coordinator")
        let token = try ServiceToken.read(arguments)
        let client = try await connect(service.address, over: try ServiceTLS.transport(to: service, arguments))
        if let token { _ = try await client.call("session.authenticate", ["token": .string(token)]) }
        return client
    }

    /// - Parameters:
    ///   - transport: The carrier of the bytes.
    ///   - pause: The time without a byte after which the client sends a ping.
    static func connect(
        _ address: SocketAddress, over transport: any Transport = PlainTransport(), pause: Duration = .seconds(10)
    ) async throws(ClientFailure) -> RPCClient {
        do throws(NetError) {
            let client = RPCClient(try await ByteStream.connect(address, over: transport, timeout: .seconds(10)), address, pause)
            client.isSecure = transport is TLSClient
            return client
        } catch {
            throw .unreachable(address, "\(error)")
        }
    }

    private init(_ stream: ByteStream, _ address: SocketAddress, _ pause: Duration) {
        (self.stream, self.address, self.pause) = (stream, address, pause)
        stream.onBytes = { [weak self] bytes in self?.received(bytes) }
        stream.onEnd = { [weak self] end in
            if case .failed(let reason) = end { self?.finish(.lost(reason)) } else { self?.finish(.lost("the coordinator closed the connection")) }
        }
    }

    /// Calls a method and waits for its answer.
    /// - Throws: `ClientFailure`: the end of the connection, or the error that the coordinator answered.
    func call(_ method: String, _ params: JSON = [:]) async throws(ClientFailure) -> JSON {
        if let end { throw end }
        lastID += 1
        let answer = OneShot<JSON>()
        waiting[lastID] = answer
        if watch == nil {
            unheard = 0
            watch = LoopTimer(after: pause, repeating: true) { [weak self] in self?.ping() }
        }
        stream.write(JSON.object(["jsonrpc": "2.0", "id": .int(lastID), "method": .string(method), "params": params]).bytes() + [10])
        let message: JSON
        do {
            message = try await answer.wait()
        } catch {
            throw error as? ClientFailure ?? .lost("interrupted")
        }
        if let error = message["error"] { throw .refused(TintypeError(json: error)) }
        return message["result"] ?? .null
    }

    private static let ping = Array(#"{"jsonrpc":"2.0","id":"ping","method":"system.ping"}"#.utf8) + [10]

    private func ping() {
        guard !waiting.isEmpty else { return watch = nil }
        unheard += 1
        guard unheard < 3 else { return finish(.lost("the coordinator at \(address) has stopped answering: no bytes arrived for \(pause * 3)")) }
        stream.write(Self.ping)
    }

    func close() {
        stream.close()
        finish(.lost("closed"))
    }

    private func received(_ bytes: UnsafeRawBufferPointer) {
        unheard = 0
        var messages: [[UInt8]] = []
        var isForeign = false
        splitter.append(bytes) { piece in
            switch piece {
            case .message(let message): messages.append(message)
            case .broken: isForeign = true
            }
        }
        for bytes in messages {
            guard let message = try? JSON(parsing: bytes, keeping: .bodies) else {
                isForeign = true
                break
            }
            if let method = message["method"]?.string {
                onNotification?(method, message["params"] ?? .null)
            } else if message["id"] == "ping" {
                continue
            } else if case .int(let id)? = message["id"], let answer = waiting.removeValue(forKey: id) {
                answer.complete(.success(message))
            } else if let error = message["error"] {
                finish(.refused(TintypeError(json: error)))
            }
        }
        if isForeign { finish(.lost("the answer from \(address) is not JSON-RPC: check that this is the coordinator's JSON-RPC port")) }
    }

    private func finish(_ failure: ClientFailure) {
        if end == nil { end = failure }
        watch = nil
        for answer in waiting.values { answer.complete(.failure(failure)) }
        waiting = [:]
    }
}

extension RPCClient {
    /// Returns the coordinator's HTTP port. If the coordinator listens on all addresses, the host is the one that this client connected to. Both ports
    /// speak TLS, or none.
    func httpAddress(_ arguments: Arguments) async throws -> ServiceAddress {
        if let text = arguments["http"] { return try ServiceAddress(text, .http, option: "http", isSecure: isSecure) }
        let info = try await call("system.info")
        guard let text = info["http"]?.string, let address = try? SocketAddress(text) else {
            throw ClientFailure.http("the coordinator does not name the address of the results: name it with --http HOST:PORT")
        }
        if case .tcp(let host, let port) = address, host == "0.0.0.0" || host == "::", case .tcp(let reached, _) = self.address {
            return ServiceAddress(.tcp(host: reached, port: port), isSecure: isSecure)
        }
        return ServiceAddress(address, isSecure: isSecure)
    }
}

/// The reason why a call has no result.
enum ClientFailure: Error {
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
