import Glibc
import TintypeTransport

/// The folder in which `tintype up` keeps its Redis and results. A lock file lets one `up` use it at a time.
@Loop
final class UpFolder {
    let path: String
    private let lock: Int32

    /// Creates the folder and takes its lock. The default folder is below the user's state folder.
    init(_ named: String?, environment: [String: String]) throws(UpFailure) {
        let state = environment["XDG_STATE_HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? environment["HOME"].map { $0 + "/.local/state" }
        guard named?.isEmpty != true else { throw UpFailure("--data is empty: name a folder") }
        guard let folder = named ?? state.map({ $0 + "/tintype" }) else { throw UpFailure("HOME is not set: name a folder with --data DIR") }
        path = folder.hasPrefix("/") ? folder : Self.workingFolder() + "/" + folder
        var made = ""
        for part in (path + "/redis").split(separator: "/") {
            made += "/" + part
            if mkdir(made, 0o700) != 0, errno != EEXIST { throw UpFailure("cannot create \(made): \(String(cString: strerror(errno)))") }
        }
        lock = open(path + "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw UpFailure("cannot write in \(path): \(String(cString: strerror(errno)))") }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            close(lock)
            throw UpFailure("another tintype up uses \(path): stop it, or name another folder with --data DIR")
        }
    }

    deinit { close(lock) }

    /// The bytes that results leave free on the disk. Redis writes to the same disk, and refuses all work when it is full.
    var spared: Int {
        var facts = statvfs()
        guard statvfs(path, &facts) == 0 else { return 0 }
        return Self.spared(of: Int(clamping: UInt64(facts.f_blocks).multipliedReportingOverflow(by: UInt64(facts.f_frsize)).partialValue))
    }

    /// Returns 512 MiB, or 5 % of the disk if that is less; 0 where the file system does not report its size.
    nonisolated static func spared(of whole: Int) -> Int { min(512 << 20, whole / 20) }

    nonisolated private static func workingFolder() -> String {
        guard let text = getcwd(nil, 0) else { return "" }
        defer { free(text) }
        return String(cString: text)
    }
}
