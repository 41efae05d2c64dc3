import Glibc
import TintypeCore
import TintypeImages

/// The place that results are written to.
///
/// A file name may contain `%n` (the rendition's name), `%e` (the extension of the format), `%k` (the key) and `%%` (a percent sign). `-` is
/// standard output. A folder, or a name that ends in `/`, means `%n.%e` inside the folder.
package struct OutputName {
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
    /// Whether the name has the key of a stored result.
    var namesKey: Bool { pattern.contains("%k") }
    /// Whether each name gets a file of its own.
    var distinguishes: Bool { pattern.contains("%n") }

    /// The format that the name asks for when the request names none: `photo.webp` means WebP.
    var format: ImageFormat? {
        guard let dot = pattern.lastIndex(of: ".") else { return nil }
        let ending = pattern[pattern.index(after: dot)...].lowercased()
        return ImageFormat.encodable.first { $0.fileExtension == ending || $0.rawValue == ending }
    }

    /// Returns a note when the file name promises a picture format that Tintype cannot write, and the file has another one.
    func note(on file: String, _ rendition: ImageResult.Rendition) -> String? {
        guard format == nil, let held = rendition.format.flatMap({ ImageFormat(rawValue: $0) }), let dot = file.lastIndex(of: ".") else {
            return nil
        }
        let ending = file[file.index(after: dot)...].lowercased()
        guard let promised = ImageFormat.allCases.first(where: { $0.fileExtension == ending || $0.rawValue == ending }), promised != held else { return nil }
        return "\(file) contains \(held.rawValue), because Tintype cannot write \(promised.rawValue)"
    }

    /// Returns the file for one rendition of a result.
    func path(for rendition: ImageResult.Rendition) -> String { path(named: rendition.name, format: rendition.format, key: rendition.key) }

    func path(named name: String?, format: String?, key: String? = nil) -> String {
        var result = ""
        var rest = Substring(pattern)
        while let character = rest.popFirst() {
            guard character == "%", let next = rest.first else {
                result.append(character)
                continue
            }
            rest.removeFirst()
            switch next {
            case "n": result += name ?? "default"
            case "e": result += format.map { ImageFormat(rawValue: $0)?.fileExtension ?? $0 } ?? "bin"
            case "k": result += key ?? "key"
            case "%": result += "%"
            default: result += "%\(next)"
            }
        }
        return result
    }

    /// Writes the bytes of a result.
    ///
    /// - A device or a pipe gets the bytes directly.
    /// - A link leads to its target.
    /// - A path of an open descriptor (`/dev/stdout`, `/dev/fd/3`) is written from its current position, because it may be a file with content.
    /// - Every other file is replaced whole.
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
        // The link may lead to a missing file, or to one without a name, as the links to a process's files do.
        guard isThere, let target = realpath(path, nil) else { return try pour(bytes, into: path) }
        defer { free(target) }
        try place(bytes, at: String(cString: target))
    }

    /// Returns the descriptor of this process that a path names, directly or through links.
    private static func openDescriptor(_ path: String) -> Int32? {
        guard let own = realpath("/proc/self/fd", nil) else { return nil }
        defer { free(own) }
        var path = path
        // The kernel follows at most 40 links.
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

    /// Writes a temporary file beside the target and renames it, so that the target is complete or absent. The temporary name is random, because
    /// two processes may write the same file at once. It is short, because the target's name may have the longest possible length.
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

    /// Writes all bytes and closes the descriptor.
    /// - Returns: nil, or the error number.
    private static func fill(_ descriptor: Int32, _ bytes: [UInt8]) -> Int32? {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress! + sent, $0.count - sent) }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                // Another process that has this pipe open made it non-blocking.
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

    package struct WriteFailure: Error, CustomStringConvertible {
        let path: String
        let code: Int32
        package var description: String { "cannot write \(path): \(String(cString: strerror(code)))" }
    }
}
