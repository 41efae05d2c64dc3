/// Text from outside (a body, a header or a name of an origin), made safe for a terminal. Control characters could move the cursor, set the title
/// or imitate a line of ours.
extension String {
    /// The text with every control character (C0, DEL, C1) as its escape, `\u001b`. Line breaks and tabs are escaped too.
    var plain: String { escapingControls { _ in false } }

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
