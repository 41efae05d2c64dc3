import Glibc

/// A regular file that is open for reading until the object is released. For any thread: each read names its place.
///
/// The object stays with the file that it has opened, also if another one is renamed to its path.
package final class OpenFile: Sendable {
    /// O_NOATIME, which some builds of this module do not see.
    private static let noAccessTime: Int32 = 0o1000000
    /// RWF_NOWAIT, which is a macro.
    private static let noWait: Int32 = 8

    package let descriptor: Int32
    private let path: String

    /// Opens a file. The kernel would count a read as a use; only the owner may ask it not to.
    package init(_ path: String) throws(SystemError) {
        var opened = open(path, O_RDONLY | O_CLOEXEC | Self.noAccessTime)
        if opened < 0, errno == EPERM { opened = open(path, O_RDONLY | O_CLOEXEC) }
        guard opened >= 0 else { throw .last() }
        (descriptor, self.path) = (opened, path)
    }

    deinit { close(descriptor) }

    /// The properties of this file, even if another one is at its path by now.
    package func status() throws(SystemError) -> FileStatus {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .last() }
        return FileStatus(path, status)
    }

    /// Reads a part of the file. Blocks.
    /// - Returns: fewer bytes if the file is shorter.
    package func read(_ place: Range<Int>) throws(SystemError) -> [UInt8] {
        var failure: SystemError?
        let bytes = [UInt8](unsafeUninitializedCapacity: place.count) { buffer, filled in
            while filled < place.count {
                let taken = pread(descriptor, buffer.baseAddress! + filled, place.count - filled, place.lowerBound + filled)
                if taken == 0 { return }
                if taken < 0 {
                    if errno == EINTR { continue }
                    failure = .last()
                    return
                }
                filled += taken
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Returns a part of the file without waiting for a disk. It returns nil if the page cache lacks any of it, or the file is shorter.
    ///
    /// A file system that cannot say so is read anyway.
    package func cached(_ place: Range<Int>) -> [UInt8]? {
        let bytes = [UInt8](unsafeUninitializedCapacity: place.count) { buffer, filled in
            var part = iovec(iov_base: buffer.baseAddress, iov_len: place.count)
            var taken = preadv2(descriptor, &part, 1, place.lowerBound, Self.noWait)
            if taken < 0, errno == EOPNOTSUPP { taken = pread(descriptor, buffer.baseAddress, place.count, place.lowerBound) }
            filled = max(0, taken)
        }
        return bytes.count == place.count ? bytes : nil
    }

    /// Returns whether a byte is in the page cache, as far as the file system can say so; false beyond the end.
    package func isCached(_ offset: Int) -> Bool {
        var byte: UInt8 = 0
        return withUnsafeMutableBytes(of: &byte) { byte in
            var part = iovec(iov_base: byte.baseAddress, iov_len: 1)
            let taken = preadv2(descriptor, &part, 1, offset, Self.noWait)
            return taken == 1 || taken < 0 && errno == EOPNOTSUPP
        }
    }

    /// Sets the time of the last read to now.
    package func markRead() {
        var times = [timespec(tv_sec: 0, tv_nsec: 0x3fff_ffff), timespec(tv_sec: 0, tv_nsec: 0x3fff_fffe)]  // UTIME_NOW, UTIME_OMIT
        futimens(descriptor, &times)
    }
}
