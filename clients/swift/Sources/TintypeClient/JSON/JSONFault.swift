/// Bytes that are not JSON.
public struct JSONFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The reason, such as "expected a value".
    public let reason: String
    /// The place of the fault in bytes, from 0.
    public let offset: Int

    public var description: String { "byte \(offset): \(reason)" }
}
