import Glibc

/// A failed system call.
package struct SystemError: Error {
    package let code: Int32

    package init(code: Int32) { self.code = code }

    /// What `errno` says now.
    package static func last() -> SystemError { SystemError(code: errno) }

    /// The system's own words.
    package var words: String { String(cString: strerror(code)) }
}

/// What the file system says about one file.
package struct FileFacts {
    package let path: String
    package let size: Int
    /// Seconds since 1970.
    package let lastRead: Double
    /// Its modification time, which says when it ends.
    package let end: Double
    /// By which it is told from another file at its place.
    private(set) var number: UInt64 = 0
    /// Whether nobody keeps it (`StoredImage.isHeld`).
    package private(set) var isHeld = false
    /// Whether it is to be spared where there is too much.
    package private(set) var isPinned = false

    /// Whether nothing has taken its place and nobody has looked at it since.
    package func isSame(as other: FileFacts) -> Bool { number == other.number && end == other.end && size == other.size }

    init(_ path: String, _ status: stat) {
        func seconds(_ time: timespec) -> Double { Double(time.tv_sec) + Double(time.tv_nsec) / 1e9 }
        self.init(path: path, size: Int(status.st_size), lastRead: seconds(status.st_atim), end: seconds(status.st_mtim))
        number = UInt64(status.st_ino)
        isHeld = status.st_mode & mode_t(S_ISVTX) != 0
        isPinned = status.st_mode & mode_t(S_IXUSR) != 0
    }

    init(path: String, size: Int, lastRead: Double, end: Double, isPinned: Bool = false) {
        (self.path, self.size, self.lastRead, self.end, self.isPinned) = (path, size, lastRead, end, isPinned)
    }
}

/// The few calls on files the stores need, without Foundation. All of them block.
package enum FileCalls {
    /// Makes a folder and those above it; nil when it is there now.
    package static func makeFolders(_ path: String) -> SystemError? {
        var made = path.hasPrefix("/") ? "/" : ""
        for part in path.split(separator: "/") {
            made += made.isEmpty || made.hasSuffix("/") ? String(part) : "/" + part
            if mkdir(made, 0o750) != 0, errno != EEXIST { return .last() }
        }
        return nil
    }

    /// The modification time of a file that has no end: the year 2100.
    private static let never = 4_102_444_800

    /// O_NOATIME, which not every way of building this module sees.
    private static let noAccessTime: Int32 = 0o1000000

    /// Writes a new file whole.
    /// - Parameters:
    ///   - parts: one behind the other.
    ///   - end: seconds since 1970, which becomes its modification time.
    ///   - isHeld: sets the sticky bit, which means nothing else of a file: who counts entries need not read them.
    ///   - isPinned: sets the bit of its owner's programs, which nobody needs here: so that who deletes need not read it either.
    package static func write(_ parts: [[UInt8]], to path: String, end: Double?, isHeld: Bool = false, isPinned: Bool = false) throws(SystemError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o640)
        guard descriptor >= 0 else { throw .last() }
        var failure: SystemError?
        for part in parts where failure == nil { failure = write(part, to: descriptor) }
        let last = timespec(tv_sec: end.map { Int(max(0, min($0, Double(never))).rounded(.up)) } ?? never, tv_nsec: 0)
        if failure == nil, futimens(descriptor, [timespec(tv_sec: 0, tv_nsec: 0x3fff_ffff), last]) != 0 { failure = .last() }  // UTIME_NOW
        if isHeld || isPinned, failure == nil, fchmod(descriptor, mode(isHeld: isHeld, isPinned: isPinned)) != 0 { failure = .last() }
        // Some file systems report a full disk only here.
        if close(descriptor) != 0, failure == nil, errno != EINTR { failure = .last() }
        if let failure { throw failure }
    }

    private static func mode(isHeld: Bool, isPinned: Bool) -> mode_t {
        0o640 | (isHeld ? mode_t(S_ISVTX) : 0) | (isPinned ? mode_t(S_IXUSR) : 0)
    }

    /// Has a file spared from now on, or no longer, which nobody holds for the moment alone.
    package static func pin(_ path: String, _ isPinned: Bool) throws(SystemError) {
        if chmod(path, mode(isHeld: false, isPinned: isPinned)) != 0 { throw .last() }
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> SystemError? {
        bytes.withUnsafeBytes { buffer in
            var written = 0
            while written < buffer.count {
                let count = Glibc.write(descriptor, buffer.baseAddress! + written, buffer.count - written)
                if count >= 0 { written += count } else if errno != EINTR { return .last() }
            }
            return nil
        }
    }

    /// Renames a file into place, making the last folder on the way if it is missing.
    package static func rename(_ source: String, to target: String) throws(SystemError) {
        if Glibc.rename(source, target) == 0 { return }
        guard errno == ENOENT, let slash = target.lastIndex(of: "/") else { throw .last() }
        if let failure = makeFolders(String(target[..<slash])) { throw failure }
        if Glibc.rename(source, target) != 0 { throw .last() }
    }

    /// A whole file, or its beginning, and what was known of it before.
    package static func read(_ path: String, upTo most: Int = .max) throws(SystemError) -> (bytes: [UInt8], facts: FileFacts) {
        // The kernel would take a look for a use. Only the owner may ask for that.
        var descriptor = open(path, O_RDONLY | O_CLOEXEC | noAccessTime)
        if descriptor < 0, errno == EPERM { descriptor = open(path, O_RDONLY | O_CLOEXEC) }
        guard descriptor >= 0 else { throw .last() }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .last() }
        var failure: SystemError?
        let bytes = [UInt8](unsafeUninitializedCapacity: min(Int(status.st_size), most)) { buffer, filled in
            let wanted = min(buffer.count, most)
            while filled < wanted {
                let count = Glibc.read(descriptor, buffer.baseAddress! + filled, wanted - filled)
                if count == 0 { return }
                if count < 0 {
                    if errno == EINTR { continue }
                    failure = .last()
                    return
                }
                filled += count
            }
        }
        if let failure { throw failure }
        return (bytes, FileFacts(path, status))
    }

    /// Sets the access time to now, if it is more than a minute old: file systems mounted `noatime` do not.
    package static func markRead(_ path: String) {
        guard let facts = facts(path), facts.lastRead < WallClock.now - 60 else { return }
        var times = [timespec(tv_sec: 0, tv_nsec: 0x3fff_ffff), timespec(tv_sec: 0, tv_nsec: 0x3fff_fffe)]  // UTIME_NOW, UTIME_OMIT
        utimensat(AT_FDCWD, path, &times, 0)
    }

    /// Size and times of a regular file; nil for anything else.
    package static func facts(_ path: String) -> FileFacts? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return FileFacts(path, status)
    }

    /// What is left for us on the disk that holds `path`.
    package static func freeBytes(_ path: String) -> Int? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        return Int(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize))
    }

    /// The names in a folder without `.` and `..`; empty when it cannot be read.
    package static func names(in path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }
}
