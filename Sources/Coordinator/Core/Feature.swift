package import TintypeCore
package import TintypeImages
package import TintypeSettings
package import TintypeTransport

/// The doorway of a feature: all that it brings to a coordinator. The core knows features by this type alone, and starts without any.
///
/// A feature is a folder in `Sources/Features`, a module, and a line in the list of `Sources/Features/All`.
@Loop
package struct Feature {
    /// Makes a feature, once for each coordinator, with the settings of the core. It may add itself to the core's events (`CoreEvents`).
    package typealias Maker = @Loop (Core, CoordinatorSettings) throws -> Feature

    /// The descriptions of its methods.
    let descriptions: FeatureMethods?
    /// Its methods, exactly those that are described.
    package var methods: [any RPCMethod] = []
    /// Its routes on the HTTP port.
    package var routes: [Route<WebAction>] = []
    /// The room for bodies of its routes, by the name of the route; other routes share the room of messages or images.
    package var bodies: [String: BodyBudget] = [:]
    /// Its own port.
    package var port: (any FeaturePort)?
    /// Its limits, as `system.info` shows them.
    package var limits: JSONObject = [:]
    /// Sets its metrics before a scrape.
    package var sample: @Loop () -> Void = {}
    /// Begins its work, when Redis is being connected.
    package var start: @Loop () -> Void = {}
    /// Reads its files again.
    package var reload: @Loop () async -> Void = {}
    /// Ends what clients are no longer permitted to do, after tokens have changed.
    package var expel: @Loop () -> Void = {}
    /// Hands its work over to other coordinators: this one stops. May be called more than once.
    package var handOver: @Loop () -> Void = {}
    /// Ends long answers behind the events that wait for their clients, before the HTTP port closes.
    package var finish: @Loop () -> Void = {}
    /// Ends its work.
    package var stop: @Loop () -> Void = {}

    /// Its objects, for tests to find by their type.
    package var parts: [AnyObject] = []

    package init(_ descriptions: FeatureMethods? = nil) { self.descriptions = descriptions }
}

/// A port of a feature, beside those for JSON-RPC and HTTP.
@Loop
package protocol FeaturePort: AnyObject {
    /// The name in settings of TLS and in metrics.
    var name: String { get }
    /// The address that the operator asks for; nil: it does not listen.
    var asked: SocketAddress? { get }
    /// The proxies that may name their clients.
    var proxies: TrustedProxies { get }
    /// The requests that wait for work.
    var inFlight: Int { get }
    /// Called when the last of them is answered.
    var onIdle: (@Loop () -> Void)? { get set }
    /// Listens and returns the address.
    func start(_ address: SocketAddress, over transport: any Transport, limits: ConnectionLimits, proxies: TrustedProxies) throws -> SocketAddress
    /// Sends the current answers to the last byte, but for at most `limit`, and closes.
    func close(within limit: Duration) async
}
