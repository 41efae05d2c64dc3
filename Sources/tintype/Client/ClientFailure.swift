import TintypeCore
import TintypeTransport

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
