import TintypeCore
import TintypeTransport

/// Why the coordinator gave no answer.
enum ClientFailure: Error {
    case unreachable(SocketAddress, String)
    case lost(String)
    case http(String)
    /// The work is done, but where the coordinator said its results are nobody answers.
    case resultsUnreachable(SocketAddress, String)
    /// It answered with this error.
    case refused(TintypeError)
}
