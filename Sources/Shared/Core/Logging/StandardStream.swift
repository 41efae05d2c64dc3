import Glibc

/// Whole lines to standard output and standard error without Foundation or stdio buffers.
///
/// Servers print one line to standard output, `ready …`; everything else is log on standard error.
package enum StandardStream {
    /// Writes `text` and a newline to standard output.
    package static func printLine(_ text: String) {
        write(Array((text + "\n").utf8), to: STDOUT_FILENO)
    }

    /// Writes `text` and a newline to standard error.
    package static func printError(_ text: String) {
        write(Array((text + "\n").utf8), to: STDERR_FILENO)
    }

    /// Writes with one `write(2)` if the kernel takes all, and continues a short write. Ignores an error (a closed pipe): a program does not stop because
    /// nobody reads its log.
    /// - Returns: whether all of it was taken.
    @discardableResult
    package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        bytes.withUnsafeBytes { buffer in
            var sent = 0
            while sent < buffer.count {
                let count = Glibc.write(descriptor, buffer.baseAddress! + sent, buffer.count - sent)
                if count < 0 && errno == EINTR { continue }
                if count <= 0 { return false }
                sent += count
            }
            return true
        }
    }
}
