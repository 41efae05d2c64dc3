import Glibc
import TintypeCore

/// The content of a file, or of standard input when the path is `-`.
enum InputText {
    static func read(_ path: String) throws(UsageError) -> String { String(decoding: try bytes(path), as: UTF8.self) }

    /// - Parameter most: the most bytes.
    static func bytes(_ path: String, atMost most: Int = .max) throws(UsageError) -> [UInt8] {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try path == "-" ? FileCalls.read(STDIN_FILENO, upTo: most) : FileCalls.read(wholeOf: path, upTo: most)
        } catch { throw UsageError("cannot read \(path): \(error.words)") }
        guard bytes.count <= most else { throw UsageError("\(path == "-" ? "standard input" : path) has more than \(ByteSize.text(most))") }
        return bytes
    }
}
