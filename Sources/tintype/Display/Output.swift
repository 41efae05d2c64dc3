import Glibc
import TintypeCore

/// What a command answers, on standard output. A program that cannot be heard has not succeeded: what is not taken is thrown, not dropped.
enum Output {
    /// An answer as people read it: lines of our own making, in which strangers' words were made `plain` where they were put in.
    /// What they could not have been seen in is escaped here, but for the line breaks.
    static func lines(_ text: String) throws(OutputName.WriteFailure) {
        try bytes(Array((text.plainLines + "\n").utf8))
    }

    /// An answer as programs read it: one line.
    static func json(_ json: JSON) throws(OutputName.WriteFailure) {
        try bytes(Array((json.text + "\n").utf8))
    }

    /// Bytes as they are.
    static func bytes(_ bytes: [UInt8]) throws(OutputName.WriteFailure) {
        guard StandardStream.write(bytes, to: STDOUT_FILENO) else { throw OutputName.WriteFailure(path: "standard output", code: errno) }
    }

    /// A note or a failure, on standard error. Where that cannot be written there is nobody left to tell.
    static func note(_ text: String) { StandardStream.printError(text.plainLines) }
}
