import Glibc
import TintypeCore

/// The answer of a command, on standard output. A command whose output cannot be written has failed, so a failed write throws.
enum Output {
    /// Prints an answer for people. Its lines are our own; text from outside was made `plain` where it was inserted. Remaining control characters
    /// are escaped here, except line breaks.
    static func lines(_ text: String) throws(OutputName.WriteFailure) {
        try bytes(Array((text.plainLines + "\n").utf8))
    }

    /// Prints an answer for programs: one line of JSON.
    static func json(_ json: JSON) throws(OutputName.WriteFailure) {
        try bytes(Array((json.text + "\n").utf8))
    }

    /// Writes bytes unchanged.
    static func bytes(_ bytes: [UInt8]) throws(OutputName.WriteFailure) {
        guard StandardStream.write(bytes, to: STDOUT_FILENO) else { throw OutputName.WriteFailure(path: "standard output", code: errno) }
    }

    /// Prints a note or a failure on standard error. A failed write is ignored: no channel is left to report it.
    static func note(_ text: String) { StandardStream.printError(text.plainLines) }
}
