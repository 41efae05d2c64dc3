import CVips

/// libvips' error text for a failed operation. It is for people; code must not branch on it.
package struct VipsError: Error, CustomStringConvertible {
    /// The operation's nickname.
    package let operation: String
    /// libvips' text on one line, at most 300 characters.
    package let text: String

    package var description: String { text.isEmpty ? "\(operation) failed" : "\(operation): \(text)" }

    package init(operation: String, text: String) {
        self.operation = operation
        self.text = text
    }

    /// Takes libvips' error text, which is shared by the whole process, and empties it for the next image.
    static func take(_ operation: String) -> VipsError {
        let all = String(cString: vips_error_buffer())
        vips_error_clear()
        let line = all.split(separator: "\n").joined(separator: "; ")
        return VipsError(operation: operation, text: String(line.prefix(300)))
    }
}
