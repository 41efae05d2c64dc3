import TintypeCore
import TintypeImages
import TintypeStores
import TintypeTransport

/// The methods `system.*`, and those about the connection itself.
@Loop
struct SystemMethods {
    private let access: AccessControl
    private let (queues, clients, memory): (CoreQueues, ClientQuotas, MemoryTier)
    private let admission: Admission
    private let http: CoreHTTP
    private let startedAt: Double
    /// The limits of features.
    private let limits: JSONObject

    init(_ core: Core, limits: JSONObject) {
        (queues, clients, memory) = (core.queues, core.access.clients, core.storage.memory)
        (admission, http, startedAt, self.limits) = (core.admission, core.http, core.process.startedAt, limits)
        access = core.access.control
    }

    var all: [CoreMethod] {
        [
            // Answers at once, whatever else fails.
            CoreMethod("system.ping") { call, _ in call.succeed("pong") },
            CoreMethod("system.info", info), CoreMethod(AccessControl.method, authenticate),
            // Cancels a request in flight on the same connection. It is a notification; a request of this name is answered too.
            CoreMethod("$/cancelRequest") { call, params in
                if let id = params["id"] { call.session.cancel(id) }
                call.succeed(.null)
            },
        ]
    }

    /// Authenticates the connection by a token.
    private func authenticate(_ call: Call, _ params: JSON) throws(TintypeError) {
        let grant = try access.authenticate(call.session, params["token"]?.string ?? "")
        call.succeed(["ok": true, "role": .string(grant.role.rawValue)])
    }

    /// Tells the start time and the limits of this coordinator, and who asks; for admins also its version, addresses and Redis.
    private func info(_ call: Call, _ params: JSON) {
        let isAdmin = call.session.grant.map { $0.role == .admin } ?? true
        let own: JSONObject = [
            "maxMessageBytes": JSON(4 << 20), "maxDepth": 64, "maxBatch": JSON(RPCMessage.maxMembers), "maxUnanswered": JSON(Connection.Limits.unanswered),
            "maxUnsentBytes": JSON(Connection.Limits.unsent), "maxInlineBytes": JSON(ResultDelivery.inlineLimit),
            "maxQueued": JSON(queues.defaults.maxQueued), "memoryCacheBytes": JSON(memory.statistics.capacity ?? 0),
        ]
        let info: JSONObject = [
            "coordinator": .string(queues.registry.coordinator), "coordinators": JSON(clients.coordinators),
            "uptime": JSON(((WallClock.now - startedAt) * 1000).rounded() / 1000),
            "http": .string(isAdmin ? http.addresses.http : Self.port(http.addresses.http)), "limits": .object(own.merging(limits)),
            "identity": .object(identity(call.session.grant)), "state": admission.isClosed ? "draining" : "serving",
        ]
        call.succeed(.object(isAdmin ? info.merging(inside) : info))
    }

    /// The members that only admins see.
    private var inside: JSONObject {
        let redis = queues.redis
        return [
            "version": .string(TintypeVersion.current), "versions": ["tintype": .string(TintypeVersion.current), "jsonrpc": "2.0", "openrpc": "1.3.2"],
            "rpc": .string(http.addresses.rpc),
            "redis": [
                "address": .string(redis.redacted), "connected": .bool(redis.isConnected),
                "connectedSeconds": redis.connectedSince.map { JSON(((ContinuousClock.now - $0).inSeconds * 1000).rounded() / 1000) } ?? .null,
            ],
        ]
    }

    /// Returns an address without its host. Clients read pictures at the port, of the host that they have reached already.
    private static func port(_ address: String) -> String {
        guard case .tcp(_, let port)? = try? SocketAddress(address) else { return address }
        return "\(SocketAddress.tcp(host: "0.0.0.0", port: port))"
    }

    /// The client that asks, and how much of the limits of its name is left.
    private func identity(_ grant: AccessGrant?) -> JSONObject {
        guard let grant else { return [:] }
        var identity = JSONObject()
        identity["name"] = grant.client.name.map { .string($0) }
        identity["role"] = .string(grant.role.rawValue)
        identity["scope"] = grant.scope.map { .string($0) }
        if !grant.queues.isEmpty { identity["queues"] = .array(grant.queues.map { .string($0) }) }
        let client = clients[grant]
        identity["limits"] = client?.limits.json.map { .object($0) }
        identity["left"] = client?.left(at: clients.clock()).map { .object($0) }
        return identity
    }
}

/// `rpc.discover`: this interface as an OpenRPC document.
struct RPCDiscover: RPCMethod {
    let name = "rpc.discover"
    private let document: Document

    /// - Parameter methods: the methods of this coordinator.
    init(_ methods: [MethodDescription]) { document = Document(methods) }

    func begin(_ call: Call, _ params: JSON) { call.succeed { $0.raw(document.bytes) } }

    /// The text, written once and only if a client asks: it has some 60 kB.
    @Loop private final class Document {
        private let methods: [MethodDescription]
        private(set) lazy var bytes = OpenRPCDocument.json(version: TintypeVersion.current, methods: methods).bytes()

        init(_ methods: [MethodDescription]) { self.methods = methods }
    }
}
