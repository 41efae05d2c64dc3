import Glibc
import TintypeCore

/// The content of a file, or of standard input when the path is `-`.
enum InputText {
    static func read(_ path: String) throws(UsageError) -> String { String(decoding: try bytes(path), as: UTF8.self) }

    /// - Parameter most: the most bytes.
    static func bytes(_ path: String, atMost most: Int = .max) throws(UsageError) -> [UInt8] {
        let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw UsageError("cannot read \(path): \(String(cString: strerror(errno)))") }
        defer { if descriptor != STDIN_FILENO { close(descriptor) } }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw UsageError("cannot read \(path): \(String(cString: strerror(errno)))") }
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
            guard bytes.count <= most else { throw UsageError("\(path == "-" ? "standard input" : path) has more than \(ByteSize.text(most))") }
        }
    }
}
