import Shared

/// Why the coordinator gave no answer.
enum ClientFailure: Error {
    case unreachable(SocketAddress, String)
    case lost(String)
    case http(String)
    /// It answered with this error.
    case refused(TintypeError)
}
