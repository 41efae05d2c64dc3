/// The connections of one HTTP server, and the terms on which all of them are served.
@Loop
final class HTTPService {
    let maxBody: Int
    let bodyLimiter: any BodyLimiter
    let pace: MinimumBodyRate
    /// The proxies whose `X-Forwarded-For` counts.
    let proxies: TrustedProxies
    let unsent: AnswerBudget
    let handler: @Loop (HTTPExchange) -> Void
    /// The bytes of the last read. They are used up, or copied, before the next one.
    let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    private(set) var connections: [ObjectIdentifier: HTTPConnection] = [:]
    /// The number of requests that have not been answered to the last byte.
    private(set) var busy = 0
    /// Called when the last answer is sent.
    var onQuiet: (@Loop () -> Void)?

    init(
        maxBody: Int, bodyLimiter: any BodyLimiter, pace: MinimumBodyRate, proxies: TrustedProxies = .none, unsent: AnswerBudget,
        _ handler: @escaping @Loop (HTTPExchange) -> Void
    ) {
        (self.maxBody, self.bodyLimiter, self.pace, self.proxies, self.unsent, self.handler) = (maxBody, bodyLimiter, pace, proxies, unsent, handler)
    }

    isolated deinit { scratch.deallocate() }

    func open(_ wire: any Wire, from client: SocketAddress?, _ permit: ConnectionPermit) {
        let connection = HTTPConnection(wire, from: client, permit, self)
        connections[ObjectIdentifier(connection)] = connection
    }

    func forget(_ connection: HTTPConnection) { connections[ObjectIdentifier(connection)] = nil }

    func began() { busy += 1 }

    func ended() {
        busy -= 1
        if busy == 0 { onQuiet?() }
    }

    func closeAll() {
        for connection in connections.values { connection.close() }
    }
}
