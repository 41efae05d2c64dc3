package import TintypeImages

/// A callback that is due, leased to this process.
package struct DueCallback: Sendable {
    package let receipt: String
    /// Names the lease: who comes with another changes nothing.
    package let token: Int64
    /// Tries that have failed so far.
    package let failures: Int
    package let target: CallbackTarget
    /// The terminal event: what is posted.
    package let event: String
    /// The receiver as the scripts count it: host and port.
    package let host: String
}
