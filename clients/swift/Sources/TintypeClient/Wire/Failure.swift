/// Why one try of a call has no result.
package enum Failure: Error, Sendable {
    /// The service has answered with an error, or the client itself ends the call.
    case refused(TintypeError)
    /// The way to the service is gone. `wasSent`: whether the coordinator may have the request.
    case lost(String, wasSent: Bool)
    /// The task that waits was cancelled.
    case cancelled

    /// The error that the caller gets when no further try is made.
    func error(_ what: String) -> TintypeError {
        switch self {
        case .refused(let error): error
        case .lost(let reason, wasSent: false): .local(.connect, reason)
        case .lost(let reason, wasSent: true): .local(.connectionLost, "\(reason); \(what) had no answer yet, and may have been done")
        case .cancelled: .withdrawn
        }
    }
}
