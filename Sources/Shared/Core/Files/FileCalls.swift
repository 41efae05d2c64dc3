import Glibc

/// A failed system call.
package struct SystemError: Error {
    package let code: Int32

    package init(code: Int32) { self.code = code }

    /// The error in `errno`.
    package static func last() -> SystemError { SystemError(code: errno) }

    /// The text of the system for the error.
    package var words: String { String(cString: strerror(code)) }
}

/// The file operations of the stores, without Foundation. All of them block.
package enum FileCalls {
    /// Makes a folder and its parents; nil if the folder exists now.
    package static func makeFolders(_ path: String) -> SystemError? {
        var made = path.hasPrefix("/") ? "/" : ""
        for part in path.split(separator: "/") {
            made += made.isEmpty || made.hasSuffix("/") ? String(part) : "/" + part
            if mkdir(made, 0o750) != 0, errno != EEXIST { return .last() }
        }
        return nil
    }

    /// The modification time of a file that never expires: the year 2100.
    private static let never = 4_102_444_800

    /// Writes a new file.
    /// - Parameters:
    ///   - parts: the contents, in order.
    ///   - end: the modification time, in seconds since 1970.
    ///   - isHeld: sets the sticky bit, which has no other meaning for files: an entry is then counted without being read.
    ///   - isPinned: sets the execute bit of the owner, which nobody needs here: a pinned file is then found without being read.
    package static func write(_ parts: [[UInt8]], to path: String, end: Double?, isHeld: Bool = false, isPinned: Bool = false) throws(SystemError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o640)
        guard descriptor >= 0 else { throw .last() }
        var failure: SystemError?
        for part in parts where failure == nil { failure = write(part, to: descriptor) }
        let last = timespec(tv_sec: end.map { Int(max(0, min($0, Double(never))).rounded(.up)) } ?? never, tv_nsec: 0)
        if failure == nil, futimens(descriptor, [timespec(tv_sec: 0, tv_nsec: 0x3fff_ffff), last]) != 0 { failure = .last() }  // UTIME_NOW
        if isHeld || isPinned, failure == nil, fchmod(descriptor, mode(isHeld: isHeld, isPinned: isPinned)) != 0 { failure = .last() }
        // Some file systems report a full disk only at this point.
        if close(descriptor) != 0, failure == nil, errno != EINTR { failure = .last() }
        if let failure { throw failure }
    }

    private static func mode(isHeld: Bool, isPinned: Bool) -> mode_t {
        0o640 | (isHeld ? mode_t(S_ISVTX) : 0) | (isPinned ? mode_t(S_IXUSR) : 0)
    }

    /// Pins or unpins a file that is no spill.
    package static func pin(_ path: String, _ isPinned: Bool) throws(SystemError) {
        if chmod(path, mode(isHeld: false, isPinned: isPinned)) != 0 { throw .last() }
    }

    /// Writes all of it to an open file; nil when that is done.
    package static func write(_ bytes: [UInt8], to descriptor: Int32) -> SystemError? {
        bytes.withUnsafeBytes { buffer in
            var written = 0
            while written < buffer.count {
                let count = Glibc.write(descriptor, buffer.baseAddress! + written, buffer.count - written)
                if count >= 0 { written += count } else if errno != EINTR { return .last() }
            }
            return nil
        }
    }

    /// Reads an open file, which may be a pipe or a device, to its end, or until there are more than `most` bytes.
    package static func read(_ descriptor: Int32, upTo most: Int) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= most {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .last() }
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        return bytes
    }

    /// Does the same for the file at a path.
    package static func read(wholeOf path: String, upTo most: Int) throws(SystemError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last() }
        defer { close(descriptor) }
        return try read(descriptor, upTo: most)
    }

    /// Renames a file into place, and makes the last folder of the path if it is missing.
    package static func rename(_ source: String, to target: String) throws(SystemError) {
        if Glibc.rename(source, target) == 0 { return }
        guard errno == ENOENT, let slash = target.lastIndex(of: "/") else { throw .last() }
        if let failure = makeFolders(String(target[..<slash])) { throw failure }
        if Glibc.rename(source, target) != 0 { throw .last() }
    }

    /// Reads a file or its beginning, with its properties before the read.
    package static func read(_ path: String, upTo most: Int = .max) throws(SystemError) -> (bytes: [UInt8], facts: FileStatus) {
        let file = try OpenFile(path)
        let facts = try file.status()
        return (try file.read(0..<min(facts.size, most)), facts)
    }

    /// Sets the access time to now if it is more than a minute old, as file systems with `noatime` do not.
    package static func markRead(_ path: String) {
        guard let facts = facts(path), isMarkDue(facts, at: WallClock.now) else { return }
        var times = [timespec(tv_sec: 0, tv_nsec: 0x3fff_ffff), timespec(tv_sec: 0, tv_nsec: 0x3fff_fffe)]  // UTIME_NOW, UTIME_OMIT
        utimensat(AT_FDCWD, path, &times, 0)
    }

    /// Returns whether the access time is more than a minute old.
    package static func isMarkDue(_ facts: FileStatus, at now: Double) -> Bool { facts.lastRead < now - 60 }

    /// Returns the properties of the file that is opened at a path; nil if there is none. Links are followed, as by `OpenFile`.
    package static func status(_ path: String) -> FileStatus? {
        var status = stat()
        return stat(path, &status) == 0 ? FileStatus(path, status) : nil
    }

    /// Size and times of a regular file; nil for anything else.
    package static func facts(_ path: String) -> FileStatus? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return FileStatus(path, status)
    }

    /// Returns the free bytes for this user on the disk of `path`.
    package static func freeBytes(_ path: String) -> Int? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        return Int(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize))
    }

    /// Returns the names in a folder without `.` and `..`; empty if the folder cannot be read.
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
