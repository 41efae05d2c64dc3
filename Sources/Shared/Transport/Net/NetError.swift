/// The reason for which a connection or a listener could not be made.
package enum NetError: Error, Sendable, CustomStringConvertible {
    case listen(SocketAddress, String)
    case resolve(String, String)
    case connect(SocketAddress, String)
    case timedOut(SocketAddress)

    package var description: String {
        switch self {
        case .listen(let address, let reason): "cannot listen on \(address): \(reason)"
        case .resolve(let host, let reason): "cannot resolve \(host): \(reason)"
        case .connect(let address, let reason): "cannot connect to \(address): \(reason)"
        case .timedOut(let address): "no connection to \(address) in time"
        }
    }
}
