import Glibc

package struct FileStatus {
    package let path: String
    package let size: Int
    /// Seconds since 1970.
    package let lastRead: Double
    /// The modification time, which stands for the time of expiry.
    package let end: Double
    /// The file and its state.
    package private(set) var identity = FileIdentity()
    /// Whether the file is a spill (`StoredImage.isHeld`).
    package private(set) var isHeld = false
    package private(set) var isPinned = false
    /// Whether any path leads to the file: one that was deleted or replaced lives on only for those who have it open.
    package private(set) var hasPath = true

    /// Whether the file has been neither replaced nor read since.
    package func isSame(as other: FileStatus) -> Bool { identity.number == other.identity.number && end == other.end && size == other.size }

    init(_ path: String, _ status: stat) {
        func seconds(_ time: timespec) -> Double { Double(time.tv_sec) + Double(time.tv_nsec) / 1e9 }
        self.init(path: path, size: Int(status.st_size), lastRead: seconds(status.st_atim), end: seconds(status.st_mtim))
        identity = FileIdentity(status)
        isHeld = status.st_mode & mode_t(S_ISVTX) != 0
        isPinned = status.st_mode & mode_t(S_IXUSR) != 0
        hasPath = status.st_nlink > 0
    }

    init(path: String, size: Int, lastRead: Double, end: Double, isPinned: Bool = false) {
        (self.path, self.size, self.lastRead, self.end, self.isPinned) = (path, size, lastRead, end, isPinned)
    }
}
