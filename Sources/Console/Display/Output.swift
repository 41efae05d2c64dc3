import Glibc
package import TintypeCore

/// The answer of a command, on standard output. A command whose output cannot be written has failed, so a failed write throws.
package enum Output {
    /// Prints an answer for people. Its lines are our own; text from outside was made `plain` where it was inserted. Remaining control characters
    /// are escaped here, except line breaks.
    package static func lines(_ text: String) throws(OutputName.WriteFailure) {
        try bytes(Array((text.plainLines + "\n").utf8))
    }

    /// Prints an answer: as JSON if the command line asks for that, else as a text.
    static func answer(_ answer: JSON, _ arguments: Arguments, _ text: @autoclosure () -> String) throws(OutputName.WriteFailure) {
        if arguments.isJSON { try json(answer) } else { try lines(text()) }
    }

    /// Prints an answer for programs: one line of JSON.
    package static func json(_ json: JSON) throws(OutputName.WriteFailure) {
        try bytes(Array((json.text + "\n").utf8))
    }

    /// Writes bytes unchanged.
    static func bytes(_ bytes: [UInt8]) throws(OutputName.WriteFailure) {
        guard StandardStream.write(bytes, to: STDOUT_FILENO) else { throw OutputName.WriteFailure(path: "standard output", code: errno) }
    }

    /// Prints a note or a failure on standard error. A failed write is ignored: no channel is left to report it.
    static func note(_ text: String) { StandardStream.printError(text.plainLines) }
}

/// Text from outside (a body, a header or a name of an origin), made safe for a terminal. Control characters could move the cursor, set the title
/// or imitate a line of ours.
extension String {
    /// The text with every control character (C0, DEL, C1) as its escape, `\u001b`. Line breaks and tabs are escaped too.
    package var plain: String { escapingControls { _ in false } }

    /// The text with escapes like `plain`, but with its line breaks.
    var plainLines: String { escapingControls { $0 == "\n" } }

    private func escapingControls(but isKept: (Unicode.Scalar) -> Bool) -> String {
        func isControl(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.generalCategory == .control && !isKept(scalar) }
        guard unicodeScalars.contains(where: isControl) else { return self }
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            guard isControl(scalar) else {
                result.append(scalar)
                continue
            }
            switch scalar {
            case "\n": result.append(contentsOf: "\\n".unicodeScalars)
            case "\r": result.append(contentsOf: "\\r".unicodeScalars)
            case "\t": result.append(contentsOf: "\\t".unicodeScalars)
            default:
                let digits = String(scalar.value, radix: 16)
                result.append(contentsOf: ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).unicodeScalars)
            }
        }
        return String(result)
    }
}
