import CLinux
import Glibc
import TintypeCore
import TintypeTransport

/// A reader for files below the operator's folder, for `file:` URLs.
enum RootedFile {
    /// Reads a whole file. Blocks: not for the loop.
    /// - Parameter path: the decoded path of the URL.
    /// - Throws: `denied` outside of the folder or for anything but a plain file, `httpStatus` 404 for a missing file, `limitExceeded`.
    static func read(_ path: String, below root: String, atMost limit: Int) throws(TintypeError) -> [UInt8] {
        guard !path.utf8.contains(0) else { throw refusal("the path holds a zero byte") }
        let folder = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else {
            throw Descriptors.isShortage(errno) ? .noDescriptor(.download) : refusal("the folder of --file-root cannot be opened")
        }
        defer { close(folder) }
        let inside = path.drop { $0 == "/" }
        let file = openFile(inside.isEmpty ? "." : String(inside), beneath: folder)
        guard file >= 0 else { throw failure(errno) }
        defer { close(file) }
        var facts = stat()
        guard fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { throw refusal("it is not a regular file") }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(min(Int(facts.st_size), limit) + 1)
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = Glibc.read(file, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure(errno) }
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
            guard bytes.count <= limit else {
                let size = max(Int(facts.st_size), bytes.count)
                throw TintypeError(
                    .limitExceeded, .download, "the file has \(size) bytes or more, \(limit) are allowed",
                    details: ["limit": "maxBytes", "value": JSON(size), "allowed": JSON(limit)])
            }
        }
    }

    /// Opens a file and repeats `EAGAIN`. A path with `..` cannot be followed safely while anything on the machine is renamed. The kernel then
    /// answers `EAGAIN`. openat2(2) leaves the repetition to the caller; each attempt is independent.
    private static func openFile(_ path: String, beneath folder: Int32) -> Int32 {
        for _ in 1..<128 {
            let file = tintype_open_beneath(folder, path)
            guard file < 0, errno == EAGAIN || errno == EINTR else { return file }
        }
        return tintype_open_beneath(folder, path)
    }

    static func isFolder(_ path: String) -> Bool {
        let folder = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC)
        if folder >= 0 { close(folder) }
        return folder >= 0
    }

    static func refusal(_ reason: String) -> TintypeError {
        TintypeError(.denied, .download, "the file is refused: \(reason)", details: ["which": "file"])
    }

    private static func failure(_ code: Int32) -> TintypeError {
        switch code {
        case EMFILE, ENFILE: .noDescriptor(.download)
        case ENOENT, ENOTDIR, ENAMETOOLONG:
            TintypeError(
                .httpStatus, .download, "there is no such file below --file-root, where file:///photo.jpg is photo.jpg", retryable: false,
                details: ["status": 404])
        case EAGAIN:
            TintypeError(.internalError, .download, "the file's folders were renamed while it was opened; try again", retryable: true)
        case EXDEV: refusal("it is outside the folder of --file-root")
        case ELOOP: refusal("its links lead in a circle, are too many, or lead into /proc")
        case ENOSYS: refusal("this kernel cannot keep files within a folder")
        default: refusal(String(cString: strerror(code)))
        }
    }
}
