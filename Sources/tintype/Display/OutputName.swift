import Glibc
import TintypeCore
import TintypeImages

/// Where results are written: a file name in which `%n` is the rendition's name, `%e` the format's extension, `%k` the key
/// and `%%` a percent sign; `-` is standard output; a folder (or a name that ends in `/`) means `%n.%e` inside it.
struct OutputName {
    private let pattern: String

    /// - Throws: `UsageError` when several renditions would be written to one file.
    init(_ text: String, renditions: Int) throws(UsageError) {
        var facts = stat()
        let isFolder = text.hasSuffix("/") || (stat(text, &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR)
        pattern = isFolder ? (text.hasSuffix("/") ? text : text + "/") + "%n.%e" : text
        if renditions > 1, !pattern.contains("%n"), !pattern.contains("%k") {
            throw UsageError("\(renditions) renditions need %n (the name) in -o, such as -o 'out/%n.%e'")
        }
    }

    var isStandardOutput: Bool { pattern == "-" }

    /// The format the name asks for, when nothing else does: `photo.webp` → webp.
    var format: ImageFormat? {
        guard let dot = pattern.lastIndex(of: ".") else { return nil }
        let ending = pattern[pattern.index(after: dot)...].lowercased()
        return ImageFormat.encodable.first { $0.fileExtension == ending || $0.rawValue == ending }
    }

    /// What is to be said of a file whose name promises another picture format than it holds, one that cannot be written.
    func note(on file: String, _ rendition: ImageResult.Rendition) -> String? {
        guard format == nil, let held = rendition.format.flatMap({ ImageFormat(rawValue: $0) }), let dot = file.lastIndex(of: ".") else {
            return nil
        }
        let ending = file[file.index(after: dot)...].lowercased()
        guard let promised = ImageFormat.allCases.first(where: { $0.fileExtension == ending || $0.rawValue == ending }), promised != held else { return nil }
        return "\(file) holds \(held.rawValue): \(promised.rawValue) is no format that is written"
    }

    /// The file for one rendition of a result.
    func path(for rendition: ImageResult.Rendition) -> String {
        var result = ""
        var rest = Substring(pattern)
        while let character = rest.popFirst() {
            guard character == "%", let next = rest.first else {
                result.append(character)
                continue
            }
            rest.removeFirst()
            switch next {
            case "n": result += rendition.name ?? "default"
            case "e": result += rendition.format.map { ImageFormat(rawValue: $0)?.fileExtension ?? $0 } ?? "bin"
            case "k": result += rendition.key ?? "key"
            case "%": result += "%"
            default: result += "%\(next)"
            }
        }
        return result
    }

    /// Writes a result's bytes. What is there and is no plain file gets them as they are: a device, a pipe that somebody reads; a link leads to
    /// the file that is meant. What is open already (`/dev/stdout`, `/dev/fd/3`) goes on where it stands: it may be a file with something in
    /// it. All else is put in its place whole.
    static func write(_ bytes: [UInt8], to path: String) throws(WriteFailure) {
        if let open = openDescriptor(path) {
            let own = dup(open)
            guard own >= 0 else { throw WriteFailure(path: path, code: errno) }
            if let code = fill(own, bytes) { throw WriteFailure(path: path, code: code) }
            return
        }
        var facts = stat()
        let isThere = stat(path, &facts) == 0
        if isThere, facts.st_mode & S_IFMT != S_IFREG { return try pour(bytes, into: path) }
        guard lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFLNK else { return try place(bytes, at: path) }
        // It may lead to what has no name any more, as links to the files of a process do, or to what is not there yet.
        guard isThere, let target = realpath(path, nil) else { return try pour(bytes, into: path) }
        defer { free(target) }
        try place(bytes, at: String(cString: target))
    }

    /// The descriptor of this process that a path names, by links too.
    private static func openDescriptor(_ path: String) -> Int32? {
        guard let own = realpath("/proc/self/fd", nil) else { return nil }
        defer { free(own) }
        var path = path
        // As many links as the kernel follows.
        for _ in 0..<40 {
            let parts = path.split(separator: "/", omittingEmptySubsequences: false)
            let folder = parts.count > 1 ? parts.dropLast().joined(separator: "/") + "/" : "."
            guard let name = parts.last, let real = realpath(folder, nil) else { return nil }
            defer { free(real) }
            if strcmp(real, own) == 0 { return Int32(name) }
            var target = [UInt8](repeating: 0, count: Int(PATH_MAX))
            let count = readlink(path, &target, target.count)
            guard count > 0 else { return nil }
            let text = String(decoding: target[..<count], as: UTF8.self)
            path = text.hasPrefix("/") ? text : String(cString: real) + "/" + text
        }
        return nil
    }

    private static func pour(_ bytes: [UInt8], into path: String) throws(WriteFailure) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw WriteFailure(path: path, code: errno) }
        if let code = fill(descriptor, bytes) { throw WriteFailure(path: path, code: code) }
    }

    /// Writes beside the target first and renames then, so that a file is whole or not there. What lies beside it has a name of its own, and a
    /// short one: two may write the same file at once, and its name may be as long as names can be.
    private static func place(_ bytes: [UInt8], at path: String) throws(WriteFailure) {
        let folders = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        for count in folders.indices.map({ $0 + 1 }) {
            let folder = folders[..<count].joined(separator: "/")
            if !folder.isEmpty, mkdir(folder, 0o777) != 0, errno != EEXIST { throw WriteFailure(path: folder, code: errno) }
        }
        let temporary = (folders + [".tintype-\(Digest.randomHex(bytes: 6)).part"]).joined(separator: "/")
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw WriteFailure(path: path, code: errno) }
        let code = fill(descriptor, bytes) ?? (rename(temporary, path) == 0 ? nil : errno)
        guard let code else { return }
        unlink(temporary)
        throw WriteFailure(path: path, code: code)
    }

    /// Writes all bytes and closes.
    /// - Returns: nil, or what went wrong.
    private static func fill(_ descriptor: Int32, _ bytes: [UInt8]) -> Int32? {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress! + sent, $0.count - sent) }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                // A pipe that somebody else has made so, who has it open too.
                var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&wanted, 1, -1)
                continue
            }
            guard count > 0 else {
                let code = errno
                close(descriptor)
                return code
            }
            sent += count
        }
        return close(descriptor) == 0 || errno == EINTR ? nil : errno
    }

    struct WriteFailure: Error, CustomStringConvertible {
        let path: String
        let code: Int32
        var description: String { "cannot write \(path): \(String(cString: strerror(code)))" }
    }
}
