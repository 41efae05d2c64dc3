import Glibc

/// A descriptor that is closed when nobody has it any more.
final class OwnedDescriptor: Sendable {
    let number: Int32

    init(_ number: Int32) { self.number = number }
    deinit { close(number) }
}
