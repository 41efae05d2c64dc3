/// Bytes that several answers share. They are in memory until the last of these answers is sent.
package final class SharedBody: Sendable {
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Tells the body from all others.
    var id: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }
}
