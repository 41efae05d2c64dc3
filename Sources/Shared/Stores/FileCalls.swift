import Glibc

/// A failed system call.
struct SystemError: Error {
    let code: Int32

    /// What `errno` says now.
    static func last() -> SystemError { SystemError(code: errno) }

    /// The system's own words.
    var words: String { String(cString: strerror(code)) }
}

/// What the file system says about one file.
struct FileFacts {
    let path: String
    let size: Int
    /// Seconds since 1970.
    let lastRead: Double
    let modified: Double
}

/// The few calls on files the stores need, without Foundation. All of them block.
enum FileCalls {
    /// Makes a folder and those above it; nil when it is there now.
    static func makeFolders(_ path: String) -> SystemError? {
        var made = path.hasPrefix("/") ? "/" : ""
        for part in path.split(separator: "/") {
            made += made.isEmpty || made.hasSuffix("/") ? String(part) : "/" + part
            if mkdir(made, 0o750) != 0, errno != EEXIST { return .last() }
        }
        return nil
    }

    /// Writes a new file whole.
    static func write(_ bytes: [UInt8], to path: String) throws(SystemError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o640)
        guard descriptor >= 0 else { throw .last() }
        var failure: SystemError?
        bytes.withUnsafeBytes { buffer in
            var written = 0
            while written < buffer.count {
                let count = Glibc.write(descriptor, buffer.baseAddress! + written, buffer.count - written)
                if count < 0 {
                    if errno == EINTR { continue }
                    failure = .last()
                    return
                }
                written += count
            }
        }
        // Some file systems report a full disk only here.
        if close(descriptor) != 0, failure == nil, errno != EINTR { failure = .last() }
        if let failure { throw failure }
    }

    /// Renames a file into place, making the last folder on the way if it is missing.
    static func rename(_ source: String, to target: String) throws(SystemError) {
        if Glibc.rename(source, target) == 0 { return }
        guard errno == ENOENT, let slash = target.lastIndex(of: "/") else { throw .last() }
        if let failure = makeFolders(String(target[..<slash])) { throw failure }
        if Glibc.rename(source, target) != 0 { throw .last() }
    }

    /// A whole file.
    static func read(_ path: String) throws(SystemError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last() }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else { throw .last() }
        var failure: SystemError?
        let bytes = [UInt8](unsafeUninitializedCapacity: Int(facts.st_size)) { buffer, filled in
            while filled < buffer.count {
                let count = Glibc.read(descriptor, buffer.baseAddress! + filled, buffer.count - filled)
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
        return bytes
    }

    /// Sets the access time to now, if it is more than a minute old: file systems mounted `noatime` do not.
    static func markRead(_ path: String) {
        guard let facts = facts(path), facts.lastRead < Timestamp.now().seconds - 60 else { return }
        var times = [timespec(tv_sec: 0, tv_nsec: 0x3fff_ffff), timespec(tv_sec: 0, tv_nsec: 0x3fff_fffe)]  // UTIME_NOW, UTIME_OMIT
        utimensat(AT_FDCWD, path, &times, 0)
    }

    /// Size and times of a regular file; nil for anything else.
    static func facts(_ path: String) -> FileFacts? {
        var facts = stat()
        guard lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
        return FileFacts(
            path: path, size: Int(facts.st_size), lastRead: seconds(facts.st_atim), modified: seconds(facts.st_mtim))
    }

    /// The names in a folder without `.` and `..`; empty when it cannot be read.
    static func names(in path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }

    private static func seconds(_ time: timespec) -> Double {
        Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
