import Glibc
import TintypeCore

/// The folder of a store, judged by one file that is written, read and removed there. A value, with its shell.
///
/// No `FileStore` is opened: it makes folders, and removes old files in them. Folders that root has made would shut the servers out.
struct FolderProbe: Sendable {
    /// A folder that belongs to another user than this process.
    struct Foreign: Sendable, Hashable {
        let path: String
        let owner: uid_t
    }

    /// The folder of the store.
    let path: String
    /// The folder that was judged: that of the store, or the one in which it is made.
    let judged: String
    /// The step that failed, and why; nil if all went well.
    let failure: (step: String, reason: String)?
    let foreign: Foreign?
    /// The user of this process.
    let user: uid_t

    /// - Parameters:
    ///   - name: `results` or `sources`.
    ///   - seconds: the time of the probe.
    func finding(_ name: String, seconds: Double) -> Finding {
        let check = "store \(name)"
        let isMade = path == judged
        if let failure, !isMade {
            return .fail(
                check, "\(path) is not there, and cannot be made in \(judged): \(failure.reason)", "make it for the user of the servers (this is uid \(user))")
        }
        let finding: Finding =
            isMade ? StoreFacts(name: name, place: path, failure: failure, seconds: seconds).finding : .ok(check, "\(path) is made at the first start")
        guard finding.verdict != .fail, let foreign else { return finding }
        return .warn(
            check, "\(finding.found), but \(foreign.path) belongs to uid \(foreign.owner), and this is uid \(user)",
            "run this as the user of the servers: \(user == 0 ? "root may write anywhere, they may not" : "another may have other rights")"
                + (isMade && user != 0 ? ", or give the folder to it" : ""))
    }

    // MARK: Shell

    /// Probes a folder. Blocks. Makes and removes one file in it, or in its `tmp` if that is there, and nothing else.
    static func run(_ path: String) -> FolderProbe {
        let user = geteuid()
        guard let owner = owner(of: path) else {
            var parent = path
            while parent.count > 1, Self.owner(of: parent) == nil { parent = String(parent[..<(parent.lastIndex(of: "/") ?? parent.startIndex)]) }
            if parent.isEmpty { parent = "/" }
            // A user may make folders among those of others, as in /tmp. Root always may, so its success says nothing.
            let foreign = user == 0 ? Self.owner(of: parent).flatMap { $0 == user ? nil : Foreign(path: parent, owner: $0) } : nil
            return FolderProbe(
                path: path, judged: parent, failure: access(parent, W_OK | X_OK) == 0 ? nil : ("made", lastError()), foreign: foreign, user: user)
        }
        let tmp = path + "/tmp"
        let ownerOfTmp = Self.owner(of: tmp)
        let foreign = [(path, owner), (tmp, ownerOfTmp ?? owner)].first { $0.1 != user }.map { Foreign(path: $0.0, owner: $0.1) }
        // Each picture goes from `tmp` to a folder beside it.
        let failure = access(path, W_OK | X_OK) == 0 ? writeAndRead(in: ownerOfTmp == nil ? path : tmp) : ("written", lastError())
        return FolderProbe(path: path, judged: path, failure: failure, foreign: foreign, user: user)
    }

    private static func writeAndRead(in folder: String) -> (step: String, reason: String)? {
        // A server removes such a file from `tmp` if this process is killed here.
        let file = "\(folder)/doctor-\(Digest.randomHex(bytes: 12))"
        let bytes = Array("a probe of tintype doctor".utf8)
        let written = open(file, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard written >= 0 else { return ("written", lastError()) }
        var failure: (step: String, reason: String)?
        if write(written, bytes, bytes.count) != bytes.count { failure = ("written", lastError()) }
        // A full disk behind NFS may be told only now.
        if close(written) != 0, failure == nil { failure = ("written", lastError()) }
        if failure == nil { failure = readBack(file, bytes) }
        if unlink(file) != 0, failure == nil { failure = ("removed", lastError()) }
        return failure
    }

    private static func readBack(_ file: String, _ bytes: [UInt8]) -> (step: String, reason: String)? {
        let opened = open(file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard opened >= 0 else { return ("read", lastError()) }
        defer { close(opened) }
        var found = [UInt8](repeating: 0, count: bytes.count + 1)
        let count = read(opened, &found, found.count)
        guard count >= 0 else { return ("read", lastError()) }
        return found.prefix(count).elementsEqual(bytes) ? nil : ("read", "it has other bytes")
    }

    private static func lastError() -> String { String(cString: strerror(errno)) }

    private static func owner(of path: String) -> uid_t? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_uid : nil
    }
}
