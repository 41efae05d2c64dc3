import Glibc

/// The way of a connection from its listener to its server: its place, the header of a trusted proxy, and the handshake of its transport.
@Loop
final class Reception {
    /// Takes a connection that is ready for bytes, the address of its client, and its place.
    typealias Ready = @Loop (AcceptedSocket, SocketAddress?, ConnectionPermit) -> Void

    private let transport: any Transport
    private let connectionLimiter: ConnectionLimiter
    private let proxies: TrustedProxies
    private let refusal: @Loop () -> [UInt8]
    private let ready: Ready
    private var hearings: [ObjectIdentifier: ProxyHearing] = [:]
    private var isOpen = true

    /// - Parameters:
    ///   - transport: the carrier of the bytes.
    ///   - connectionLimiter: the limits for open connections.
    ///   - refusal: returns the bytes for a connection above the limit. It is closed then.
    init(
        over transport: any Transport, _ connectionLimiter: ConnectionLimiter, _ proxies: TrustedProxies, refusal: @escaping @Loop () -> [UInt8],
        _ ready: @escaping Ready
    ) {
        (self.transport, self.connectionLimiter, self.proxies, self.refusal, self.ready) = (transport, connectionLimiter, proxies, refusal, ready)
    }

    /// Receives a connection that was just accepted.
    /// - Parameters:
    ///   - descriptor: the socket, which the reception owns from now on.
    ///   - address: the other side.
    func take(_ descriptor: Int32, from address: SocketAddress?) {
        let peer = ConnectionPeer(address)
        let isProxy = proxies.contain(peer)
        guard let permit = connectionLimiter.admit(peer, isProxy: isProxy) else { return refuse(descriptor) }
        guard isProxy, proxies.sendHeaders else { return prepare(descriptor, address, permit) }
        let hearing = ProxyHearing(descriptor) { [weak self] hearing, reading in
            guard let self else { return }
            hearings[ObjectIdentifier(hearing)] = nil
            switch reading {
            case .client(nil)?: prepare(descriptor, address, permit)
            case .client(let address)?:
                let client = ConnectionPeer(address)
                if proxies.contain(client) || permit.pass(to: client) { prepare(descriptor, address, permit) } else { refuse(descriptor) }
            case .broken(let flaw)?: connectionLimiter.refuse(peer, because: flaw)
            // Load balancers probe a port so.
            case .more?, nil: break
            }
        }
        hearings[ObjectIdentifier(hearing)] = hearing
    }

    /// Refuses a connection above the limit. It ends at once: a moment to read the answer would keep it open even longer. Most clients see the answer,
    /// since they have sent nothing yet.
    private func refuse(_ descriptor: Int32) {
        let bytes = refusal()
        _ = bytes.withUnsafeBytes { transport.send($0, past: descriptor) }
        Glibc.close(descriptor)
    }

    private func prepare(_ descriptor: Int32, _ client: SocketAddress?, _ permit: ConnectionPermit) {
        transport.accept(descriptor, peer: client.map { "\($0)" } ?? "unknown") { [weak self] accepted in
            guard let accepted else { return }
            guard let self, isOpen else { return accepted.close() }
            ready(accepted, client, permit)
        }
    }

    /// Drops the connections that are not ready.
    func close() { (isOpen, hearings) = (false, [:]) }
}
