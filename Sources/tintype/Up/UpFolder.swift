import Glibc
import TintypeTransport

/// The folder `tintype up` keeps its Redis and results in. Held by one `up` at a time.
@Loop
final class UpFolder {
    let path: String
    private let lock: Int32

    /// Makes the folder, below the user's state folder unless one is named, and takes its lock.
    init(_ named: String?, environment: [String: String]) throws(UpFailure) {
        let state = environment["XDG_STATE_HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? environment["HOME"].map { $0 + "/.local/state" }
        guard named?.isEmpty != true else { throw UpFailure("--data names no folder") }
        guard let folder = named ?? state.map({ $0 + "/tintype" }) else { throw UpFailure("no home folder: name one with --data DIR") }
        path = folder.hasPrefix("/") ? folder : Self.workingFolder() + "/" + folder
        var made = ""
        for part in (path + "/redis").split(separator: "/") {
            made += "/" + part
            if mkdir(made, 0o700) != 0, errno != EEXIST { throw UpFailure("cannot make \(made): \(String(cString: strerror(errno)))") }
        }
        lock = open(path + "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw UpFailure("cannot write in \(path): \(String(cString: strerror(errno)))") }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            close(lock)
            throw UpFailure("another tintype up uses \(path): stop it, or name another folder with --data DIR")
        }
    }

    deinit { close(lock) }

    /// How much of the disk results leave free: Redis writes to it as well, and refuses all work where it cannot.
    var spared: Int {
        var facts = statvfs()
        guard statvfs(path, &facts) == 0 else { return 0 }
        return Self.spared(of: Int(clamping: UInt64(facts.f_blocks).multipliedReportingOverflow(by: UInt64(facts.f_frsize)).partialValue))
    }

    /// 512 MiB, or a twentieth of a smaller disk; 0 where the file system does not say how large it is.
    nonisolated static func spared(of whole: Int) -> Int { min(512 << 20, whole / 20) }

    nonisolated private static func workingFolder() -> String {
        guard let text = getcwd(nil, 0) else { return "" }
        defer { free(text) }
        return String(cString: text)
    }
}
