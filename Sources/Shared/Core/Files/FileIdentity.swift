import Glibc

/// A file on this machine and the state of its bytes: two equal identities stand for the same bytes.
///
/// The kernel sets the time of modification at each write and each change of the length. It sets the time of change whenever another time is set. So a
/// program that writes and then restores the time of modification, as `cp -p` does, is noticed too. Clocks of file systems tick a few milliseconds apart.
/// Two writes within one tick look like one, so bytes are only as good as their identity if `isSettled` was true before they were read.
package struct FileIdentity: Sendable, Hashable {
    package let device: UInt64
    /// A number that another file of the device does not have at the same time.
    package let number: UInt64
    package let size: Int
    /// The time of modification, in nanoseconds since 1970.
    package let modified: Int
    /// The time at which the properties were changed last, in nanoseconds since 1970.
    package let changed: Int

    init() { (device, number, size, modified, changed) = (0, 0, 0, 0, 0) }

    init(_ status: stat) {
        func nanoseconds(_ time: timespec) -> Int { time.tv_sec &* 1_000_000_000 &+ time.tv_nsec }
        (device, number, size) = (UInt64(status.st_dev), UInt64(status.st_ino), Int(status.st_size))
        (modified, changed) = (nanoseconds(status.st_mtim), nanoseconds(status.st_ctim))
    }

    /// Returns whether the bytes are the same, though the file may have been renamed, marked or read: those change the time of change too.
    package func hasSameBytes(as other: FileIdentity) -> Bool {
        device == other.device && number == other.number && size == other.size && modified == other.modified
    }

    /// Returns whether a write from now on gives the file another time of modification.
    /// - Parameter now: seconds since 1970.
    package func isSettled(at now: Double) -> Bool { abs(Double(modified) / 1e9 - now) > 1 }
}
