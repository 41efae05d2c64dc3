package import TintypeCore
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

    /// The place of its request in a trace; nil: the request named none.
    package var trace: TraceContext? {
        // Few events name a trace, and only those are read.
        guard event.utf8.count < Self.longest, event.contains("\"traceparent\":"), let members = try? JSON(parsing: event).object else { return nil }
        return TraceContext(members: members)
    }

    /// Longer events are sent without their trace: to read one would hold up others.
    private static let longest = 1 << 20
}
