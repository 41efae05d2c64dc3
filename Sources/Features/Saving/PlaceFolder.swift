import CLinux
import Glibc
import TintypeCore
import TintypeImages
import TintypeTransport

/// A folder that results are saved in. All of it blocks: not for the loop.
///
/// A file is written under a name that no request can use, and flushed. Only then it gets its own name, so that readers see all of it or nothing, also after
/// a crash. No link is followed below the folder, and none is replaced by what it leads to.
struct PlaceFolder: Sendable {
    let path: String

    /// Where files lie that are being written. A dot begins no name that can be asked for.
    static let workshop = ".saving"
    /// Files there that are older were left behind by a worker that died.
    static let longest = 3600.0

    /// The outcome of a save.
    enum Outcome: Sendable, Hashable { case saved, kept }

    /// - Throws: `storeFailed` for what the system refuses, and where a file is there that is to stay; `denied` where a link is in the way.
    func save(_ bytes: [UInt8], as name: String, _ replacing: SaveTarget.Replacing) throws(TintypeError) -> Outcome {
        let root = try opened(AT_FDCWD, path, flags: 0)
        defer { close(root) }
        let written = try write(bytes, root)
        defer { close(written.folder) }
        do throws(TintypeError) {
            let outcome = try place(written, bytes, as: name, replacing, root)
            if outcome == .kept || replacing != .always { unlinkat(written.folder, written.name, 0) }
            return outcome
        } catch {
            unlinkat(written.folder, written.name, 0)
            throw error
        }
    }

    /// A file that is whole, and has no name of its own yet.
    struct Written {
        let folder: Int32
        let name: String
    }

    /// - Parameter root: the folder, open.
    func write(_ bytes: [UInt8], _ root: Int32) throws(TintypeError) -> Written {
        let folder = try made(root, Self.workshop)
        let name = Digest.randomHex(bytes: 12)
        let file = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o640)
        var failure = file < 0 ? SystemError.last() : nil
        if file >= 0 {
            failure = FileCalls.write(bytes, to: file)
            if failure == nil, fdatasync(file) != 0 { failure = .last() }
            if close(file) != 0, failure == nil, errno != EINTR { failure = .last() }
        }
        guard let failure else { return Written(folder: folder, name: name) }
        unlinkat(folder, name, 0)
        close(folder)
        throw Self.failure(failure)
    }

    private func place(
        _ written: Written, _ bytes: [UInt8], as name: String, _ replacing: SaveTarget.Replacing, _ root: Int32
    ) throws(TintypeError) -> Outcome {
        let parts = name.split(separator: "/").map(String.init)
        guard let last = parts.last, parts.allSatisfy({ !$0.hasPrefix(".") && !$0.utf8.contains(0) }) else { throw Self.refusal("no name: \(name)") }
        var folder = root
        defer { if folder != root { close(folder) } }
        for part in parts.dropLast() {
            let next = try made(folder, part)
            if folder != root { close(folder) }
            folder = next
        }
        let failed =
            switch replacing {
            case .always: renameat(written.folder, written.name, folder, last) != 0
            // The call fails if the name is taken. A check before it could not tell.
            case .never, .keep: linkat(written.folder, written.name, folder, last, 0) != 0
            }
        if failed, errno == EEXIST, replacing != .always { return try standing(last, folder, bytes, replacing) }
        if failed { throw Self.failure(.last()) }
        // The name is to be there after a power failure, too.
        fsync(folder)
        return .saved
    }

    /// Decides about an existing file of that name.
    private func standing(_ name: String, _ folder: Int32, _ bytes: [UInt8], _ replacing: SaveTarget.Replacing) throws(TintypeError) -> Outcome {
        let file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { throw Self.failure(.last()) }
        defer { close(file) }
        var facts = stat()
        guard fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { throw Self.refusal("what has the name already is no file") }
        if replacing == .keep { return .kept }
        // The same once more: whoever had written it did not live to tell.
        guard Int(facts.st_size) == bytes.count, Self.holds(file, bytes) else { throw SavePlaces.taken }
        return .saved
    }

    private static func holds(_ file: Int32, _ bytes: [UInt8]) -> Bool {
        var (at, buffer) = (0, [UInt8](repeating: 0, count: 1 << 16))
        while at < bytes.count {
            let count = Glibc.read(file, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0, at + count <= bytes.count, buffer[..<count] == bytes[at..<at + count] else { return false }
            at += count
        }
        return true
    }

    /// A folder within another, made if it is missing.
    private func made(_ folder: Int32, _ name: String) throws(TintypeError) -> Int32 {
        if mkdirat(folder, name, 0o750) != 0, errno != EEXIST { throw Self.failure(.last()) }
        return try opened(folder, name, flags: O_NOFOLLOW)
    }

    private func opened(_ folder: Int32, _ name: String, flags: Int32) throws(TintypeError) -> Int32 {
        let descriptor = openat(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags)
        guard descriptor >= 0 else { throw Self.failure(.last()) }
        return descriptor
    }

    /// Forgets what workers that died have left behind.
    func sweep(now: Double) {
        let folder = "\(path)/\(Self.workshop)"
        for name in FileCalls.names(in: folder) {
            if let facts = FileCalls.facts("\(folder)/\(name)"), facts.end < now - Self.longest { unlink(facts.path) }
        }
    }

    private static func refusal(_ reason: String) -> TintypeError {
        TintypeError(.denied, .store, "the file is not saved: \(reason)", details: ["which": "place"])
    }

    private static func failure(_ error: SystemError) -> TintypeError {
        switch error.code {
        case ELOOP, ENOTDIR: refusal("a link, or a file, is where a folder has to be")
        case EMFILE, ENFILE: .noDescriptor(.store)
        case ENOSPC, EDQUOT, EIO, EAGAIN, ESTALE, ENOMEM: SavePlaces.failure(error.words, retryable: true)
        default: SavePlaces.failure(error.words, retryable: false)
        }
    }
}
