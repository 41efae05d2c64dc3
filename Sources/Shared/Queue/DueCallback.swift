package import TintypeImages

/// A callback that is due and leased to this process.
package struct DueCallback: Sendable {
    package let receipt: String
    /// The token of the lease. A call with another token changes nothing.
    package let token: Int64
    /// The number of tries that have failed.
    package let failures: Int
    package let target: CallbackTarget
    /// The terminal event, which is the body of the POST.
    package let event: String
    /// The receiver for the limit per host: host and port.
    package let host: String
}
